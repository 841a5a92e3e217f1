/** Temporary directories of imports. */

import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import { SourceRefused } from "./SourceLimits.ts"

/**
 * A new temporary directory, removed when the scope closes.
 *
 * @param source the source of the import, for messages
 */
export const temporary = (source: string): Effect.Effect<string, SourceRefused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), "hindcast-import-"))),
      catch: (cause) =>
        new SourceRefused({
          source,
          issues: [
            `expected room for temporary files, found ${cause instanceof Error ? cause.message : String(cause)}`,
          ],
        }),
    }),
    // If the removal fails, the operating system cleans up.
    (directory) => Effect.ignore(Effect.tryPromise(() => fs.rm(directory, { recursive: true, force: true }))),
  )
