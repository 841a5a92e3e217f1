/**
 * The calls of one plugin process: ids, time-outs, cancellation, and the limit on calls in flight. Each call is
 * answered exactly once, by the plugin, by its time-out or by the end of the process.
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

/** Registers a fiber that does host work for a call. If the call ends early, the fiber is interrupted. */
export const interruptWithCall = (call: OpenCall, fiber: Fiber.RuntimeFiber<unknown>): void => {
  const fibers = call.hostFibers ?? new Set()
  call.hostFibers = fibers.add(fiber)
  fiber.addObserver(() => fibers.delete(fiber))
}

/** A call to make: its frame, its time-out, and how its answer is converted. */
export interface CallSpec<A> extends Omit<OpenCall, "hostFibers" | "pauseTimeout"> {
  readonly frame: (id: number, now: number) => HostFrame
  /** The time-out in milliseconds, counted from sending. */
  readonly timeoutMs: number
  readonly decode: (frame: OkFrame) => Effect.Effect<A, CallError>
}

/** A plugin's successful answer to a call. */
export type OkFrame = Extract<AnswerFrame, { readonly type: "ok" }>

/** An answer that belongs to no open call, and why. */
export interface UnmatchedAnswer {
  readonly code: "LateAnswer" | "SecondAnswer" | "UnaskedAnswer"
  readonly reason: string
}

/** The calls of one process. */
export interface Calls {
  /**
   * Sends a call and waits for the answer. Interruption cancels the call in the plugin. If the plugin does not
   * acknowledge the cancellation, because its event loop is blocked, it is killed. At most `CALLS_IN_FLIGHT` calls are
   * sent at a time; further calls are queued.
   */
  readonly call: <A>(spec: CallSpec<A>) => Effect.Effect<A, CallError>
  /** Sends a ping. Pings are not counted as calls. */
  readonly ping: (onAnswer: () => void) => void
  /** The open call with this id. */
  readonly find: (id: number) => OpenCall | undefined
  /** Whether a call with this id was ever sent. */
  readonly wasMade: (id: number) => boolean
  /** Completes the call that an answer belongs to. If there is none, returns what is wrong with the answer. */
  readonly answer: (frame: AnswerFrame) => UnmatchedAnswer | undefined
  /** Kills the process because it did not react for `silentMs` milliseconds. Its open calls fail with `PluginStuck`. */
  readonly stuck: (reason: string, silentMs: number) => void
  /** Fails every open call after the process has ended, and returns the calls' names. */
  readonly end: (exit: ChildExit) => ReadonlyArray<string>
  /** Records activity of the process outside of calls. */
  readonly touch: () => void
  /** When the last call ended or the process was last touched, by `performance.now`; undefined while a call is open. */
  readonly idleSince: () => number | undefined
}

interface CallsInput {
  readonly plugin: string
  readonly child: Child
  /** How long a cancelled call may stay unacknowledged, in milliseconds. */
  readonly cancelMs: number
}

interface PendingCall extends OpenCall {
  readonly timeoutMs: number
  /** When the call times out, by `performance.now`. While its time-out is paused: the remaining milliseconds. */
  dueAt: number
  /** How many holders have paused the time-out. */
  pauses: number
  readonly answer: (frame: AnswerFrame) => void
  readonly fail: (error: CallError) => void
}

/** A cancelled call that is not acknowledged yet. When the timer fires, the process is killed. */
interface Cancelled {
  readonly name: string
  readonly timer: NodeJS.Timeout
}

/** Makes the calls of a process that has been spawned. */
export const make = ({ plugin, child, cancelMs }: CallsInput): Calls => {
  const open = new Map<number, PendingCall>()
  /** The send functions of calls that wait because too many are open. */
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
   * Times out the calls that are due, and returns when the next is due. Timers can fire a fraction of a millisecond
   * early, hence the 1 ms of tolerance.
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

  /** Pauses the time-out of a call and returns how to resume it. The remaining time stays the same. */
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

  /** A single `Effect.async`, because every call takes this path: the rest is plain callbacks. */
  const startCall = <A>(spec: CallSpec<A>, clock: Clock.Clock) =>
    Effect.async<A, CallError>((resume) => {
      const { name, frame, timeoutMs, decode, onProgress, causationId, taskId, readPage } = spec
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
          hostFibers: undefined,
          pauseTimeout: pauseTimeoutOf(id),
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

/** The addition to a `PluginStuck` reason if the plugin's output was paused: its answers may be waiting in the pipe. */
const OUTPUT_PAUSED =
  "its output was held back meanwhile, for it printed, logged or pushed more than it may, and its answers wait behind that"

/** The code of the failure by which the runner acknowledges a cancellation. */
const CANCELLED = "Cancelled"
