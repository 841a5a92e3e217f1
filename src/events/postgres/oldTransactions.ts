/** Finds transactions that have been open for long: while they are, the server cannot clean up rows that changed since. */

import { Effect, Either } from "effect"
import { type LogError, LogUnavailable } from "../log/EventLog.ts"
import * as ServerUrl from "../log/ServerUrl.ts"
import * as Address from "./server/address.ts"
import { attemptRead, make } from "./server/connection.ts"
import * as Driver from "./server/driver.ts"

/** A session with such a transaction. */
export interface OldTransaction {
  readonly pid: number
  readonly user: string
  /** As the program calls itself; may be empty. */
  readonly program: string
  /** `idle in transaction`: its program forgot it. */
  readonly state: string
  readonly ageMs: number
}

/** From this age on, a transaction is worth a warning. In milliseconds. */
const OLD_MS = 10 * 60 * 1000

/**
 * The open transactions in the log's database that are older, the oldest first. Those of other users are visible to
 * superusers and to members of `pg_read_all_stats` only.
 */
export const find = (
  url: string,
  olderThanMs: number = OLD_MS,
): Effect.Effect<ReadonlyArray<OldTransaction>, LogError> =>
  Effect.gen(function* () {
    const parsed = Address.parse(url)
    if (Either.isLeft(parsed)) return yield* new LogUnavailable({ log: ServerUrl.shown(url), reason: parsed.left })
    const database = yield* make(parsed.right, yield* Driver.load(parsed.right.name))
    const rows = yield* attemptRead(parsed.right, () => database.query(FIND, [olderThanMs]))
    return rows.map(([pid, user, program, state, ageMs]) => ({
      pid: Number(pid),
      user: String(user ?? ""),
      program: String(program ?? ""),
      state: String(state ?? ""),
      ageMs: Number(ageMs),
    }))
  }).pipe(Effect.scoped)

const FIND = `SELECT pid, usename::text, application_name, state, floor(extract(epoch FROM clock_timestamp() - xact_start) * 1000)::bigint
  FROM pg_catalog.pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < clock_timestamp() - $1::bigint * interval '1 millisecond'
  ORDER BY xact_start`
