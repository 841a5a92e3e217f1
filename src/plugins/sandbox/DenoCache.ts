/**
 * A plugin's Deno cache: its modules, compiled before the plugin starts. The plugin's processes only read them, so a
 * plugin writes nothing to any disk.
 *
 * Deno runs cached code without comparing it to the sources. A host process therefore uses only what it compiled
 * itself, while its digest is unchanged, and compiles everything else again.
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

/** Time-out of compiling a plugin, in milliseconds. */
const COMPILE_MS = 30_000

/** The compiled modules' directory in a Deno cache. */
const COMPILED = "gen"

/**
 * Other entries of a Deno cache: module databases and downloads. Deno would read them, but this module never makes
 * them, so it removes them.
 */
const UNUSED = /^(?:[a-z0-9_]+_cache_v\d+.*|deps|remote|npm|registries)$/

/** This process's compilation of a cache. */
interface Compiled {
  /** The sources' state at compilation. */
  readonly modules: string
  /** Of the compiled files. */
  readonly digest: string
}

const compiledByDir = new Map<string, Compiled>()
const semaphores = new Map<string, Effect.Semaphore>()

/**
 * Fills a plugin's Deno cache, unless this process has done so for the same modules and the cache is unchanged. It
 * compiles into a temporary directory, which then replaces the old one. A compilation error surfaces at the plugin's
 * start; an unwritable disk fails.
 */
export const fill = (
  confining: Sandbox.AvailableLayer,
  confinement: Sandbox.Confinement,
  entry: string,
): Effect.Effect<void, Cause.UnknownException> =>
  Effect.gen(function* () {
    const { denoDir, runner } = confinement
    const compiledDir = path.join(denoDir, COMPILED)
    yield* Effect.tryPromise(() => removeUnused(denoDir))
    const modules = yield* Effect.promise(() => stateOf(confining.layer, [confining.tools.deno, runner, entry]))
    const compiled = compiledByDir.get(denoDir)
    if (compiled?.modules === modules && compiled.digest === (yield* Effect.tryPromise(() => digestOf(compiledDir))))
      return
    compiledByDir.delete(denoDir)
    yield* Effect.acquireUseRelease(
      Effect.tryPromise(async () => {
        const temporary = AtomicFile.nameFor(compiledDir)
        await fs.mkdir(temporary, { mode: 0o700 })
        return temporary
      }),
      (temporary) =>
        Effect.gen(function* () {
          const user = confining.layer === "user" ? userOf(temporary) : undefined
          if (user !== undefined) yield* Effect.tryPromise(() => fs.chown(temporary, user, user))
          const compiling = { ...confinement, denoDir: temporary }
          yield* compile(yield* Effect.try(() => Sandbox.cacheCommand(confining, compiling, [runner, entry])))
          const compiledNow = path.join(temporary, COMPILED)
          // Only the host may write code that plugins run, so the compiling user loses the files.
          if (user !== undefined) yield* Effect.tryPromise(() => ownAll(compiledNow))
          const digest = yield* Effect.tryPromise(() => digestOf(compiledNow))
          yield* Effect.tryPromise(() => replace(compiledNow, compiledDir))
          compiledByDir.set(denoDir, { modules, digest })
        }),
      (beside) => Effect.promise(() => fs.rm(beside, { recursive: true, force: true })),
    )
  }).pipe(serialized(confinement.denoDir))

/** Runs effects one at a time per cache directory. They must not nest. */
export const serialized =
  (denoDir: string) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const semaphore = semaphores.get(denoDir) ?? Effect.unsafeMakeSemaphore(1)
      semaphores.set(denoDir, semaphore)
      return semaphore.withPermits(1)(effect)
    })

const removeUnused = async (denoDir: string): Promise<void> => {
  for (const name of await fs.readdir(denoDir)) {
    if (UNUSED.test(name)) await fs.rm(path.join(denoDir, name), { recursive: true, force: true })
  }
}

/** Changes when the files change, or the layer and with it the reader of the cache. */
const stateOf = async (layer: Layer, files: ReadonlyArray<string>): Promise<string> => {
  const states = files.map(async (file) => {
    const stats = await fs.stat(file).catch(() => undefined)
    return [file, stats?.size, stats?.mtimeMs]
  })
  return JSON.stringify([layer, ...(await Promise.all(states))])
}

/**
 * Digest of all names and contents below a directory. Other entries than files count by name and kind. A linked
 * directory is not followed.
 */
const digestOf = async (directory: string): Promise<string> => {
  const hash = crypto.createHash("sha256")
  if ((await fs.lstat(directory).catch(() => undefined))?.isSymbolicLink() === true) return "a link"
  for (const { name, place, isFile } of await entriesOf(directory)) {
    const content = isFile ? await fs.readFile(place) : Buffer.alloc(0)
    hash.update(`${JSON.stringify([name, isFile, content.length])}\n`).update(content)
  }
  return hash.digest("hex")
}

/** The entries below a directory without directories, sorted by name; none if the directory is missing. */
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

/** Gives a directory and everything below it to this process's user. */
const ownAll = async (directory: string): Promise<void> => {
  const [user, group] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const below = await fs.readdir(directory, { recursive: true }).catch(() => undefined)
  if (below === undefined) return
  for (const name of ["", ...below]) await fs.lchown(path.join(directory, name), user, group)
}

/** Completes when the compiler has ended, with or without success. */
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

/** Plain JavaScript runs without compilation, so there may be nothing to move. */
const replace = async (made: string, place: string): Promise<void> => {
  await fs.rm(place, { recursive: true, force: true })
  await fs.rename(made, place).catch((cause: unknown) => {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
  })
}
