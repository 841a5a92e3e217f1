import { Worker } from "node:worker_threads"
import type { Json } from "hindcast/plugin"
import { ALWAYS, LEVEL, ONCE, type Reply, type Request, refusal, type Start, TARGET, targetOf } from "./messages.ts"
import { readSnapshot } from "./pyodide.ts"

/** Limits of a request. */
export interface Asking {
  /** Time limit of code from its first step, in milliseconds. Default: 60 000. */
  readonly limitMs?: number
  /** Aborts when the caller no longer wants the answer. Code is then interrupted, and its variables and files stay. */
  readonly signal: AbortSignal
  readonly log: (message: string, level: "info" | "warn" | "error") => void
}

export interface Answer {
  readonly value: Json
  /** Whether it was interrupted, at its limit or on abort. */
  readonly isInterrupted: boolean
}

/** A session with an interpreter, whose state persists between requests. */
export interface Session {
  /**
   * Answers a request after all earlier ones. Rejects with an error that has a `code`: `session-lost` if the
   * interpreter ended, and with it its variables and files.
   */
  readonly ask: (request: Request, asking: Asking) => Promise<Answer>
  /** Replaces the interpreter with a new one. */
  readonly reset: (asking: Asking) => Promise<void>
}

/** The part of Deno's API in use. */
declare const Deno: { exit(code: number): never }

/** Time-out of starting an interpreter, in milliseconds: cold, on a busy machine. */
const START_MS = 60_000

/** Default time limit of code, in milliseconds. */
const MAX_MS = 60_000

/** Time-out of the report on code's end, in milliseconds: the code's own `__str__` and the like run then. */
const REPORT_MS = 3_000

/** Time for code to clean up after one KeyboardInterrupt, in milliseconds. */
const TIDY_MS = 300

/** Further time during which every step is interrupted. Code that still runs never checks, and its process ends. */
const STUBBORN_MS = 1_200

/**
 * Time for reading a file or installing wheels after nobody wants it any more, in milliseconds: neither can be
 * interrupted, and most end by then.
 */
const UNINTERRUPTED_MS = 3_000

/** Exit code if the interpreter cannot be stopped (`EX_SOFTWARE` of sysexits.h). */
const EXIT_STUCK = 70

/**
 * Limits of the interpreter's thread, in MiB. Without the first, V8 would reserve 512 MiB for compiled code, more than
 * a plugin may have; 32 suffice for the JavaScript here. Python's recursion limit relies on the stack size.
 */
const RESOURCES = { codeRangeSizeMb: 32, maxOldGenerationSizeMb: 96, stackSizeMb: 4 }

/** An interpreter in its own thread. */
interface Interpreter {
  readonly worker: Worker
  readonly control: Int32Array
  readonly ready: Promise<Extract<Reply, { readonly type: "ready" }>>
  readonly ended: Promise<void>
  /** Waits for the current request's answer. */
  listener: ((reply: Reply | { readonly type: "ended"; readonly why: string }) => void) | undefined
  isReported: boolean
  isEnded: boolean
}

/**
 * Starts the thread at once, and the interpreter when the snapshot's place is known.
 *
 * @param snapshotFile an absolute path, or null without a snapshot
 */
export const openSession = (snapshotFile: Promise<string | null>): Session => {
  const snapshot = snapshotFile.then(startFrom)
  let interpreter: Interpreter | undefined = start(snapshot)
  let turn: Promise<unknown> = Promise.resolve()
  let last = 0

  /** Runs after everything requested before. */
  const inTurn = <A>(run: () => Promise<A>): Promise<A> => {
    const mine = turn.then(run)
    turn = mine.catch(() => undefined)
    return mine
  }

  const end = async () => {
    const ending = interpreter
    interpreter = undefined
    if (ending === undefined) return
    ending.worker.postMessage({ id: 0, request: "end" })
    await ending.ended
  }

  const running = async ({ log }: Asking): Promise<Interpreter> => {
    interpreter ??= start(snapshot)
    const current = interpreter
    try {
      const ready = await within(START_MS, current.ready)
      if (!current.isReported && ready.from === "cold") log(`started without the snapshot: ${ready.why}`, "warn")
      current.isReported = true
      return current
    } catch (cause) {
      interpreter = undefined
      void current.worker.terminate()
      throw refusal(
        "python-unavailable",
        `Python did not start: ${cause instanceof Error ? cause.message : String(cause)}`,
      )
    }
  }

  const ask = async (request: Request, asking: Asking): Promise<Answer> => {
    asking.signal.throwIfAborted()
    const current = await running(asking)
    asking.signal.throwIfAborted()
    if (current.isEnded) {
      interpreter = undefined
      throw refusal("session-lost", `${FOUND_LOST} between two calls. ${AFRESH}`)
    }
    const outcome = await converse(current, ++last, request, asking)
    switch (outcome.type) {
      case "done":
        return outcome
      case "refused":
        throw refusal(outcome.code, outcome.message)
      case "lost":
        await end()
        throw refusal("session-lost", `${FOUND_LOST}: ${outcome.reason}. ${AFRESH}`)
      case "ended":
        interpreter = undefined
        throw refusal("session-lost", `${FOUND_LOST}: ${outcome.why}. ${AFRESH}`)
      case "stuck":
        asking.log(`${outcome.what} could not be interrupted: this process ends, and with it the session`, "error")
        // After the answer: throwing from this function sends it.
        setTimeout(() => Deno.exit(EXIT_STUCK), 0)
        throw refusal(
          "session-lost",
          `Expected ${outcome.what} to end when it was interrupted; it went on, so that its process was ended. ` +
            "The session's variables and files are gone, and this task has no Python any more: open another task.",
        )
    }
  }

  return {
    ask: (request, asking) => inTurn(() => ask(request, asking)),
    reset: (asking) =>
      inTurn(async () => {
        // A starting interpreter does not react to requests to end.
        await running(asking)
        await end()
        await running(asking)
      }),
  }
}

const startFrom = (file: string | null): Start => {
  if (file === null) return { why: "the host has none" }
  try {
    return { snapshot: readSnapshot(file) }
  } catch (cause) {
    return { why: cause instanceof Error ? cause.message : String(cause) }
  }
}

const FOUND_LOST = "Expected the session's interpreter to answer; it ended"

const AFRESH =
  "Its variables and files are gone. The next call gets a fresh one: run again what made them, without what ended it."

const start = (snapshot: Promise<Start>): Interpreter => {
  const control = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: control, resourceLimits: RESOURCES })
  const ready = new Promise<Extract<Reply, { readonly type: "ready" }>>((resolve, reject) => {
    worker.on("message", (reply: Reply) => {
      if (reply.type === "ready") resolve(reply)
      else if (reply.type === "unavailable") reject(new Error(reply.reason))
      else interpreter.listener?.(reply)
    })
    worker.on("error", (cause: unknown) => {
      why = String(cause)
      reject(cause)
    })
    worker.on("exit", () => reject(new Error(why)))
  })
  let why = "its thread ended"
  const ended = new Promise<void>((resolve) => {
    worker.on("exit", () => {
      interpreter.isEnded = true
      interpreter.listener?.({ type: "ended", why })
      resolve()
    })
  })
  void snapshot.then((message) => worker.postMessage(message))
  // The next request reports it.
  ready.catch(() => undefined)
  const interpreter: Interpreter = {
    worker,
    control,
    ready,
    ended,
    listener: undefined,
    isReported: false,
    isEnded: false,
  }
  return interpreter
}

/** How a request ended. */
type Outcome =
  | (Extract<Reply, { readonly type: "done" }> & { readonly isInterrupted: boolean })
  | Extract<Reply, { readonly type: "refused" | "lost" }>
  | { readonly type: "ended"; readonly why: string }
  | { readonly type: "stuck"; readonly what: string }

/** Sends one request and waits for its answer. Interrupts code at its limit and on abort. */
const converse = (interpreter: Interpreter, id: number, request: Request, { limitMs = MAX_MS, signal }: Asking) =>
  new Promise<Outcome>((resolve) => {
    const { worker, control } = interpreter
    let timers: ReadonlyArray<ReturnType<typeof setTimeout>> = []
    let phase: 0 | 1 | 2 = 0
    let isInterrupted = false

    const press = (level: number) => {
      Atomics.store(control, TARGET, targetOf(id, phase))
      Atomics.store(control, LEVEL, level)
      Atomics.notify(control, LEVEL)
    }
    const calm = () => {
      for (const timer of timers) clearTimeout(timer)
      timers = []
    }
    const stuck = (what: string) => settle({ type: "stuck", what })
    const interrupt = () => {
      calm()
      // Code that has not begun is interrupted when it begins.
      if (phase === 0) {
        const what = request.type === "execute" ? "the installation of wheels" : `the command ${request.type}`
        timers = [setTimeout(() => stuck(what), UNINTERRUPTED_MS)]
        return
      }
      if (phase === 1) isInterrupted = true
      press(ONCE)
      timers = [setTimeout(() => press(ALWAYS), TIDY_MS), setTimeout(() => stuck("the code"), TIDY_MS + STUBBORN_MS)]
    }
    const settle = (outcome: Outcome) => {
      calm()
      signal.removeEventListener("abort", interrupt)
      interpreter.listener = undefined
      resolve(outcome)
    }
    const begin = (next: 1 | 2) => {
      calm()
      phase = next
      if (next === 1 && signal.aborted) interrupt()
      else timers = [setTimeout(interrupt, next === 1 ? limitMs : REPORT_MS)]
    }

    interpreter.listener = (reply) => {
      if (reply.type === "ended") settle(reply)
      else if (!("id" in reply) || reply.id !== id) return
      else if (reply.type === "started") begin(reply.phase)
      else settle(reply.type === "done" ? { ...reply, isInterrupted } : reply)
    }
    signal.addEventListener("abort", interrupt)
    worker.postMessage({ id, request })
  })

/** Rejects after `ms` milliseconds. */
const within = async <A>(ms: number, promise: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not ready within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
