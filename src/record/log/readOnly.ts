/** A log that is read: what reads files of SQLite is loaded with the first one. */

import { Effect, Layer } from "effect"

/** The layer of a log that exists. */
export const layer = (filename: string) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../../events/sqlite/SqliteEventLog.ts")),
      (sqlite) => sqlite.layer({ filename, readonly: true }),
    ),
  )
