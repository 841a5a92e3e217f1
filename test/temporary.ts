import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Layer } from "effect"
import * as SqliteEventLog from "../src/events/sqlite/SqliteEventLog.ts"

/** A directory of its own that goes with the scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-")))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
)

/** A new, empty log in a file of its own. */
export const temporaryLog = (options: Omit<SqliteEventLog.SqliteOptions, "filename"> = {}) =>
  Layer.unwrapScoped(
    Effect.map(temporaryDirectory, (directory) =>
      SqliteEventLog.layer({ ...options, filename: path.join(directory, "log.db") }),
    ),
  )
