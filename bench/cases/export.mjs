/** Exports and re-imports 1,000,000 events by the command line, each in its own process. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { EventLog } from "../../dist/index.js"
import { rawTable } from "../floor.mjs"
import { EVENTS_OF_TASK, history } from "../history.mjs"
import { median, spentBy } from "../measure.mjs"

const TASKS = 10_000
const EVENTS = TASKS * EVENTS_OF_TASK

/** An export takes some ten seconds, so a few rounds suffice. */
const MAX_ROUNDS = 3

const PROGRAM = fileURLToPath(new URL("../programs/measured.mjs", import.meta.url))

export const run = async (directory, rounds, say) => {
  const log = path.join(directory, "exported.db")
  await record(log, say)
  const raw = rawTable(log)
  const measured = { floor: [], jsonl: [], parquet: [], piaavt: [], otlp: [], mcap: [] }
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round++) {
    say(`exporting ${EVENTS.toLocaleString("en")} events in each format, round ${round + 1}`)
    measured.floor.push(await spentBy(() => raw.readAll()))
    for (const format of Object.keys(measured)) {
      if (format !== "floor") measured[format].push(exported(log, path.join(directory, `events.${format}`), format))
    }
  }
  raw.close()
  say("importing them")
  const lines = path.join(directory, "events.jsonl")
  const imported = inOwnProcess(["log", "import", lines, "--log", path.join(directory, "copy.db")])
  const floor = middle(measured.floor)
  const one = (format) => middle(measured[format])
  return [
    rate("export 1,000,000 events: JSON Lines", one("jsonl"), floor, 100),
    rate("export 1,000,000 events: Parquet", one("parquet"), floor, 60),
    rate("export 1,000,000 events: PiaAVT", one("piaavt"), floor, 60),
    rate("export 1,000,000 events: OTLP", one("otlp"), floor, 20),
    rate("export 1,000,000 events: MCAP", one("mcap"), floor, 20),
    rate("import 1,000,000 events", imported, floor, 15),
    ...["jsonl", "parquet", "piaavt", "otlp", "mcap"].map((format) => ({
      what: `most memory while exporting: ${format}`,
      unit: "MiB",
      ours: one(format).peakMiB,
      bound: { at: "most", value: 250, of: "ours" },
    })),
  ]
}

const record = async (filename, say) => {
  say(`recording ${EVENTS.toLocaleString("en")} events`)
  const recording = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    for (const requests of history(TASKS)) {
      yield* Effect.all(
        requests.map((request) => log.append(request)),
        { concurrency: "unbounded", discard: true },
      )
    }
  })
  await Effect.runPromise(Effect.provide(recording, EventLog.layerSqlite({ filename })))
}

const exported = (log, file, format) => {
  const what = format === "jsonl" || format === "parquet" ? ["events", "--format", format] : [format]
  const found = inOwnProcess(["export", ...what, "--log", log, "--output", file, "--force"])
  // The files are large; only the import's is kept.
  if (format !== "jsonl") fs.rmSync(file)
  return found
}

const inOwnProcess = (args) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(`hindcast ${args.join(" ")} ended with ${status}: ${stderr}`)
  return JSON.parse(stderr.trim().split("\n").at(-1))
}

const middle = (all) => Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((one) => one[key]))]))

/** Thousands of events per second, against reading and parsing their rows. */
const rate = (what, ours, floor, least) => ({
  what,
  unit: "k/s",
  ours: EVENTS / ours.ms,
  floor: EVENTS / floor.ms,
  ratio: floor.ms / ours.ms,
  cpuRatio: floor.cpuMs / ours.cpuMs,
  bound: { at: "least", value: least, of: "ours" },
  floorIs: "raw keyset pages + JSON.parse",
})
