import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Chunk, Effect, Stream } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-record-")))
process.once("exit", () => fs.rmSync(base, { recursive: true, force: true }))

let files = 0

/** A file of its own, which goes with the process: test files of one process share this module. */
export const temporary = (name: string): string => path.join(base, `${++files}-${name}`)

/** The events of a log's file. */
export const eventsOf = (filename: string): Promise<ReadonlyArray<Event>> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    return Chunk.toReadonlyArray(yield* Stream.runCollect(log.read()))
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename })), Effect.runPromise)

/** The events on a timeline of a log's file, with those that it shares. */
export const timelineOf = (filename: string, timeline: string): Promise<ReadonlyArray<Event>> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    return yield* log.readPage({ timeline }, 10_000)
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename })), Effect.runPromise)
