/**
 * Worker threads for pieces of work, with the results in the order of the pieces, as from one thread. A piece and its
 * result are plain data that `structuredClone` copies. `kernel/threads/Thread` resolves the name of the work. A thread
 * opens the files that it reads itself.
 */

import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Data, Effect, Fiber, type Scope } from "effect"
import * as ProgramLog from "../ProgramLog.ts"

/** A thread ran out of memory, or has a defect. Nothing of its piece was used. */
export class ThreadDied extends Data.TaggedError("ThreadDied")<{ readonly work: string; readonly reason: string }> {
  override get message() {
    return `A thread ended during its work (${this.work}): ${this.reason}. Try again with one thread: --jobs 1.`
  }
}

export interface Piece<Result, E, R> {
  /** Plain data for the thread. */
  readonly asked: unknown
  /** Does the piece in this thread after it failed in another, to fail with its typed error. */
  readonly again: Effect.Effect<Result, E, R>
  /** Receives the results in the order of the pieces. Returns whether to continue. */
  readonly take: (result: Result) => Effect.Effect<boolean, E, R>
}

/** Threads that run until their scope closes. */
export interface Threads {
  /** Does pieces concurrently and takes their results in order. */
  readonly inOrder: <Result, E, R>(
    work: string,
    pieces: ReadonlyArray<Piece<Result, E, R>>,
  ) => Effect.Effect<void, E | ThreadDied, R>
}

export interface Asked {
  readonly id: number
  readonly work: string
  readonly piece: unknown
}

/** A thread's answer. Without a result, the work failed with a typed error. */
export interface Answer {
  readonly id: number
  readonly done?: { readonly result: unknown }
}

/** Maximum pieces per thread ahead of the taken results, which wait in memory. */
const AHEAD = 2

/** Each thread has its own heap, and the process dies when there is no room for one more. */
const MAX_THREADS = 64

/**
 * Starts threads on demand, at most `count`, and ends them with the scope. Undefined, with one warning, if the thread's
 * module is not installed (in a program that bundles Hindcast, or from the sources): the caller works in its own
 * thread.
 */
export const start = (count: number): Effect.Effect<Threads | undefined, never, Scope.Scope> =>
  Effect.gen(function* () {
    const entry = entryBeside(import.meta.url)
    if (entry === undefined) {
      yield* refused
      return undefined
    }
    const started: Array<Thread> = []
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(started.map(({ end }) => end()))))
    return of(Math.min(count, MAX_THREADS), () => {
      const thread = threadOf(entry)
      started.push(thread)
      return thread
    })
  })

/** A thread that works without an end. */
export interface Lasting {
  /** Why it ended: it failed, or has a defect. Undefined while it works. */
  readonly death: () => string | undefined
}

/**
 * Starts a thread for one piece of work that never ends, and ends it with the scope. Undefined if the thread's module
 * is not installed (see `start`).
 */
export const lasting = (work: string, piece: unknown): Effect.Effect<Lasting | undefined, never, Scope.Scope> => {
  const entry = entryBeside(import.meta.url)
  if (entry === undefined) return Effect.succeed(undefined)
  let death: string | undefined
  return Effect.acquireRelease(
    Effect.sync(() => threadOf(entry)),
    ({ end }) => Effect.promise(end),
  ).pipe(
    Effect.map((thread) => {
      thread.ask({ work, piece }, (answer) => {
        death = typeof answer === "string" ? answer : `its work (${work}) ended`
      })
      return { death: () => death }
    }),
  )
}

const entryBeside = (module: string | undefined): URL | undefined => {
  if (module === undefined) return undefined
  const entry = new URL("../../kernel/threads/Thread.js", module)
  return fs.existsSync(fileURLToPath(entry)) ? entry : undefined
}

let isRefusalTold = false

const refused = Effect.suspend(() => {
  if (isRefusalTold) return Effect.void
  isRefusalTold = true
  return ProgramLog.warning(
    "Cannot start threads (`jobs`): their module is not next to this program, so one thread does all the work. Install Hindcast as a package, outside the bundle.",
  )
})

interface Thread {
  /** Calls back once, unless the returned function cancels it. */
  readonly ask: (asked: Omit<Asked, "id">, answer: (answer: Answer | string) => void) => () => void
  readonly end: () => Promise<unknown>
}

const threadOf = (entry: URL): Thread => {
  // Options of this process, such as preloaded modules, are not for threads.
  const worker = new Worker(entry, { execArgv: [] })
  let asked = 0
  let waiting: ((answer: Answer | string) => void) | undefined
  let death: string | undefined
  const settle = (answer: Answer | string) => {
    const resume = waiting
    waiting = undefined
    resume?.(answer)
  }
  const die = (reason: string) => {
    death ??= reason
    settle(death)
  }
  worker.on("message", (answer: Answer) => {
    if (answer.id === asked) settle(answer)
  })
  worker.on("error", (cause: unknown) => die(cause instanceof Error ? cause.message : String(cause)))
  worker.on("messageerror", (cause) => die(cause.message))
  worker.on("exit", (code) => die(`exit code ${code}`))
  return {
    ask: (question, answer) => {
      waiting = answer
      if (death !== undefined) settle(death)
      else worker.postMessage({ id: ++asked, ...question } satisfies Asked)
      return () => {
        waiting = undefined
      }
    },
    end: () => worker.terminate(),
  }
}

const of = (count: number, begin: () => Thread): Threads => {
  const idle: Array<Thread> = []
  const turns = Effect.unsafeMakeSemaphore(count)

  const ask = (work: string, piece: unknown) =>
    turns.withPermits(1)(
      Effect.acquireUseRelease(
        Effect.sync(() => idle.pop() ?? begin()),
        (thread) =>
          Effect.async<Answer, ThreadDied>((resume) => {
            const stopWaiting = thread.ask({ work, piece }, (answer) =>
              resume(typeof answer === "string" ? new ThreadDied({ work, reason: answer }) : Effect.succeed(answer)),
            )
            return Effect.sync(stopWaiting)
          }),
        (thread) => Effect.sync(() => idle.push(thread)),
      ),
    )

  return {
    inOrder: <Result, E, R>(work: string, pieces: ReadonlyArray<Piece<Result, E, R>>) =>
      Effect.suspend(() => {
        const ahead: Array<Fiber.Fiber<Answer, ThreadDied>> = []
        return Effect.gen(function* () {
          for (const [index, { again, take }] of pieces.entries()) {
            for (const { asked } of pieces.slice(index + ahead.length, index + AHEAD * count))
              ahead.push(yield* Effect.fork(ask(work, asked)))
            const [fiber] = ahead
            const done = fiber === undefined ? undefined : resultOf<Result>(yield* Fiber.join(fiber))
            ahead.shift()
            const goOn = yield* take(done === undefined ? yield* again : done.result)
            if (!goOn) return
          }
        }).pipe(Effect.ensuring(Effect.suspend(() => Fiber.interruptAll(ahead))))
      }),
  }
}

/** A thread of this program returns the declared type of its work. */
const resultOf = <Result>({ done }: Answer): { readonly result: Result } | undefined => done as never
