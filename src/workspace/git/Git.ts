/**
 * Runs Git's plumbing in a repository that may belong to a stranger. No hook, filter, converter or transport runs, the
 * caller's `GIT_*` variables have no effect, and index, HEAD and files stay unchanged.
 */

import { spawn, spawnSync } from "node:child_process"
import * as path from "node:path"
import { Data, Effect, type Scope } from "effect"
import * as GitIndex from "../../platform/git/GitIndex.ts"

export class GitFailed extends Data.TaggedError("GitFailed")<{
  readonly directory: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.directory}: expected ${this.expected}, found ${this.found}.`
  }
}

export interface Git {
  /** The repository's working directory. */
  readonly root: string
  /** The standard output. Fails if the exit code is not 0. */
  readonly run: (args: ReadonlyArray<string>, options?: RunOptions) => Effect.Effect<Buffer, GitFailed>
  /** Starts a program that takes its input piece by piece. If the scope closes earlier, the program is killed. */
  readonly feed: (args: ReadonlyArray<string>) => Effect.Effect<Feed, never, Scope.Scope>
}

export interface Feed {
  /** Succeeds once the program has taken the bytes. */
  readonly write: (bytes: string | Uint8Array) => Effect.Effect<void, GitFailed>
  /** Ends the input, and returns the standard output. Fails if the exit code is not 0. */
  readonly end: Effect.Effect<string, GitFailed>
}

export interface RunOptions {
  readonly input?: string | Uint8Array | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Of the output. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /** The caller's expectation, for its error. */
  readonly expected?: string | undefined
}

/** Opens the repository around a directory. */
export const around = (directory: string): Effect.Effect<Git, GitFailed> =>
  Effect.flatMap(
    Effect.try({
      try: () => GitIndex.repositoryAround(directory)?.root,
      catch: (cause) => failed(directory, "a directory to read", String(cause)),
    }),
    (root) => (root === undefined ? failed(directory, "a Git repository around it", "none") : Effect.succeed(at(root))),
  )

const at = (root: string): Git => ({
  root,
  run: (args, { input, env = {}, maxBytes = MAX_BYTES, expected = `\`git ${args[0]}\` to succeed` } = {}) =>
    Effect.suspend(() => {
      const done = spawnSync("git", [...SETTINGS, ...args], {
        cwd: root,
        env: { ...environment(root), ...env },
        input: input ?? "",
        maxBuffer: maxBytes,
        timeout: TIMEOUT_MS,
        killSignal: "SIGKILL",
      })
      if (done.error !== undefined) return failed(root, expected, `${done.error.message}. Is Git installed?`)
      if (done.status === 0) return Effect.succeed(done.stdout)
      return failed(root, expected, saidOf(done.stderr.toString("utf8"), done.status ?? done.signal))
    }),
  feed: (args) => feed(root, args),
})

const feed = (root: string, args: ReadonlyArray<string>): Effect.Effect<Feed, never, Scope.Scope> =>
  Effect.gen(function* () {
    const expected = `\`git ${args[0]}\` to succeed`
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn("git", [...SETTINGS, ...args], { cwd: root, env: environment(root) })),
      (child) => Effect.sync(() => child.kill("SIGKILL")),
    )
    let [output, said] = ["", ""]
    child.stdout.setEncoding("latin1").on("data", (text: string) => {
      output = (output + text).slice(0, MAX_SAID)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-MAX_SAID)
    })
    // The program may end before it has read everything: its exit says why.
    child.stdin.on("error", () => {})
    const ended = new Promise<GitFailed | undefined>((resolve) => {
      child.on("error", ({ message }) => resolve(failed(root, expected, `${message}. Is Git installed?`)))
      child.on("close", (code, signal) =>
        resolve(code === 0 ? undefined : failed(root, expected, saidOf(said, code ?? signal))),
      )
    })
    const failure = Effect.flatMap(
      Effect.promise(() => ended),
      (why) => why ?? failed(root, expected, "its end before that of its input"),
    )
    const timeout = Effect.timeoutFail({
      duration: TIMEOUT_MS,
      onTimeout: () => failed(root, expected, `nothing done within ${TIMEOUT_MS / 1000} s`),
    })
    const taken = (bytes: string | Uint8Array) =>
      Effect.async<void, GitFailed>((resume) => {
        child.stdin.write(bytes, (error) => resume(error ? failure : Effect.void))
      })
    return {
      write: (bytes) => timeout(taken(bytes)),
      end: Effect.suspend(() => {
        child.stdin.end()
        return timeout(
          Effect.flatMap(
            Effect.promise(() => ended),
            (why) => why ?? Effect.succeed(output),
          ),
        )
      }),
    }
  })

const saidOf = (stderr: string, code: number | string | null): string => {
  const said = stderr.trim().slice(-MAX_SAID).replaceAll(/\s+/g, " ")
  return said === "" ? `exit code ${code}` : said
}

/** Whether a reference names another one, to which writes would go. A repository from elsewhere may contain such. */
export const isSymbolic = (git: Git, ref: string): Effect.Effect<boolean> =>
  Effect.isSuccess(git.run(["symbolic-ref", "--quiet", ref]))

const failed = (directory: string, expected: string, found: string) => new GitFailed({ directory, expected, found })

/** A hook also runs when a reference or an index changes. */
const SETTINGS = [
  "--no-pager",
  "--no-replace-objects",
  "--literal-pathspecs",
  ...[
    ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.protectHFS=true", "core.protectNTFS=true"],
    ...["core.splitIndex=false", "core.untrackedCache=false", "index.sparse=false", "core.quotePath=false"],
  ].flatMap((setting) => ["-c", setting]),
]

/** Objects that a partial clone lacks stay missing: fetching them can run programs. */
const environment = (root: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
  GIT_ALLOW_PROTOCOL: "none",
  // A directory `.git` that is no repository would lead to one further up.
  GIT_CEILING_DIRECTORIES: path.dirname(root),
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
})

const MAX_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 120_000
const MAX_SAID = 600
