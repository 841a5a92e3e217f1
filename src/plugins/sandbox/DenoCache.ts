/**
 * What Deno compiles of a plugin, in the plugin's cache directory. It is compiled before the plugin is started, and the plugin's own
 * processes only read it, so that nothing on any disk is theirs to write.
 *
 * Deno runs what it finds there without comparing it with the sources. So nothing that was found is trusted: a process uses what it
 * compiled itself, as long as that is as it left it, and compiles everything else anew.
 */
import { spawn } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type Cause, Effect } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as ProcessGroup from "../../platform/ProcessGroup.ts"
import type { Layer } from "./layers/Layer.ts"
import { userOf } from "./layers/User.ts"
import * as Sandbox from "./Sandbox.ts"

/** How long Deno may take to compile a plugin, in milliseconds. */
const COMPILE_MS = 30_000

/** What Deno compiles TypeScript into, in its cache. */
const COMPILED = "gen"

/** What Deno keeps beside: it would read them, and they are never compiled here. The databases of modules, and what was downloaded. */
const UNUSED = /^(?:[a-z0-9_]+_cache_v\d+.*|deps|remote|npm|registries)$/

/** What this process compiled into a cache directory. */
interface Compiled {
  /** The state of what it was compiled from. */
  readonly modules: string
  /** The digest of all that was compiled. */
  readonly digest: string
}

const known = new Map<string, Compiled>()
const turns = new Map<string, Effect.Semaphore>()

/**
 * Fills a plugin's Deno cache, unless this process did it before for the same modules, and nothing in it has changed since. It is
 * compiled in a directory beside, which takes the old one's place when it is done. What cannot be compiled is left for the plugin's
 * start to tell; a disk that cannot be written is an error.
 */
export const fill = (
  confining: Sandbox.Confining,
  confinement: Sandbox.Confinement,
  entry: string,
): Effect.Effect<void, Cause.UnknownException> =>
  Effect.gen(function* () {
    const { denoDir, runner } = confinement
    const place = path.join(denoDir, COMPILED)
    yield* Effect.tryPromise(() => removeUnused(denoDir))
    const modules = yield* Effect.promise(() => stateOf(confining.layer, [confining.tools.deno, runner, entry]))
    const compiled = known.get(denoDir)
    if (compiled?.modules === modules && compiled.digest === (yield* Effect.tryPromise(() => digestOf(place)))) return
    known.delete(denoDir)
    yield* Effect.acquireUseRelease(
      Effect.tryPromise(async () => {
        const beside = AtomicFile.nameFor(place)
        await fs.mkdir(beside, { mode: 0o700 })
        return beside
      }),
      (beside) =>
        Effect.gen(function* () {
          const user = confining.layer === "user" ? userOf(beside) : undefined
          if (user !== undefined) yield* Effect.tryPromise(() => fs.chown(beside, user, user))
          const compiling = { ...confinement, denoDir: beside }
          yield* compile(yield* Effect.try(() => Sandbox.cacheCommand(confining, compiling, [runner, entry])))
          const made = path.join(beside, COMPILED)
          // Of the one who compiled it: nobody but the host may write what plugins run.
          if (user !== undefined) yield* Effect.tryPromise(() => ownAll(made))
          const digest = yield* Effect.tryPromise(() => digestOf(made))
          yield* Effect.tryPromise(() => replace(made, place))
          known.set(denoDir, { modules, digest })
        }),
      (beside) => Effect.promise(() => fs.rm(beside, { recursive: true, force: true })),
    )
  }).pipe(inTurn(confinement.denoDir))

/** One after the other, for each cache directory. Not to be used inside itself. */
export const inTurn =
  (denoDir: string) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const turn = turns.get(denoDir) ?? Effect.unsafeMakeSemaphore(1)
      turns.set(denoDir, turn)
      return turn.withPermits(1)(effect)
    })

const removeUnused = async (denoDir: string): Promise<void> => {
  for (const name of await fs.readdir(denoDir)) {
    if (UNUSED.test(name)) await fs.rm(path.join(denoDir, name), { recursive: true, force: true })
  }
}

/** What tells files from those that they were, and who may read what was compiled. */
const stateOf = async (layer: Layer, files: ReadonlyArray<string>): Promise<string> => {
  const states = files.map(async (file) => {
    const stats = await fs.stat(file).catch(() => undefined)
    return [file, stats?.size, stats?.mtimeMs]
  })
  return JSON.stringify([layer, ...(await Promise.all(states))])
}

/** The digest of all names and contents below a directory; what is no file counts by its name and kind, and a link leads nowhere. */
const digestOf = async (directory: string): Promise<string> => {
  const hash = crypto.createHash("sha256")
  if ((await fs.lstat(directory).catch(() => undefined))?.isSymbolicLink() === true) return "a link"
  for (const { name, place, isFile } of await entriesOf(directory)) {
    const content = isFile ? await fs.readFile(place) : Buffer.alloc(0)
    hash.update(`${JSON.stringify([name, isFile, content.length])}\n`).update(content)
  }
  return hash.digest("hex")
}

/** What is below a directory, but for directories, in the order of names. Where nothing was compiled there is none. */
const entriesOf = async (directory: string) => {
  const entries = await fs.readdir(directory, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return []
    throw cause
  })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const place = path.join(entry.parentPath, entry.name)
      return { name: path.relative(directory, place), place, isFile: entry.isFile() }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Makes all below a directory, and itself, this process's own. */
const ownAll = async (directory: string): Promise<void> => {
  const [user, group] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const below = await fs.readdir(directory, { recursive: true }).catch(() => undefined)
  if (below === undefined) return
  for (const name of ["", ...below]) await fs.lchown(path.join(directory, name), user, group)
}

/** Succeeds when the process has ended, however it did. */
const compile = ({ command, args, cwd, env }: Sandbox.SandboxedCommand): Effect.Effect<void> =>
  Effect.async((resume) => {
    const child = spawn(command, args, { cwd, env, stdio: "ignore", detached: true })
    const stop = () => ProcessGroup.killProcessGroup(child)
    const limit = setTimeout(stop, COMPILE_MS)
    const done = () => {
      clearTimeout(limit)
      resume(Effect.void)
    }
    child.once("error", done)
    child.once("exit", done)
    return Effect.sync(() => {
      clearTimeout(limit)
      stop()
    })
  })

/** Where nothing was compiled there is nothing to replace it by: JavaScript is run as it is. */
const replace = async (made: string, place: string): Promise<void> => {
  await fs.rm(place, { recursive: true, force: true })
  await fs.rename(made, place).catch((cause: unknown) => {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
  })
}
