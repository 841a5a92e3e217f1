import { Clock, Effect, type Fiber, FiberId } from "effect"
import type { Failure } from "../../events/EventType.ts"
import { plainText } from "../../events/Json.ts"
import { AnswerInvalid, type CallError, CallFailed, CallTimedOut, PluginExited } from "../PluginError.ts"
import { type AnswerFrame, CALLS_IN_FLIGHT, encode, FRAME_LIMIT, type HostFrame } from "../Protocol.ts"
import type { ChildExit } from "./Child.ts"

/** A call that has no answer yet. */
export interface OpenCall {
  /** What was called, such as `act text-room/go`. */
  readonly name: string
  /** The event that made it happen. */
  readonly causationId: string | undefined
  /** The task that it serves. */
  readonly taskId: string | undefined
  /** What the host does for it; interrupted when the call ends early. */
  readonly brokered: Set<Fiber.RuntimeFiber<unknown>>
}

/** One call: its name, its frame, and how long it may take. */
export interface Calling {
  readonly name: string
  readonly frame: (id: number, now: number) => HostFrame
  readonly timeoutMs: number
  readonly causationId: string | undefined
  readonly taskId: string | undefined
}

/** The calls of one process: each is answered exactly once, by the plugin, the time-out or the process's end. */
export interface Calls {
  /**
   * Sends a call and waits for the answer. Interruption cancels it in the plugin. A plugin that does not acknowledge a
   * cancelled call, because its event loop is stuck, is killed.
   */
  readonly call: (calling: Calling) => Effect.Effect<Extract<AnswerFrame, { readonly type: "ok" }>, CallError>
  /** The open call with this id. */
  readonly find: (id: number) => OpenCall | undefined
  /** Takes an answer in. */
  readonly answer: (frame: AnswerFrame) => void
  /** Fails every open call; answers with their names. */
  readonly end: (exit: ChildExit) => ReadonlyArray<string>
}

interface Sending {
  readonly plugin: string
  readonly send: (text: string) => void
  readonly kill: (reason: string) => void
  /** How long a cancelled call may go unacknowledged. */
  readonly cancelMs: number
}

interface Waiting extends OpenCall {
  readonly timer: NodeJS.Timeout
  readonly resume: (answer: Effect.Effect<AnswerFrame, CallError>) => void
}

interface Ended extends ChildExit {
  readonly inFlight: ReadonlyArray<string>
}

export const make = ({ plugin, send, kill, cancelMs }: Sending): Calls => {
  const permits = Effect.unsafeMakeSemaphore(CALLS_IN_FLIGHT)
  const open = new Map<number, Waiting>()
  /** Cancelled and not acknowledged: the timers that will kill the process. */
  const cancelled = new Map<number, NodeJS.Timeout>()
  let ended: Ended | undefined
  let last = 0

  const exited = (call: string, { code, signal, reason, inFlight }: Ended) =>
    new PluginExited({ plugin, code, signal, inFlight, call, ...(reason === undefined ? {} : { reason }) })

  /** Takes a call off the table, and stops what the host does for it. */
  const close = (id: number): Waiting | undefined => {
    const call = open.get(id)
    if (call === undefined) return undefined
    open.delete(id)
    clearTimeout(call.timer)
    for (const fiber of call.brokered) fiber.unsafeInterruptAsFork(FiberId.none)
    return call
  }

  const cancel = (id: number): Waiting | undefined => {
    const call = close(id)
    if (call === undefined) return undefined
    send(encode({ type: "cancel", id }))
    const stuck = () => kill(`it did not acknowledge within ${cancelMs} ms that ${call.name} was cancelled`)
    cancelled.set(id, setTimeout(stuck, cancelMs))
    return call
  }

  const ask = ({ name, frame, timeoutMs, causationId, taskId }: Calling, now: number) =>
    Effect.async<AnswerFrame, CallError>((resume) => {
      if (ended !== undefined) return resume(Effect.fail(exited(name, ended)))
      const id = ++last
      const text = encode(frame(id, now))
      if (Buffer.byteLength(text) > FRAME_LIMIT) return resume(Effect.fail(tooLong(plugin, name)))
      const timer = setTimeout(() => {
        cancel(id)
        resume(Effect.fail(new CallTimedOut({ plugin, call: name, afterMs: timeoutMs })))
      }, timeoutMs)
      open.set(id, { name, causationId, taskId, brokered: new Set(), timer, resume })
      send(text)
      return Effect.sync(() => {
        cancel(id)
      })
    })

  return {
    call: (calling) =>
      permits.withPermits(1)(
        Effect.flatMap(
          Effect.flatMap(Clock.currentTimeMillis, (now) => ask(calling, now)),
          (frame) => outcome(plugin, calling.name, frame),
        ),
      ),
    find: (id) => open.get(id),
    answer: (frame) => {
      clearTimeout(cancelled.get(frame.id))
      cancelled.delete(frame.id)
      close(frame.id)?.resume(Effect.succeed(frame))
    },
    end: (exit) => {
      const inFlight = [...open.values()].map(({ name }) => name)
      ended = { ...exit, inFlight }
      for (const timer of cancelled.values()) clearTimeout(timer)
      for (const id of [...open.keys()]) {
        const call = close(id)
        call?.resume(Effect.fail(exited(call.name, ended)))
      }
      return inFlight
    },
  }
}

const outcome = (
  plugin: string,
  call: string,
  frame: AnswerFrame,
): Effect.Effect<Extract<AnswerFrame, { readonly type: "ok" }>, CallError> => {
  const state = "state" in frame && frame.state !== undefined ? { state: frame.state } : {}
  switch (frame.type) {
    case "ok":
      return Effect.succeed(frame)
    case "error":
      return Effect.fail(new CallFailed({ plugin, call, error: plainFailure(frame.error), ...state }))
    case "invalid":
      return Effect.fail(new AnswerInvalid({ plugin, call, reason: plainText(frame.reason), ...state }))
  }
}

/** What a plugin threw, as the log can keep it: whatever its text is, the call has an answer. */
const plainFailure = ({ code, message }: Failure): Failure => ({
  code: code.slice(0, CODE_LENGTH).toWellFormed(),
  message: plainText(message),
})

/** Longest code of a failure that is kept, in characters; a longer one is cut. */
const CODE_LENGTH = 100

const tooLong = (plugin: string, call: string) =>
  new CallFailed({
    plugin,
    call,
    error: { code: "ArgumentsTooLarge", message: `expected at most ${FRAME_LIMIT} bytes; nothing was sent` },
  })
