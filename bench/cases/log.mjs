/** Appending, reading, folding and verifying, against the bare SQLite driver on the same table and on a plain one. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Layer, Stream } from "effect"
import * as LogRecord from "../../dist/events/ownership/LogRecord.js"
import { EnvironmentState, EventLog, Hindcast, Projector } from "../../dist/index.js"
import { plainTable, rawTable } from "../floor.mjs"
import { quantile, spend } from "../measure.mjs"

const EVENTS = 20_000

/** A payload of 267 bytes. */
const event = (index) => ({
  type: "SensorRead",
  payload: {
    sensor: `room/sensor-${index % 50}`,
    reading: { value: index, text: "x".repeat(150), flags: [true, false, null] },
    priority: 0,
    latencyMs: 1.25,
  },
})

const request = (events) => ({ stream: "task/bench", taskId: "bench", actor: "plugin:room@1.0.0", events })

/** Milliseconds that 64 fibers wait for their turns at one stream: with retries, and with a decider. */
const contending = Effect.gen(function* () {
  const log = yield* EventLog.EventLog
  const { decide } = EventLog.decider(log)
  const append = (version) =>
    log.append({ ...request([event(version)]), stream: "contested", expected: EventLog.Exact(version) })
  const again = (version) => Effect.catchTag(append(version), "VersionConflict", ({ actual }) => again(actual))
  const ways = {
    trying: Effect.flatMap(log.versionOf("contested"), again),
    deciding: decide("decided", (version) => Effect.succeed(request([event(version)]))),
  }
  const waits = {}
  for (const [way, one] of Object.entries(ways)) {
    waits[way] = []
    const turn = Effect.suspend(() => {
      const startedAt = performance.now()
      return Effect.map(one, () => waits[way].push(performance.now() - startedAt))
    })
    yield* Effect.all(
      Array.from({ length: 64 }, () => Effect.repeatN(turn, 19)),
      { concurrency: "unbounded", discard: true },
    )
  }
  return waits
})

/** A log's record, whose heads each commit overwrites. */
const ownRecord = (file) => {
  const head = (position) => ({ position, hash: String(position % 10).repeat(64) })
  LogRecord.create(file, head(0), { log: file, inode: "1", machine: null, foreignUpTo: 0, by: "append", at: 0 })
  const handle = LogRecord.openHeads(file)
  return {
    write: (position) => LogRecord.writeHeads(handle, head(position), head(position + 1)),
    close: () => fs.closeSync(handle),
  }
}

export const run = async (directory, rounds) => {
  const open = (name) => {
    const filename = path.join(directory, name)
    return { filename, layer: EventLog.layerSqlite({ filename }) }
  }
  const appends = open("append.db")
  const replay = open("replay.db")
  const floor = open("log-floor.db")
  const empty = Effect.void.pipe(Effect.provide(Hindcast.layerLog({ log: floor.filename })))
  await Effect.runPromise(empty)
  const raw = rawTable(floor.filename)
  const plain = plainTable(path.join(directory, "log-plain.db"))
  const payload = JSON.stringify(event(0).payload)
  const record = ownRecord(path.join(directory, "0".repeat(32)))
  const hundred = Array.from({ length: 100 }, () => payload)

  const appending = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    let index = 0
    const one = Effect.suspend(() => log.append(request([event(index++)])))
    const batch = Effect.suspend(() => log.append(request(Array.from({ length: 100 }, () => event(index++)))))
    const fibers = (count, total) =>
      Effect.all(
        Array.from({ length: count }, () => Effect.repeatN(one, total / count - 1)),
        { concurrency: "unbounded", discard: true },
      )
    return yield* Effect.promise(() =>
      spend(
        {
          one: () => Effect.runPromise(Effect.repeatN(one, 1999)),
          rawOne: () => {
            for (let n = 0; n < 2000; n++) raw.one(payload)
          },
          rawInTransaction: () => {
            for (let n = 0; n < 2000; n++) raw.many([payload])
          },
          recorded: () => {
            for (let n = 0; n < 2000; n++) record.write(n)
          },
          plainOne: () => {
            for (let n = 0; n < 2000; n++) plain.one(request([event(index++)]))
          },
          batches: () => Effect.runPromise(Effect.repeatN(batch, 99)),
          fibers64: () => Effect.runPromise(fibers(64, 9600)),
          fibers1000: () => Effect.runPromise(fibers(1000, 10_000)),
          rawHundred: () => {
            for (let n = 0; n < 100; n++) raw.many(hundred)
          },
          plainHundred: () => {
            for (let n = 0; n < 100; n++) plain.many(request(Array.from({ length: 100 }, () => event(index++))))
          },
        },
        rounds,
      ),
    )
  })
  const a = await Effect.runPromise(Effect.provide(appending, appends.layer))
  const contended = await Effect.runPromise(Effect.provide(contending, open("contended.db").layer))
  const per = (ms, count) => (ms / count) * 1000
  raw.close()
  plain.close()
  record.close()

  await Effect.runPromise(
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      for (let start = 0; start < EVENTS; start += 1000) {
        yield* log.append(request(Array.from({ length: 1000 }, (_, index) => event(start + index))))
      }
    }).pipe(Effect.provide(replay.layer)),
  )
  const rawReplay = rawTable(replay.filename)
  const reading = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const fold = Effect.flatMap(Projector.Projector, (projector) =>
      projector.stateAt(EnvironmentState.projection, EVENTS),
    ).pipe(Effect.provide(Layer.fresh(Projector.layer)), Effect.provideService(EventLog.EventLog, log))
    return yield* Effect.promise(() =>
      spend(
        {
          raw: () => rawReplay.readAll(),
          read: () => Effect.runPromise(Stream.runDrain(log.read())),
          fold: () => Effect.runPromise(fold),
          verify: () => Effect.runPromise(log.verifyWith({ quick: true })),
          verifyAll: () => Effect.runPromise(log.verify),
        },
        rounds,
      ),
    )
  })
  const r = await Effect.runPromise(Effect.provide(reading, replay.layer))
  rawReplay.close()

  const rate = (what, ours, floor, oursCount, floorCount, value, floorIs, of) => ({
    what,
    unit: "µs",
    ours: per(ours.ms, oursCount),
    floor: per(floor.ms, floorCount),
    ratio: per(floor.ms, floorCount) / per(ours.ms, oursCount),
    cpuRatio: per(floor.cpuMs, floorCount) / per(ours.cpuMs, oursCount),
    bound: { at: "least", value, of },
    floorIs,
  })
  const pass = (what, ours, value) => rate(what, ours, r.raw, EVENTS, EVENTS, value, "raw keyset pages + JSON.parse")
  const fairness = (what, waits) => ({
    what,
    unit: "ms",
    ours: quantile(waits, 0.99),
    floor: quantile(waits, 0.5),
    ratio: quantile(waits, 0.99) / quantile(waits, 0.5),
    bound: { at: "most", value: 10 },
    floorIs: "the median wait of the same fibers",
  })
  const [hundredFloor, plainHundred] = ["raw, 100 per transaction", "a plain table, 100 per transaction"]
  return [
    rate("append, one event awaited at a time", a.one, a.rawOne, 2000, 2000, 0.4, "raw, one per transaction"),
    rate("append, batches of 100", a.batches, a.rawHundred, 10_000, 10_000, 0.6, hundredFloor),
    rate("append, 64 fibers awaiting single events", a.fibers64, a.rawHundred, 9600, 10_000, 0.4, hundredFloor),
    rate("append, 1,000 fibers awaiting single events", a.fibers1000, a.rawHundred, 10_000, 10_000, 0.4, hundredFloor),
    rate(
      "append, one at a time, against plain",
      a.one,
      a.plainOne,
      2000,
      2000,
      0.45,
      "a plain table, one per transaction",
      "cpu",
    ),
    rate("append, batches of 100, against plain", a.batches, a.plainHundred, 10_000, 10_000, 0.5, plainHundred),
    rate("append, 64 fibers, against plain", a.fibers64, a.plainHundred, 9600, 10_000, 0.5, plainHundred, "cpu"),
    {
      what: "append, one at a time: what its record in the user's store adds",
      unit: "µs",
      ours: per(a.recorded.ms + a.rawInTransaction.ms - a.rawOne.ms, 2000),
      floor: per(a.one.ms, 2000),
      ratio: (a.recorded.ms + a.rawInTransaction.ms - a.rawOne.ms) / a.one.ms,
      cpuRatio: (a.recorded.cpuMs + a.rawInTransaction.cpuMs - a.rawOne.cpuMs) / a.one.cpuMs,
      bound: { at: "most", value: 0.15 },
      floorIs: "the append with its record",
    },
    fairness("p99 wait, 64 fibers contending by Exact", contended.trying),
    fairness("p99 wait, 64 fibers contending, by a decider", contended.deciding),
    pass("read all and parse", r.read, 0.85),
    pass("replay: page, parse, fold EnvironmentState", r.fold, 0.6),
    pass("verify the chain", r.verify, 0.5),
    pass("verify everything", r.verifyAll, 0.2),
  ]
}
