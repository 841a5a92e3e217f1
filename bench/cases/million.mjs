/** A log of 1,000,000 events in 10,000 tasks: folding all of it, visiting any position, opening it. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Stream } from "effect"
import { EnvironmentState, EventLog, Projector } from "../../dist/index.js"
import { rawTable } from "../floor.mjs"
import { EVENTS_OF_TASK, history } from "../history.mjs"
import { median, quantile, spend, timed } from "../measure.mjs"
import { openRaw } from "../raw.mjs"

const TASKS = 10_000
const EVENTS = TASKS * EVENTS_OF_TASK

/** A round reads the whole log four times, so a few suffice. */
const MAX_ROUNDS = 3

/** Number of visited positions. */
const VISITS = 1_000

/** Number of processes that open the log. */
const OPENINGS = 7

const PROGRAM = fileURLToPath(new URL("../programs/once.mjs", import.meta.url))

export const run = async (directory, rounds, say) => {
  const filename = path.join(directory, "million.db")
  await record(filename, say)
  const size = sizes(filename)

  say("folding, verifying and reading all of it, in turn")
  const passes = await readAll(filename, Math.min(rounds, MAX_ROUNDS))

  say("replaying it in a process of its own")
  const idle = inOwnProcess("idle", filename)
  const replay = inOwnProcess("replay", filename)
  const laying = inOwnProcess("replay-and-lay", filename)
  const withSnapshots = fs.statSync(filename).size

  say(`opening it in ${OPENINGS} processes`)
  const openings = Array.from({ length: OPENINGS }, () => inOwnProcess("open", filename).ms)

  say(`going to ${VISITS} moments of it`)
  const visits = await visit(filename)

  const bytes = 1024 * 1024
  const payload = `its payloads, ${(size.payload / EVENTS).toFixed(0)} bytes each`
  return [
    passed("1,000,000 events: fold EnvironmentState over everything", passes.fold, passes.raw, 0.6),
    passed("1,000,000 events: verify the chain", passes.verify, passes.raw, 0.5),
    passed("1,000,000 events: verify everything", passes.verifyAll, passes.raw, 0.2),
    passed("1,000,000 events: read all and parse", passes.read, passes.raw, 0.85),
    limited("stateAt anywhere, median", "ms", quantile(visits, 0.5), 5),
    limited("stateAt anywhere, 99 of 100", "ms", quantile(visits, 0.99), 20),
    {
      what: "stateAt anywhere, median",
      unit: "ms",
      ours: quantile(visits, 0.5),
      floor: passes.fold.ms,
      ratio: passes.fold.ms / quantile(visits, 0.5),
      bound: { at: "least", value: 200 },
      floorIs: "the fold over everything",
    },
    limited("opening it and giving the current state", "ms", median(openings), 150),
    memory("most memory while replaying it", replay, idle),
    memory("the same, laying snapshots on the way", laying, idle),
    bytesPer("size of the file", size.file / bytes, size.payload / bytes, payload),
    bytesPer("size of the file with snapshots", withSnapshots / bytes, size.payload / bytes, payload),
  ]
}

/** Records the log as a kernel does, in many small appends. */
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
      if (recorded % 100_000 === 0)
        say(`recorded ${recorded.toLocaleString("en")} of ${EVENTS.toLocaleString("en")} events`)
    }
  })
  await Effect.runPromise(Effect.provide(recording, EventLog.layerSqlite({ filename })))
}

/** Bytes of the file and of its payloads. */
const sizes = (filename) => {
  const database = openRaw(filename)
  const [[payload]] = database.prepare("SELECT sum(octet_length(payload)) FROM events").all()
  database.close()
  return { file: fs.statSync(filename).size, payload }
}

/** Passes over the whole log, against a raw pass. */
const readAll = async (filename, rounds) => {
  const raw = rawTable(filename)
  const passing = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const fold = Effect.flatMap(Projector.Projector, (projector) =>
      projector.stateAt(EnvironmentState.projection, EVENTS),
    ).pipe(
      Effect.provide(Layer.fresh(Projector.layerWith({ snapshots: false }))),
      Effect.provideService(EventLog.EventLog, log),
    )
    return yield* Effect.promise(() =>
      spend(
        {
          raw: () => raw.readAll(),
          read: () => Effect.runPromise(Stream.runDrain(log.read())),
          fold: () => Effect.runPromise(fold),
          verify: () => Effect.runPromise(log.verifyWith({ quick: true })),
          verifyAll: () => Effect.runPromise(log.verify),
        },
        rounds,
      ),
    )
  })
  const spent = await Effect.runPromise(Effect.provide(passing, EventLog.layerSqlite({ filename })))
  raw.close()
  return spent
}

/** Milliseconds per visit, with one projector. The first visits find nothing in memory. */
const visit = (filename) => {
  const visiting = Effect.gen(function* () {
    const projector = yield* Projector.Projector
    const runtime = yield* Effect.runtime()
    const all = []
    for (let index = 1; index <= VISITS; index++) {
      // Spreads over the log in no order: multiples of the golden ratio.
      const at = 1 + Math.floor(EVENTS * ((index * 0.618_033_988_75) % 1))
      const stateAt = Effect.provide(projector.stateAt(EnvironmentState.projection, at), runtime)
      all.push(yield* Effect.promise(() => timed(() => Effect.runPromise(stateAt))))
    }
    return all
  })
  const layer = Projector.layer.pipe(Layer.provideMerge(EventLog.layerSqlite({ filename })))
  return Effect.runPromise(Effect.provide(visiting, layer))
}

const inOwnProcess = (what, filename) =>
  JSON.parse(execFileSync(process.execPath, [PROGRAM, what, filename]).toString())

/** A pass over all events, in microseconds per event. */
const passed = (what, ours, floor, value) => ({
  what,
  unit: "µs",
  ours: (ours.ms / EVENTS) * 1000,
  floor: (floor.ms / EVENTS) * 1000,
  ratio: floor.ms / ours.ms,
  cpuRatio: floor.cpuMs / ours.cpuMs,
  bound: { at: "least", value },
  floorIs: "raw keyset pages + JSON.parse",
})

/** A figure with a limit of its own. */
const limited = (what, unit, ours, value) => ({ what, unit, ours, bound: { at: "most", value, of: "ours" } })

const memory = (what, { peakMiB }, { peakMiB: idleMiB }) => ({
  ...limited(what, "MiB", peakMiB, 150),
  floor: idleMiB,
  ratio: peakMiB / idleMiB,
  floorIs: "a process that only imports hindcast",
})

const bytesPer = (what, ours, floor, floorIs) => ({
  what,
  unit: "MiB",
  ours,
  floor,
  ratio: ours / floor,
  bound: { at: "most", value: 1.6 },
  floorIs,
})
