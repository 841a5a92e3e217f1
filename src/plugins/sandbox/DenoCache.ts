import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type Cause, Effect } from "effect"
import * as Group from "../process/Group.ts"
import * as Sandbox from "../Sandbox.ts"
import type { Layer } from "./Layer.ts"
import { userOf } from "./User.ts"

/** How long Deno may take to compile a plugin, in milliseconds. */
const COMPILE_MS = 30_000

/** What Deno compiles TypeScript into, in its cache. */
const COMPILED = "gen"

/** What was compiled for which modules, in the plugin's cache directory. */
const MARK = "compiled"

/**
 * Fills a plugin's Deno cache before it is first started, and again where its entry, the runner or Deno has changed: a plugin's own
 * processes only read it, so that nothing on any disk is theirs to write. It is compiled in a directory beside, which takes the
 * old one's place when it is done. What cannot be compiled is left for the plugin's start to tell; a disk that cannot be written is
 * an error.
 */
export const fill = (
  confining: Sandbox.Confining,
  confinement: Sandbox.Confinement,
  entry: string,
): Effect.Effect<void, Cause.UnknownException> =>
  Effect.gen(function* () {
    const { denoDir, runner } = confinement
    const mark = path.join(denoDir, MARK)
    const wanted = yield* Effect.promise(() => stateOf(confining.layer, [confining.tools.deno, runner, entry]))
    const found = yield* Effect.promise(() => fs.readFile(mark, "utf8").catch(() => undefined))
    if (found === wanted) return
    yield* Effect.acquireUseRelease(
      Effect.tryPromise(() => fs.mkdtemp(path.join(denoDir, "compiling-"))),
      (beside) =>
        Effect.gen(function* () {
          if (confining.layer === "user") {
            const user = userOf(beside)
            yield* Effect.tryPromise(() => fs.chown(beside, user, user))
          }
          const compiling = { ...confinement, denoDir: beside }
          yield* compile(yield* Effect.try(() => Sandbox.cacheCommand(confining, compiling, [runner, entry])))
          yield* Effect.tryPromise(() => replace(path.join(beside, COMPILED), path.join(denoDir, COMPILED)))
          yield* Effect.tryPromise(() => fs.writeFile(mark, wanted))
        }),
      (beside) => Effect.promise(() => fs.rm(beside, { recursive: true, force: true })),
    )
  })

/** What tells files from those that they were, and who may read what was compiled. */
const stateOf = async (layer: Layer, files: ReadonlyArray<string>): Promise<string> => {
  const states = files.map(async (file) => {
    const stats = await fs.stat(file).catch(() => undefined)
    return [file, stats?.size, stats?.mtimeMs]
  })
  return JSON.stringify([layer, ...(await Promise.all(states))])
}

/** Succeeds when the process has ended, however it did. */
const compile = ({ command, args, cwd, env }: Sandbox.SandboxedCommand): Effect.Effect<void> =>
  Effect.async((resume) => {
    const child = spawn(command, args, { cwd, env, stdio: "ignore", detached: true })
    const stop = () => Group.abandon(child)
    const patience = setTimeout(stop, COMPILE_MS)
    const done = () => {
      clearTimeout(patience)
      resume(Effect.void)
    }
    child.once("error", done)
    child.once("exit", done)
    return Effect.sync(() => {
      clearTimeout(patience)
      stop()
    })
  })

/** Where nothing was compiled there is nothing to replace it by: JavaScript is run as it is. */
const replace = async (made: string, place: string): Promise<void> => {
  await fs.rm(place, { recursive: true, force: true })
  await fs.rename(made, place).catch(() => undefined)
}
