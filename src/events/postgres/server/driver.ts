/** Loads `pg` (node-postgres), an optional package, when a log on PostgreSQL is first opened. */

import { Effect } from "effect"
import type pg from "pg"
import { LogUnavailable } from "../../log/EventLog.ts"

export type Driver = typeof pg

/** Fails with the command that installs the package. */
export const load = (log: string): Effect.Effect<Driver, LogUnavailable> =>
  Effect.tryPromise({
    try: async () => (await import("pg")).default,
    catch: (cause) =>
      new LogUnavailable({
        log,
        reason: isNotInstalled(cause)
          ? "logs on PostgreSQL need the package pg, which is not installed here. Run `npm install pg`, next to hindcast (with `-g` if hindcast is installed globally)"
          : `the package pg cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

const isNotInstalled = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
