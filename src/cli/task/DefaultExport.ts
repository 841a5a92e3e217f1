/** Loads the default export of a JavaScript module that an option names. */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"

/** Why a module gives no export. */
export interface Unloaded {
  /** What stands there instead, for a message. */
  readonly found: string
  /** Whether nothing stands there. */
  readonly missing: boolean
}

/** Runs the module in this process, with all of its permissions. Undefined for one without a default export. */
export const load = (file: string): Effect.Effect<unknown, Unloaded> =>
  Effect.gen(function* () {
    const absolute = path.resolve(file)
    const found = fs.statSync(absolute, { throwIfNoEntry: false })
    if (found?.isFile() !== true) {
      const isDirectory = found?.isDirectory() === true
      return yield* Effect.fail({ found: isDirectory ? "a directory" : "no such file", missing: found === undefined })
    }
    const module = yield* Effect.tryPromise({
      try: (): Promise<{ readonly default?: unknown }> => import(pathToFileURL(absolute).href),
      catch: (cause) => ({
        found: `one that fails to load (${cause instanceof Error ? cause.message : cause})`,
        missing: false,
      }),
    })
    return module.default
  })
