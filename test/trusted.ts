import { Effect } from "effect"
import { EventLog } from "../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../src/events/sqlite/SqliteEventLog.ts"
import * as Trust from "../src/kernel/trust/Trust.ts"

/** Trusts a log as it is: a copy is another log than the one that was written here. */
export const trusted = (filename: string) =>
  Effect.gen(function* () {
    yield* Trust.trust(yield* (yield* EventLog).head, "option")
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename, readonly: true })))
