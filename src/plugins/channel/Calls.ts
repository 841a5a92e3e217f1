/**
 * The calls of one plugin process: ids, time-outs, cancellation and concurrency. Each call gets exactly one answer,
 * from the plugin, its time-out or the end of the process.
 */
import { type Clock, Effect, type Fiber } from "effect"
import * as CallingFiber from "../../platform/fibers/CallingFiber.ts"
import { type CallError, CallTimedOut } from "../PluginError.ts"
import type { Child, ChildExit } from "../sandbox/Child.ts"
import * as CallFailures from "./CallFailures.ts"
import * as CallFrames from "./CallFrames.ts"
import * as CallProgress from "./CallProgress.ts"
import * as NextTimeout from "./NextTimeout.ts"
import type { OpenCall } from "./OpenCall.ts"
import { type AnswerFrame, CALLS_IN_FLIGHT, encode, type HostFrame } from "./Protocol.ts"

/** Registers a fiber that works for a call. If the call ends first, the fiber is interrupted. */
export const interruptWithCall = (call: OpenCall, fiber: Fiber.RuntimeFiber<unknown>): void => {
  const fibers = call.hostFibers ?? new Set()
  call.hostFibers = fibers.add(fiber)
  fiber.addObserver(() => fibers.delete(fiber))
}

/** A call to make: its frame, its time-out, and the conversion of its answer. */
export interface CallSpec<A> extends Omit<OpenCall, "hostFibers" | "pauseTimeout" | "renewTimeout"> {
  readonly frame: (id: number, now: number) => HostFrame
  /** In milliseconds, from sending. */
  readonly timeoutMs: number
  readonly decode: (frame: OkFrame) => Effect.Effect<A, CallError>
}

/** A successful answer. */
export type OkFrame = Extract<AnswerFrame, { readonly type: "ok" }>

/** An answer without an open call, and why. */
export interface UnmatchedAnswer {
  readonly code: "LateAnswer" | "SecondAnswer" | "UnaskedAnswer"
  readonly reason: string
}

/** The calls of one process. */
export interface Calls {
  /**
   * Sends a call and waits for its answer. Interruption cancels the call in the plugin. A plugin that does not
   * acknowledge the cancellation, because its event loop is blocked, is killed. At most `CALLS_IN_FLIGHT` calls run at
   * a time; others wait.
   */
  readonly call: <A>(spec: CallSpec<A>) => Effect.Effect<A, CallError>
  /** Sends a ping, which does not count as a call. */
  readonly ping: (onAnswer: () => void) => void
  readonly find: (id: number) => OpenCall | undefined
  /** Whether the host ever sent a call with this id. */
  readonly wasMade: (id: number) => boolean
  /** Completes the answer's call. Without one, returns the fault of the answer. */
  readonly answer: (frame: AnswerFrame) => UnmatchedAnswer | undefined
  /** Kills the process because it did not react for `silentMs` milliseconds. Its calls fail with `PluginStuck`. */
  readonly stuck: (reason: string, silentMs: number) => void
  /** Fails every open call of an ended process, and returns their names. */
  readonly end: (exit: ChildExit) => ReadonlyArray<string>
  /** Notes activity outside of calls. */
  readonly touch: () => void
  /** When the last call or other activity ended, by `performance.now`. Undefined while a call is open. */
  readonly idleSince: () => number | undefined
}

interface CallsInput {
  readonly plugin: string
  readonly child: Child
  /** Time that the plugin has to acknowledge a cancellation, in milliseconds. */
  readonly cancelMs: number
}

interface PendingCall extends OpenCall {
  readonly timeoutMs: number
  /** The deadline, by `performance.now`. While the time-out is paused: the remaining milliseconds. */
  dueAt: number
  /** The number of holders that pause the time-out. */
  pauses: number
  readonly answer: (frame: AnswerFrame) => void
  readonly fail: (error: CallError) => void
}

/** A cancelled call without acknowledgement. Its timer kills the process. */
interface Cancelled {
  readonly name: string
  readonly timer: NodeJS.Timeout
}

/** Handles the calls of a spawned process. */
export const make = ({ plugin, child, cancelMs }: CallsInput): Calls => {
  const open = new Map<number, PendingCall>()
  /** Sends calls that wait because too many are open. */
  const queue = new Set<() => void>()
  const cancelled = new Map<number, Cancelled>()
  const pings = new Map<number, () => void>()
  const frames = CallFrames.make(child)
  let ended: CallFailures.Ended | undefined
  let stuckReason: string | undefined
  let lastId = 0
  let lastUsedAt = performance.now()

  const exited = (call: string, ended: CallFailures.Ended): CallError =>
    CallFailures.ended(plugin, call, ended, stuckReason)

  const stuck = (reason: string, silentMs: number) => {
    const wasOutputPaused = child.wasPausedSince(performance.now() - silentMs)
    stuckReason ??= wasOutputPaused ? `${reason}; ${OUTPUT_PAUSED}` : reason
    child.kill(stuckReason)
  }

  const sendNext = () => {
    if (open.size >= CALLS_IN_FLIGHT) return
    for (const next of queue) {
      queue.delete(next)
      return next()
    }
  }

  /** Removes a call and interrupts the host's work for it. */
  const close = (id: number): PendingCall | undefined => {
    const call = open.get(id)
    if (call === undefined) return undefined
    open.delete(id)
    lastUsedAt = performance.now()
    if (call.hostFibers !== undefined) {
      for (const fiber of call.hostFibers) CallingFiber.interrupt(fiber)
    }
    sendNext()
    return call
  }

  const cancel = (id: number) => {
    const call = close(id)
    if (call === undefined || ended !== undefined) return
    if (frames.withdraw(id)) return
    child.send(encode({ type: "cancel", id }))
    const killUnacknowledged = () =>
      stuck(`it did not acknowledge within ${cancelMs} ms that ${call.name} was cancelled`, cancelMs)
    cancelled.set(id, { name: call.name, timer: setTimeout(killUnacknowledged, cancelMs) })
  }

  /**
   * Times out calls that are due and returns the next deadline. Timers can fire a fraction of a millisecond early,
   * hence the tolerance of 1 ms.
   */
  const timeOut = (): number => {
    const now = performance.now() + 1
    let next = Number.POSITIVE_INFINITY
    for (const [id, { name, timeoutMs, dueAt, pauses, fail }] of open) {
      if (pauses > 0) continue
      if (dueAt > now) next = Math.min(next, dueAt)
      else {
        cancel(id)
        fail(new CallTimedOut({ plugin, call: name, afterMs: timeoutMs }))
      }
    }
    return next
  }
  const nextTimeout = NextTimeout.make(timeOut)

  /** Pauses a call's time-out, keeping the remaining time. Returns its resumption. */
  const pauseTimeoutOf = (id: number) => () => {
    const call = open.get(id)
    if (call === undefined) return () => {}
    if (call.pauses++ === 0) call.dueAt -= performance.now()
    return () => {
      if (--call.pauses > 0) return
      call.dueAt += performance.now()
      nextTimeout.noLaterThan(call.dueAt)
    }
  }

  const renewTimeoutOf = (id: number) => () => {
    const call = open.get(id)
    if (call !== undefined && call.pauses === 0) call.dueAt = performance.now() + call.timeoutMs
  }

  /** One `Effect.async` and otherwise plain callbacks, because every call takes this path. */
  const startCall = <A>(spec: CallSpec<A>, clock: Clock.Clock) =>
    Effect.async<A, CallError>((resume) => {
      const { name, frame, timeoutMs, decode, onProgress, causationId, taskId, readPage, onPiece, fetchMs } = spec
      const fail = (error: CallError) => resume(Effect.fail(error))
      let id: number | undefined
      const send = () => {
        if (ended !== undefined) return fail(exited(name, ended))
        id = ++lastId
        const text = encode(frame(id, clock.unsafeCurrentTimeMillis()))
        if (!CallFrames.fits(text)) {
          fail(CallFailures.tooLong(plugin, name))
          return sendNext()
        }
        const dueAt = performance.now() + timeoutMs
        open.set(id, {
          name,
          causationId,
          taskId,
          onProgress: CallProgress.latestOnly(onProgress),
          readPage,
          onPiece,
          fetchMs,
          hostFibers: undefined,
          pauseTimeout: pauseTimeoutOf(id),
          renewTimeout: renewTimeoutOf(id),
          timeoutMs,
          dueAt,
          pauses: 0,
          answer: (answered) =>
            answered.type === "ok" ? resume(decode(answered)) : fail(CallFailures.answered(plugin, name, answered)),
          fail,
        })
        nextTimeout.noLaterThan(dueAt)
        frames.send(id, text)
      }
      if (open.size < CALLS_IN_FLIGHT) send()
      else queue.add(send)
      return Effect.sync(() => {
        if (id === undefined) queue.delete(send)
        else cancel(id)
      })
    })

  return {
    call: (spec) => Effect.clockWith((clock) => startCall(spec, clock)),
    ping: (onAnswer) => {
      const id = ++lastId
      pings.set(id, onAnswer)
      child.send(encode({ type: "ping", id }))
    },
    find: (id) => open.get(id),
    wasMade: (id) => id >= 1 && id <= lastId,
    answer: (frame) => {
      const { id } = frame
      const call = close(id)
      if (call !== undefined) {
        call.answer(frame)
        return undefined
      }
      const ping = pings.get(id)
      if (ping !== undefined) {
        pings.delete(id)
        ping()
        return undefined
      }
      const cancelledCall = cancelled.get(id)
      if (cancelledCall !== undefined) {
        clearTimeout(cancelledCall.timer)
        cancelled.delete(id)
        return frame.type === "error" && frame.error.code === CANCELLED
          ? undefined
          : { code: "LateAnswer", reason: `${cancelledCall.name} was answered when nobody waited for it any more` }
      }
      return id >= 1 && id <= lastId
        ? { code: "SecondAnswer", reason: `call ${id} was answered already` }
        : { code: "UnaskedAnswer", reason: `nobody made the call ${id}: the last one was ${lastId}` }
    },
    stuck,
    end: (exit) => {
      const inFlight = [...open.values()].map(({ name }) => name)
      ended = { ...exit, inFlight }
      nextTimeout.stop()
      for (const { timer } of cancelled.values()) clearTimeout(timer)
      for (const id of [...open.keys()]) {
        const call = close(id)
        call?.fail(exited(call.name, ended))
      }
      for (const waiting of queue) waiting()
      queue.clear()
      return inFlight
    },
    touch: () => {
      lastUsedAt = performance.now()
    },
    idleSince: () => (open.size === 0 ? lastUsedAt : undefined),
  }
}

/** Added to a `PluginStuck` reason if reading was paused: answers may be waiting in the pipe. */
const OUTPUT_PAUSED =
  "its output was held back meanwhile, for it printed, logged or pushed more than it may, and its answers wait behind that"

/** The failure code with which the runner acknowledges a cancellation. */
const CANCELLED = "Cancelled"
