/** Fetches a plugin's files from a Git repository without running any code from it. */

import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import * as ProcessGroup from "../../platform/ProcessGroup.ts"
import * as PluginArchive from "./PluginArchive.ts"
import { LIMITS, SourceRefused } from "./SourceLimits.ts"
import { temporary } from "./TemporaryDirectory.ts"

export interface Repository {
  /** `https`, `ssh`, `file`, or an absolute local path. */
  readonly url: string
  /** A branch, a tag, a commit, or `HEAD` for the default branch. */
  readonly ref: string
  readonly directory?: string
}

export interface Fetched {
  /** The plugin's directory, removed when the scope closes. */
  readonly directory: string
  readonly commit: string
}

/** Time limit of each Git command, in milliseconds. */
const STEP_MS = 120_000

/**
 * Fetches one commit without history and unpacks its files. Git runs no hooks, filters, submodules or remote helpers,
 * gets its arguments without a shell, and never parses user input as an option. It prompts for no password: use a
 * credential helper or an SSH agent. A watcher checks the size during the fetch.
 *
 * @param source the source as the person named it, for messages
 * @param maxBytes maximum size on disk
 */
export const fetch = (
  { url, ref, directory }: Repository,
  source: string,
  maxBytes = LIMITS.repositoryBytes,
): Effect.Effect<Fetched, SourceRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const temporaryPath = yield* temporary(source)
    const repository = path.join(temporaryPath, "repository.git")
    const git = (args: ReadonlyArray<string>, isolated = false) =>
      run(["-C", repository, ...args], { source, isolated })
    yield* run(["init", "--quiet", "--bare", "--template=", "--", repository], { source, isolated: true })
    yield* git([
      ...[...SAFE_CONFIG, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, ref],
    ]).pipe(within(repository, maxBytes, source))
    const commit = (yield* git(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"], true)).toString().trim()
    const tree = directory === undefined ? commit : `${commit}:${directory}`
    // Without the user's configuration, whose filters would run on untrusted files.
    const tar = yield* git(["archive", "--format=tar", tree], true)
    return { directory: yield* PluginArchive.unpack(tar, path.join(temporaryPath, "files"), source), commit }
  })

/** Overrides the user's configuration. Git keeps the fetched objects in one pack, as received. */
const SAFE_CONFIG = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"],
  ...["-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"],
  ...["-c", "fetch.unpackLimit=1"],
]

const CHECK_INTERVAL = "200 millis"

/** Interrupts a step when a directory outgrows its limit; checks once more at the end. */
const within =
  (directory: string, bytes: number, source: string) =>
  <A>(step: Effect.Effect<A, SourceRefused>): Effect.Effect<A, SourceRefused> => {
    const check = Effect.filterOrFail(
      sizeOfDirectory(directory, source),
      (size) => size <= bytes,
      () =>
        new SourceRefused({
          source,
          issues: [
            `expected a repository that takes at most ${bytes} bytes with one commit, found more; it was stopped. ` +
              "Give the plugin a repository of its own, or import a directory or an archive of it",
          ],
        }),
    )
    const watch = Effect.forever(Effect.zipRight(Effect.sleep(CHECK_INTERVAL), check))
    return Effect.zipLeft(Effect.raceFirst(step, watch), check)
  }

const sizeOfDirectory = (directory: string, source: string): Effect.Effect<number, SourceRefused> =>
  Effect.tryPromise({
    try: async () => {
      const entries = await fs.readdir(directory, { recursive: true })
      const sizes = await Promise.all(entries.map((entry) => sizeOf(path.join(directory, entry))))
      return sizes.reduce((sum, size) => sum + size, 0)
    },
    catch: (cause) =>
      new SourceRefused({ source, issues: [`expected to read the size of the fetched files, found ${cause}`] }),
  })

/** 0 if Git has renamed or removed the file in the meantime. */
const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await fs.lstat(file)).size
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return 0
    throw cause
  }
}

/** `ext` would run a command from a URL. */
const PROTOCOLS = "https:ssh:file"

/** Only variables for reaching and trusting hosts: others could lead Git to other files or programs. */
const KEPT_VARIABLES = new Set(["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"])

interface RunOptions {
  readonly source: string
  /** Ignore system and user configuration. */
  readonly isolated: boolean
}

const environment = (isolated: boolean): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_") || KEPT_VARIABLES.has(name)),
  ),
  GIT_ALLOW_PROTOCOL: PROTOCOLS,
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_CONFIG_NOSYSTEM: isolated ? "1" : "0",
  ...(isolated ? { GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" } : {}),
  LC_ALL: "C",
})

/** Returns the standard output. A time-out or too much output kills Git and its children. */
const run = (args: ReadonlyArray<string>, { source, isolated }: RunOptions): Effect.Effect<Buffer, SourceRefused> =>
  Effect.async((resume) => {
    // Detached: a process group to kill, and no terminal to prompt at.
    const child = spawn("git", args, { env: environment(isolated), stdio: ["ignore", "pipe", "pipe"], detached: true })
    const giveUp = () => {
      clearTimeout(timer)
      ProcessGroup.killProcessGroup(child)
    }
    const refuse = (issue: string) => resume(Effect.fail(new SourceRefused({ source, issues: [issue] })))
    const fail = (issue: string) => {
      giveUp()
      refuse(issue)
    }
    const unavailable = (cause: Error) =>
      `expected Git to run, found ${cause.message}. Install git, or import a directory`
    // Without a process there may be no pipes either, for example when no file descriptors are left.
    if (child.pid === undefined) {
      child.once("error", (cause) => refuse(unavailable(cause)))
      return
    }
    const timer = setTimeout(() => fail(`expected Git to answer within ${STEP_MS} ms; it was stopped`), STEP_MS)
    const chunks: Array<Buffer> = []
    let bytes = 0
    let stderr = ""
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= LIMITS.bytes) chunks.push(chunk)
      else fail(`expected at most ${LIMITS.bytes} bytes in all, found more`)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR)
    })
    child.on("error", (cause) => fail(unavailable(cause)))
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resume(Effect.succeed(Buffer.concat(chunks)))
      else refuse(`Git failed (${signal ?? code}): ${stderr.trim().replaceAll(/\s+/g, " ") || "no message"}`)
    })
    return Effect.sync(giveUp)
  })

const MAX_STDERR = 600
