import { Effect } from "effect"
import { EventLog } from "../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../src/events/sqlite/SqliteEventLog.ts"

/** Trusts a log as it is: a copy is another log than the one that was written here. */
export const trusted = (filename: string) =>
  Effect.gen(function* () {
    const { head, ownership } = yield* EventLog
    yield* ownership?.trust(yield* head, "option") ?? Effect.void
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename, readonly: true })))
