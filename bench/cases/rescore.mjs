/** Scores a log of 1,000,000 events in 10,000 tasks again, by 8 rules and by 80, against reading the same rows. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { EventLog } from "../../dist/index.js"
import { EVENTS_OF_TASK, history } from "../history.mjs"
import { median } from "../measure.mjs"
import { openRaw } from "../raw.mjs"

const TASKS = 10_000
const EVENTS = TASKS * EVENTS_OF_TASK

/** A round scores the whole log twice, each time in its own process, so a few suffice. */
const MAX_ROUNDS = 3

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
const PROGRAM = fileURLToPath(new URL("../programs/rescore.mjs", import.meta.url))

export const run = async (directory, rounds, say) => {
  const filename = path.join(directory, "rescore.db")
  await record(filename, say)
  const passes = { few: [], many: [] }
  for (let round = 1; round <= Math.min(rounds, MAX_ROUNDS); round++) {
    say(`scoring it by 8 rules and by 80, round ${round}`)
    passes.few.push(inOwnProcess(filename, 1))
    passes.many.push(inOwnProcess(filename, 10))
  }
  const divided = { one: [], four: [] }
  for (let round = 1; round <= Math.min(rounds, MAX_ROUNDS); round++) {
    say(`scoring it by the command, in one process and in four, round ${round}`)
    divided.one.push(byCommand(filename, []))
    divided.four.push(byCommand(filename, ["--parts", "4"]))
  }
  fs.rmSync(filename)
  const middle = (of, key) => median(of.map((pass) => pass[key]))
  const floor = middle([...passes.few, ...passes.many], "rawMs")
  const floorCpu = middle([...passes.few, ...passes.many], "rawCpuMs")
  const [few, many] = [passes.few, passes.many].map((of) => ({ ms: middle(of, "ms"), cpuMs: middle(of, "cpuMs") }))
  const perEvent = (ms) => (ms / EVENTS) * 1000
  return [
    {
      what: "1,000,000 events in 10,000 tasks: score them again by 8 rules",
      unit: "µs",
      ours: perEvent(few.ms),
      floor: perEvent(floor),
      ratio: floor / few.ms,
      cpuRatio: floorCpu / few.cpuMs,
      bound: { at: "least", value: 0.3 },
      floorIs: "raw keyset pages + JSON.parse",
    },
    {
      what: "the same by 80 rules",
      unit: "µs",
      ours: perEvent(many.ms),
      floor: perEvent(few.ms),
      ratio: many.ms / few.ms,
      cpuRatio: many.cpuMs / few.cpuMs,
      bound: { at: "most", value: 3 },
      floorIs: "by 8 rules",
    },
    {
      what: "the command rescore in 4 parts on 2 cores, against one process",
      unit: "s",
      ours: median(divided.four) / 1000,
      floor: median(divided.one) / 1000,
      ratio: median(divided.one) / median(divided.four),
      bound: { at: "least", value: 1.6 },
      floorIs: "one process",
    },
    {
      what: "most memory while scoring by 8 rules",
      unit: "MiB",
      ours: middle(passes.few, "peakMiB"),
      bound: { at: "most", value: 250, of: "ours" },
    },
  ]
}

const record = async (filename, say) => {
  const recording = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    let recorded = 0
    for (const requests of history(TASKS)) {
      yield* Effect.all(
        requests.map((request) => log.append(request)),
        { concurrency: "unbounded", discard: true },
      )
      recorded += requests.reduce((events, request) => events + request.events.length, 0)
      if (recorded % 200_000 === 0) {
        say(`recorded ${recorded.toLocaleString("en")} of ${EVENTS.toLocaleString("en")} events`)
      }
    }
  })
  await Effect.runPromise(Effect.provide(recording, EventLog.layerSqlite({ filename })))
  // Every pass starts with a copy of this file.
  const database = openRaw(filename)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
}

/** The milliseconds of the command on a copy of the log. */
const byCommand = (filename, more) => {
  const copy = `${filename}.copy`
  fs.copyFileSync(filename, copy)
  const rubric = path.join(path.dirname(filename), "rubric.json")
  fs.writeFileSync(rubric, execFileSync(process.execPath, [PROGRAM, "rubric"]))
  const startedAt = performance.now()
  try {
    execFileSync(process.execPath, [MAIN, "rescore", "--log", copy, "--rubric", rubric, "--json", ...more], {
      maxBuffer: 1024 ** 3,
      stdio: ["ignore", "ignore", "inherit"],
    })
    return performance.now() - startedAt
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(`${copy}${suffix}`, { force: true })
  }
}

/** One pass over a copy of the log, so that no pass reads earlier scores. */
const inOwnProcess = (filename, variants) => {
  const copy = `${filename}.copy`
  fs.copyFileSync(filename, copy)
  try {
    return JSON.parse(execFileSync(process.execPath, [PROGRAM, copy, String(variants)]).toString())
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(`${copy}${suffix}`, { force: true })
  }
}
