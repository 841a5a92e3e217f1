/** Reads a log by SQL, for a program's own queries. */

import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, type Scope } from "effect"
import type { OpenError } from "../log/EventLog.ts"
import { statementError } from "./file/database.ts"
import * as openDatabase from "./file/openDatabase.ts"

/**
 * Opens a client of `@effect/sql` that reads a log's file, on its own connection, until the scope closes. SQLite
 * refuses every write to the log. (`VACUUM INTO` writes another file: run no SQL of strangers.) It works next to a
 * running kernel; a transaction sees the log as of one moment.
 *
 * The view `event_log` has a row for each event that is not archived: `position`, `id` (hex without dashes),
 * `timeline`, `stream`, `version`, `type`, `schema_version`, `task`, `causation` (empty if there is none), `actor`,
 * `occurred_at` and `recorded_at` (milliseconds since 1970), `payload` (JSON as written: not upcast, and with personal
 * fields encrypted even if the keys are here), `key_id` and `hash`. Other tables may change with any version.
 *
 * The first call loads `@effect/sql`.
 *
 * @param filename an existing log's file
 */
export const sql = (filename: string): Effect.Effect<SqlClient, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* openDatabase.check(filename)
    const { open } = yield* Effect.promise(() => import("./file/client.ts"))
    return yield* open(filename).pipe(
      Effect.catchTag("SqlError", ({ cause }) => Effect.fail(statementError(filename, cause))),
      Effect.catchAllDefect((cause) => Effect.fail(statementError(filename, cause))),
    )
  }).pipe(openDatabase.mapDiskFull(filename))
