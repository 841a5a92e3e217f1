import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import * as ProcessGroup from "../../platform/ProcessGroup.ts"
import * as PluginArchive from "./PluginArchive.ts"
import { LIMITS, SourceRefused } from "./SourceLimits.ts"
import { temporary } from "./TemporaryDirectory.ts"

/** A place in a Git repository. */
export interface Repository {
  /** As Git takes it: `https`, `ssh` or `file`, or the absolute path of a repository on this machine. */
  readonly url: string
  /** A branch, a tag or a commit; `HEAD` is what the repository offers first. */
  readonly ref: string
  /** The plugin's directory in the repository. */
  readonly directory?: string
}

/** What a repository held. */
export interface Fetched {
  /** The plugin's directory, in a place that goes with the scope. */
  readonly directory: string
  /** The commit that the ref was. */
  readonly commit: string
}

/** How long Git may take for one step. */
const STEP_MS = 120_000

/**
 * Fetches one commit of a repository, without its history, and unpacks its files. Nothing of the repository is run: no
 * hooks, no filters, no submodules, and no helper programs that a URL names; arguments go to Git as they are, without a
 * shell, and nothing that a person typed is taken for an option. Git asks nobody for a password: whoever needs one has
 * a credential helper or an SSH agent. Nobody says beforehand how much will come: what has come is looked at meanwhile.
 *
 * @param source how the person named it, for messages
 * @param maxBytes how much of the disk the fetched repository may take
 */
export const fetch = (
  { url, ref, directory }: Repository,
  source: string,
  maxBytes = LIMITS.repositoryBytes,
): Effect.Effect<Fetched, SourceRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* temporary(source)
    const repository = path.join(place, "repository.git")
    const git = (args: ReadonlyArray<string>, isolated = false) =>
      run(["-C", repository, ...args], { source, isolated })
    yield* run(["init", "--quiet", "--bare", "--template=", "--", repository], { source, isolated: true })
    yield* git([
      ...[...HARMLESS, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, ref],
    ]).pipe(within(repository, maxBytes, source))
    const commit = (yield* git(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"], true)).toString().trim()
    const tree = directory === undefined ? commit : `${commit}:${directory}`
    // Without the person's configuration: filters that it names would otherwise run on a stranger's files.
    const tar = yield* git(["archive", "--format=tar", tree], true)
    return { directory: yield* PluginArchive.unpack(tar, path.join(place, "files"), source), commit }
  })

/** What the person's own configuration might say otherwise. What is fetched is kept as it comes, in one file. */
const HARMLESS = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"],
  ...["-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"],
  ...["-c", "fetch.unpackLimit=1"],
]

/** How often it is looked at how much a directory takes. */
const LOOK_EVERY = "200 millis"

/** Stops a step as soon as it is seen that a directory takes more than so many bytes; looks once more at its end. */
const within =
  (directory: string, bytes: number, source: string) =>
  <A>(step: Effect.Effect<A, SourceRefused>): Effect.Effect<A, SourceRefused> => {
    const look = Effect.filterOrFail(
      takenBy(directory, source),
      (taken) => taken <= bytes,
      () =>
        new SourceRefused({
          source,
          issues: [
            `expected a repository that takes at most ${bytes} bytes with one commit, found more; it was stopped. ` +
              "Give the plugin a repository of its own, or import a directory or an archive of it",
          ],
        }),
    )
    const watch = Effect.forever(Effect.zipRight(Effect.sleep(LOOK_EVERY), look))
    return Effect.zipLeft(Effect.raceFirst(step, watch), look)
  }

/** The bytes of all files in a directory. */
const takenBy = (directory: string, source: string): Effect.Effect<number, SourceRefused> =>
  Effect.tryPromise({
    try: async () => {
      const entries = await fs.readdir(directory, { recursive: true })
      const sizes = await Promise.all(entries.map((entry) => sizeOf(path.join(directory, entry))))
      return sizes.reduce((sum, size) => sum + size, 0)
    },
    catch: (cause) => new SourceRefused({ source, issues: [`expected to see how much was fetched, found ${cause}`] }),
  })

/** Git renames and removes files of its own meanwhile. */
const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await fs.lstat(file)).size
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return 0
    throw cause
  }
}

/** Ways to reach a repository. `ext` would run any command that a URL names. */
const PROTOCOLS = "https:ssh:file"

/** Variables that say how to reach and trust a host; all others of Git's could lead it to other files or programs. */
const KEPT = new Set(["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"])

interface Running {
  readonly source: string
  /** Without anyone's configuration: for steps that need no credentials. */
  readonly isolated: boolean
}

const environment = (isolated: boolean): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_") || KEPT.has(name))),
  GIT_ALLOW_PROTOCOL: PROTOCOLS,
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_CONFIG_NOSYSTEM: isolated ? "1" : "0",
  ...(isolated ? { GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" } : {}),
  LC_ALL: "C",
})

/** Runs Git to its end; answers its standard output. Too slow or too much kills it and all that it started. */
const run = (args: ReadonlyArray<string>, { source, isolated }: Running): Effect.Effect<Buffer, SourceRefused> =>
  Effect.async((resume) => {
    // A group and a session of its own: it can be killed whole, and has no terminal to ask for a password at.
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
    // Without a process there may be no pipes either: where no more files can be opened, say.
    if (child.pid === undefined) {
      child.once("error", (cause) => refuse(unavailable(cause)))
      return
    }
    const timer = setTimeout(() => fail(`expected Git to answer within ${STEP_MS} ms; it was stopped`), STEP_MS)
    const chunks: Array<Buffer> = []
    let bytes = 0
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= LIMITS.bytes) chunks.push(chunk)
      else fail(`expected at most ${LIMITS.bytes} bytes in all, found more`)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-SAID)
    })
    child.on("error", (cause) => fail(unavailable(cause)))
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resume(Effect.succeed(Buffer.concat(chunks)))
      else refuse(`Git failed (${signal ?? code}): ${said.trim().replaceAll(/\s+/g, " ") || "it did not say why"}`)
    })
    return Effect.sync(giveUp)
  })

/** Characters of Git's own words that a message quotes. */
const SAID = 600
