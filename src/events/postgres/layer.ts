/** The log on a PostgreSQL server as a layer that loads its modules when it is built: programs with a file never do. */

import { Effect, Layer } from "effect"
import type { PostgresOptions } from "./options.ts"

export { PostgresOptions } from "./options.ts"

/**
 * Opens a log on a PostgreSQL server (14 or later), over a few connections of its own. Provides what `layerSqlite`
 * provides; events, positions and hashes are the same. Needs the package `pg`.
 */
export const layer = (options: PostgresOptions) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("./PostgresEventLog.ts")),
      (postgres) => postgres.layer(options),
    ),
  )
