/** Loads `pg` (node-postgres), an optional package, when a log on PostgreSQL is first opened. */

import { Effect } from "effect"
import type pg from "pg"
import * as OptionalPackage from "../../../platform/packages/OptionalPackage.ts"
import { LogUnavailable } from "../../log/EventLog.ts"

export type Driver = typeof pg

/** Its suitable version. */
const MAJOR = "8"

/** Fails with the command that installs the package. Bundlers do not see it, as it asks for a native part of its own. */
export const load = (log: string): Effect.Effect<Driver, LogUnavailable> =>
  OptionalPackage.load("pg", MAJOR).pipe(
    Effect.map(({ exports }) => exports.get("default") as Driver),
    Effect.mapError(
      ({ found }) =>
        new LogUnavailable({
          log,
          reason:
            found === undefined
              ? "logs on PostgreSQL need the package pg, which is not installed here. Run `npm install pg`, next to hindcast (with `-g` if hindcast is installed globally)"
              : `logs on PostgreSQL need pg ${MAJOR}, found ${found}. Run \`npm install pg@${MAJOR}\``,
        }),
    ),
  )
