/**
 * Runs Git's plumbing in a repository that may be anyone's. No hook, filter, converter or transport runs, the caller's
 * `GIT_*` variables do not count, and the index, HEAD and the files stay as they are.
 */

import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { Data, Effect } from "effect"
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
  /** The repository's directory of files. */
  readonly root: string
  /** The standard output. Fails if the exit code is not 0. */
  readonly run: (args: ReadonlyArray<string>, options?: RunOptions) => Effect.Effect<Buffer, GitFailed>
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
        // A directory `.git` that is no repository would lead to one further up.
        env: { ...environment(), GIT_CEILING_DIRECTORIES: path.dirname(root), ...env },
        input: input ?? "",
        maxBuffer: maxBytes,
        timeout: TIMEOUT_MS,
        killSignal: "SIGKILL",
      })
      if (done.error !== undefined) return failed(root, expected, `${done.error.message}. Is Git installed?`)
      if (done.status === 0) return Effect.succeed(done.stdout)
      const said = done.stderr.toString("utf8").trim().slice(-MAX_SAID).replaceAll(/\s+/g, " ")
      return failed(root, expected, said === "" ? `exit code ${done.status ?? done.signal}` : said)
    }),
})

/** Whether a reference names another one, to which writes would go: a repository from elsewhere may have such. */
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

/** Objects that a partial clone lacks are missing: fetching them can run programs. */
const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
})

const MAX_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 120_000
const MAX_SAID = 600
