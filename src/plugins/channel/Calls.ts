import { type Clock, Effect, type Fiber, FiberId } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { plainText } from "../../values/Json.ts"
import { AnswerInvalid, type CallError, CallFailed, CallTimedOut, PluginExited, PluginStuck } from "../PluginError.ts"
import type { Child, ChildExit } from "../sandbox/Child.ts"
import * as CallProgress from "./CallProgress.ts"
import * as NextTimeout from "./NextTimeout.ts"
import type { OpenCall } from "./OpenCall.ts"
import { type AnswerFrame, CALLS_IN_FLIGHT, encode, FRAME_LIMIT, type HostFrame } from "./Protocol.ts"

/** Has what the host does for a call interrupted when the call ends early. */
export const serve = (call: OpenCall, fiber: Fiber.RuntimeFiber<unknown>): void => {
  const brokered = call.brokered ?? new Set()
  call.brokered = brokered.add(fiber)
  fiber.addObserver(() => brokered.delete(fiber))
}

/** One call: its name, its frame, how long it may take, and what an answer comes to. */
export interface Calling<A> extends Omit<OpenCall, "brokered" | "hold"> {
  readonly frame: (id: number, now: number) => HostFrame
  /** Counted from when it is sent. */
  readonly timeoutMs: number
  readonly take: (frame: OkFrame) => Effect.Effect<A, CallError>
}

export type OkFrame = Extract<AnswerFrame, { readonly type: "ok" }>

/** An answer that no call waits for, told apart by why. */
export interface Stray {
  readonly code: "LateAnswer" | "SecondAnswer" | "UnaskedAnswer"
  readonly reason: string
}

/** The calls of one process: each is answered exactly once, by the plugin, the time-out or the process's end. */
export interface Calls {
  /**
   * Sends a call and waits for the answer. Interruption cancels it in the plugin. A plugin that does not acknowledge a
   * cancelled call, because its event loop is stuck, is killed. At most `CALLS_IN_FLIGHT` are sent; more wait their turn.
   */
  readonly call: <A>(calling: Calling<A>) => Effect.Effect<A, CallError>
  /** Asks for a sign of life, beside all calls. */
  readonly ping: (onAnswer: () => void) => void
  /** The open call with this id. */
  readonly find: (id: number) => OpenCall | undefined
  /** Whether there ever was a call with this id. */
  readonly wasAsked: (id: number) => boolean
  /** Takes an answer in; answers what is wrong with one that nobody waits for. */
  readonly answer: (frame: AnswerFrame) => Stray | undefined
  /** Kills the process for not reacting for so many milliseconds: its open calls fail with `PluginStuck`. */
  readonly stuck: (reason: string, silentMs: number) => void
  /** Fails every open call; answers with their names. */
  readonly end: (exit: ChildExit) => ReadonlyArray<string>
  /** Notes that the process does something without being called. */
  readonly touch: () => void
  /** When the last call ended, or the process was last touched, by `performance.now`; undefined while a call is open. */
  readonly idleSince: () => number | undefined
}

interface Sending {
  readonly plugin: string
  readonly child: Child
  /** How long a cancelled call may go unacknowledged. */
  readonly cancelMs: number
}

interface Waiting extends OpenCall {
  readonly timeoutMs: number
  /** When it times out, by `performance.now`; while its time stands still, how long it would have had. */
  dueAt: number
  /** How many hold its time. */
  held: number
  readonly answer: (frame: AnswerFrame) => void
  readonly fail: (error: CallError) => void
}

/** A call that was cancelled and not acknowledged: the timer will kill the process. */
interface Cancelled {
  readonly name: string
  readonly timer: NodeJS.Timeout
}

interface Ended extends ChildExit {
  readonly inFlight: ReadonlyArray<string>
}

/** Longest frame, in characters, that is sent without waiting for its turn; see `sendInTurn`. */
const SMALL_FRAME = 64 * 1024

export const make = ({ plugin, child, cancelMs }: Sending): Calls => {
  const open = new Map<number, Waiting>()
  /** Calls that wait until fewer are open: each is sent by being called. */
  const queue = new Set<() => void>()
  const cancelled = new Map<number, Cancelled>()
  const pings = new Map<number, () => void>()
  const large: Array<{ readonly id: number; readonly text: string }> = []
  let sending = false
  let ended: Ended | undefined
  let stuckBecause: string | undefined
  let last = 0
  let lastUsedAt = performance.now()

  const exited = (call: string, { code, signal, reason, inFlight }: Ended): CallError =>
    reason !== undefined && reason === stuckBecause
      ? new PluginStuck({ plugin, reason, inFlight, call })
      : new PluginExited({ plugin, code, signal, inFlight, call, ...(reason === undefined ? {} : { reason }) })

  const stuck = (reason: string, silentMs: number) => {
    const isHeldBack = child.restedSince(performance.now() - silentMs)
    stuckBecause ??= isHeldBack ? `${reason}; ${HELD_BACK}` : reason
    child.kill(stuckBecause)
  }

  const sendNext = () => {
    if (open.size >= CALLS_IN_FLIGHT) return
    for (const next of queue) {
      queue.delete(next)
      return next()
    }
  }

  /** Takes a call off the table, and stops what the host does for it. */
  const close = (id: number): Waiting | undefined => {
    const call = open.get(id)
    if (call === undefined) return undefined
    open.delete(id)
    lastUsedAt = performance.now()
    if (call.brokered !== undefined) {
      for (const fiber of call.brokered) fiber.unsafeInterruptAsFork(FiberId.none)
    }
    sendNext()
    return call
  }

  const cancel = (id: number) => {
    const call = close(id)
    if (call === undefined || ended !== undefined) return
    const unsent = large.findIndex((waiting) => waiting.id === id)
    if (unsent !== -1) {
      large.splice(unsent, 1)
      return
    }
    child.send(encode({ type: "cancel", id }))
    const unheard = () =>
      stuck(`it did not acknowledge within ${cancelMs} ms that ${call.name} was cancelled`, cancelMs)
    cancelled.set(id, { name: call.name, timer: setTimeout(unheard, cancelMs) })
  }

  /** Ends the calls that are due; the timers that wake it may be a part of a millisecond early. */
  const timeOut = (): number => {
    const now = performance.now() + 1
    let next = Number.POSITIVE_INFINITY
    for (const [id, { name, timeoutMs, dueAt, held, fail }] of open) {
      if (held > 0) continue
      if (dueAt > now) next = Math.min(next, dueAt)
      else {
        cancel(id)
        fail(new CallTimedOut({ plugin, call: name, afterMs: timeoutMs }))
      }
    }
    return next
  }
  const alarm = NextTimeout.make(timeOut)

  /** Has the time of a call stand still: it has as much left afterwards as it has now. */
  const hold = (id: number) => () => {
    const call = open.get(id)
    if (call === undefined) return () => {}
    if (call.held++ === 0) call.dueAt -= performance.now()
    return () => {
      if (--call.held > 0) return
      call.dueAt += performance.now()
      alarm.by(call.dueAt)
    }
  }

  /** Large frames wait until the one before has left this process: a plugin that does not read fills no memory here. */
  const sendInTurn = () => {
    const next = sending ? undefined : large.shift()
    if (next === undefined) return
    sending = true
    Effect.runCallback(child.deliver(next.text), {
      onExit: () => {
        sending = false
        sendInTurn()
      },
    })
  }

  /** One step of Effect's, for every call passes here: all else is plain callbacks. */
  const ask = <A>(calling: Calling<A>, clock: Clock.Clock) =>
    Effect.async<A, CallError>((resume) => {
      const { name, frame, timeoutMs, take, onProgress, causationId, taskId, readPage } = calling
      const fail = (error: CallError) => resume(Effect.fail(error))
      let id: number | undefined
      const send = () => {
        if (ended !== undefined) return fail(exited(name, ended))
        id = ++last
        const text = encode(frame(id, clock.unsafeCurrentTimeMillis()))
        if (!fitsFrame(text)) {
          fail(tooLong(plugin, name))
          return sendNext()
        }
        const dueAt = performance.now() + timeoutMs
        open.set(id, {
          name,
          causationId,
          taskId,
          onProgress: CallProgress.newest(onProgress),
          readPage,
          brokered: undefined,
          hold: hold(id),
          timeoutMs,
          dueAt,
          held: 0,
          answer: (answered) =>
            answered.type === "ok" ? resume(take(answered)) : fail(failureIn(plugin, name, answered)),
          fail,
        })
        alarm.by(dueAt)
        if (text.length <= SMALL_FRAME) child.send(text)
        else {
          large.push({ id, text })
          sendInTurn()
        }
      }
      if (open.size < CALLS_IN_FLIGHT) send()
      else queue.add(send)
      return Effect.sync(() => {
        if (id === undefined) queue.delete(send)
        else cancel(id)
      })
    })

  return {
    call: (calling) => Effect.clockWith((clock) => ask(calling, clock)),
    ping: (onAnswer) => {
      const id = ++last
      pings.set(id, onAnswer)
      child.send(encode({ type: "ping", id }))
    },
    find: (id) => open.get(id),
    wasAsked: (id) => id >= 1 && id <= last,
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
      const late = cancelled.get(id)
      if (late !== undefined) {
        clearTimeout(late.timer)
        cancelled.delete(id)
        return frame.type === "error" && frame.error.code === CANCELLED
          ? undefined
          : { code: "LateAnswer", reason: `${late.name} was answered when nobody waited for it any more` }
      }
      return id >= 1 && id <= last
        ? { code: "SecondAnswer", reason: `call ${id} was answered already` }
        : { code: "UnaskedAnswer", reason: `nobody made the call ${id}: the last one was ${last}` }
    },
    stuck,
    end: (exit) => {
      const inFlight = [...open.values()].map(({ name }) => name)
      ended = { ...exit, inFlight }
      alarm.stop()
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

/** Why a plugin that reacts may not have been heard. */
const HELD_BACK =
  "its output was held back meanwhile, for it printed, logged or pushed more than it may, and its answers wait behind that"

/** How the runner acknowledges that a call was cancelled: by a failure with this code. */
const CANCELLED = "Cancelled"

/** A character takes at most three bytes: most texts need not be measured. */
const fitsFrame = (text: string): boolean => text.length * 3 <= FRAME_LIMIT || Buffer.byteLength(text) <= FRAME_LIMIT

const failureIn = (
  plugin: string,
  call: string,
  frame: Exclude<AnswerFrame, { readonly type: "ok" }>,
): CallFailed | AnswerInvalid => {
  const state = frame.state === undefined ? {} : { state: frame.state }
  return frame.type === "error"
    ? new CallFailed({ plugin, call, error: plainFailure(frame.error), ...state })
    : new AnswerInvalid({ plugin, call, reason: plainText(frame.reason), ...state })
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
