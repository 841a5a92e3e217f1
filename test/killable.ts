/** Processes that a test starts, stops or kills at a moment: how they are started, and how they ended. */
import { spawn } from "node:child_process"
import { Deferred, Effect, FiberId, type Scope, Stream } from "effect"
import { EventLog } from "../src/events/log/EventLog.ts"

/** How a process ended, and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Whole lines only: a process that is killed may leave half a line, which nobody acknowledges. */
  readonly lines: ReadonlyArray<string>
  readonly stdout: string
  readonly stderr: string
}

/** A process that runs. It is killed with the scope. */
export interface Killable {
  readonly pid: number
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  readonly kill: Effect.Effect<void>
  /** Succeeds at its first line. Whoever waits for it races it with `ended`. */
  readonly speaks: Effect.Effect<void>
  /** Succeeds once it has written so many lines. */
  readonly says: (lines: number) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
}

export interface Starting {
  /** What comes before `node` on the command line: a program that runs another one. */
  readonly under?: ReadonlyArray<string>
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Its standard input. Without it, it has none. */
  readonly input?: string
}

/** Starts a program of Node's with its arguments. */
export const start = (
  args: ReadonlyArray<string>,
  { under = [], env = process.env, cwd, input }: Starting = {},
): Effect.Effect<Killable, never, Scope.Scope> =>
  Effect.gen(function* () {
    const [command = process.execPath, ...words] = [...under, process.execPath, ...args]
    const ended = yield* Deferred.make<Ended>()
    const waiting = new Map<number, Deferred.Deferred<void>>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, words, { env, stdio: ["pipe", "pipe", "pipe"], ...(cwd && { cwd }) })),
      (child) => Effect.sync(() => child.kill("SIGKILL")),
    )
    // A process that does not read its input, or is killed before, breaks the pipe.
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
    let [stdout, stderr, lines] = ["", "", 0]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      lines += text.split("\n").length - 1
      for (const [count, deferred] of waiting) if (lines >= count) Deferred.unsafeDone(deferred, Effect.void)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.once("error", (cause) => Deferred.unsafeDone(ended, Effect.die(cause)))
    child.once("close", (code, signal) => {
      const whole = stdout.split("\n").slice(0, -1)
      Deferred.unsafeDone(ended, Effect.succeed({ code, signal, lines: whole, stdout, stderr }))
    })
    const says = (count: number) =>
      Effect.suspend(() => {
        if (lines >= count) return Effect.void
        const deferred = waiting.get(count) ?? Deferred.unsafeMake<void>(FiberId.none)
        waiting.set(count, deferred)
        return Deferred.await(deferred)
      })
    const signal = (name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
    return {
      pid: child.pid ?? 0,
      signal,
      kill: signal("SIGKILL"),
      speaks: says(1),
      says,
      ended: Deferred.await(ended),
    }
  })

/** Kills a process once a moment has come, unless it ended before. Returns how it ended. */
export const killedAt = <E, R>(process: Killable, moment: Effect.Effect<unknown, E, R>): Effect.Effect<Ended, E, R> =>
  moment.pipe(Effect.raceFirst(process.ended), Effect.zipRight(process.kill), Effect.zipRight(process.ended))

/** The moment when a log has come to a position. */
export const logReaches = (position: number, after = 0) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow({ after }).pipe(
      Stream.takeUntil((item) => item.position >= position),
      Stream.runDrain,
    ),
  )
