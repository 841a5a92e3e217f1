/** Opens a log for reading. Loads the SQLite modules on first use. */

import { Effect, Layer } from "effect"

export const layer = (filename: string) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../../events/sqlite/SqliteEventLog.ts")),
      (sqlite) => sqlite.layer({ filename, readonly: true }),
    ),
  )
