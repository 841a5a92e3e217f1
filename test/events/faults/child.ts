import { spawn } from "node:child_process"
import { Deferred, Effect, type Scope } from "effect"
import * as builtOn from "../../built.ts"

/** How a child process ended, and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Whole lines only: what was written when the process was killed may end in half a line, which nobody acknowledges. */
  readonly lines: ReadonlyArray<string>
  readonly stderr: string
}

/** A program that runs. It is killed with the scope. */
export interface Child {
  readonly kill: Effect.Effect<void>
  /** Succeeds at its first line. Whoever waits for it races it with `ended`. */
  readonly speaks: Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
}

export interface Starting {
  /** What comes before `node` on the command line: a program that runs another one. */
  readonly under?: ReadonlyArray<string>
  /** A program that runs first in the same process, and its input. */
  readonly first?: { readonly program: string; readonly input: unknown }
}

/** A file of `programs/`. */
export const programFile = (name: string): string => builtOn.program(import.meta.url, name)

/** Starts a program of `programs/`. It reads its input as JSON from its standard input, and the one before it from FIRST. */
export const start = (
  program: string,
  input: unknown,
  { under = [], first }: Starting = {},
): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.gen(function* () {
    const [command = process.execPath, ...args] = [
      ...under,
      process.execPath,
      ...(first === undefined ? [] : ["--import", programFile(first.program)]),
      programFile(program),
    ]
    const env = { ...process.env, FIRST: JSON.stringify(first?.input) }
    const spoke = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<Ended>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL")),
    )
    child.stdin.end(JSON.stringify(input))
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      Deferred.unsafeDone(spoke, Effect.void)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.once("error", (cause) => Deferred.unsafeDone(ended, Effect.die(cause)))
    child.once("close", (code, signal) =>
      Deferred.unsafeDone(ended, Effect.succeed({ code, signal, lines: stdout.split("\n").slice(0, -1), stderr })),
    )
    return {
      kill: Effect.sync(() => child.kill("SIGKILL")),
      speaks: Deferred.await(spoke),
      ended: Deferred.await(ended),
    }
  })

/** Runs a program to its end, and reads the one line of JSON that it tells its findings in. */
export const report = (program: string, input: unknown, starting: Starting = {}): Effect.Effect<unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { code, signal, lines, stderr } = yield* Effect.flatMap(
        start(program, input, starting),
        ({ ended }) => ended,
      )
      const [line] = lines
      if (code !== 0 || line === undefined || lines.length > 1) {
        return yield* Effect.dieMessage(
          `${program} ended with ${code ?? signal}, told ${lines.length} lines:\n${stderr}`,
        )
      }
      return JSON.parse(line)
    }),
  )
