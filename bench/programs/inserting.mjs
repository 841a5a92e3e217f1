/**
 * `node inserting.mjs LOG FILE`: inserts a log's events into a plain table in another file, a hundred per commit.
 * Prints their number and the time of the inserts alone as JSON.
 */
import { Effect, Stream } from "effect"
import { EventLog } from "../../dist/index.js"
import { plainTable } from "../floor.mjs"
import { stopwatch } from "../measure.mjs"

const HUNDRED = 100

const [, , filename, file] = process.argv
const table = plainTable(file)
const spent = { count: 0, ms: 0, cpuMs: 0 }

const inserting = (events) => {
  const watch = stopwatch()
  table.events(events)
  const { ms, cpuMs } = watch()
  spent.count += events.length
  spent.ms += ms
  spent.cpuMs += cpuMs
}

const program = Effect.flatMap(EventLog.EventLog, (log) =>
  Stream.runForEach(Stream.grouped(log.read(), HUNDRED), (events) => Effect.sync(() => inserting([...events]))),
)
await Effect.runPromise(Effect.provide(program, EventLog.layerSqlite({ filename, readonly: true })))
table.close()
console.log(JSON.stringify(spent))
