/**
 * The Deno cache of a plugin: its modules, compiled to JavaScript. They are compiled before the plugin starts, and the
 * plugin's processes only read them, so that a plugin can write nothing to any disk.
 *
 * Deno runs cached code without comparing it to the sources. Cached files from elsewhere are therefore not trusted: a
 * host process uses only what it compiled itself, while its digest is unchanged, and compiles everything else again.
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

/** Time-out of Deno's compilation of a plugin, in milliseconds. */
const COMPILE_MS = 30_000

/** The directory of compiled modules in a Deno cache. */
const COMPILED = "gen"

/**
 * Other entries of a Deno cache: module databases and downloads. Deno would read them, but this module never compiles
 * them, so they are removed.
 */
const UNUSED = /^(?:[a-z0-9_]+_cache_v\d+.*|deps|remote|npm|registries)$/

/** What this process compiled into a cache directory. */
interface Compiled {
  /** The state of the source files when they were compiled. */
  readonly modules: string
  /** The digest of the compiled files. */
  readonly digest: string
}

const compiledByDir = new Map<string, Compiled>()
const semaphores = new Map<string, Effect.Semaphore>()

/**
 * Fills a plugin's Deno cache, unless this process already did so for the same modules and the cache is unchanged. The
 * modules are compiled into a temporary directory, which then replaces the old one. A compilation error is not reported
 * here: the start of the plugin reports it. An unwritable disk is an error.
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
          // Nobody but the host may write the code that plugins run, so the compiling user does not keep the files.
          if (user !== undefined) yield* Effect.tryPromise(() => ownAll(compiledNow))
          const digest = yield* Effect.tryPromise(() => digestOf(compiledNow))
          yield* Effect.tryPromise(() => replace(compiledNow, compiledDir))
          compiledByDir.set(denoDir, { modules, digest })
        }),
      (beside) => Effect.promise(() => fs.rm(beside, { recursive: true, force: true })),
    )
  }).pipe(serialized(confinement.denoDir))

/** Runs effects one after the other for each cache directory. Such an effect must not run another one. */
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

/** A text that changes when the files change, or when the layer (and with it the reader of the cache) changes. */
const stateOf = async (layer: Layer, files: ReadonlyArray<string>): Promise<string> => {
  const states = files.map(async (file) => {
    const stats = await fs.stat(file).catch(() => undefined)
    return [file, stats?.size, stats?.mtimeMs]
  })
  return JSON.stringify([layer, ...(await Promise.all(states))])
}

/**
 * The digest of all names and contents below a directory. Entries other than files count by name and kind. A directory
 * that is itself a link is not followed.
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

/**
 * The entries below a directory, except directories, sorted by name. If the directory does not exist, there are none.
 */
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

/** Changes the owner of a directory and of everything below it to this process's user. */
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

/** If nothing was compiled, there is nothing to move: plain JavaScript runs without compilation. */
const replace = async (made: string, place: string): Promise<void> => {
  await fs.rm(place, { recursive: true, force: true })
  await fs.rename(made, place).catch((cause: unknown) => {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
  })
}
