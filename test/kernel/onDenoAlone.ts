import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"

/** Takes from this process, until the scope closes, the programs by which plugins are confined besides Deno's permissions. */
export const onDenoAlone = Effect.acquireRelease(
  Effect.sync(() => {
    const before = process.env.PATH
    process.env.PATH = WITHOUT_PROGRAMS
    return before
  }),
  (before) =>
    Effect.sync(() => {
      if (before === undefined) delete process.env.PATH
      else process.env.PATH = before
    }),
)

/** A `PATH` on which nothing is found. */
export const WITHOUT_PROGRAMS = path.join(os.tmpdir(), "no-such-directory")
