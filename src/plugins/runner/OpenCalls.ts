/** The calls that a plugin is working on. Every call is answered exactly once: by its function or by its cancellation. */
import { resolved } from "./Captured.ts"
import type { Send } from "./Frames.ts"
import { errorOutcome, isThenable, type Outcome, type Stateful, stateAfter, valueOutcome } from "./Outcome.ts"

/** A call that is not answered yet. */
export interface OpenCall {
  readonly id: number
  cancelled: boolean
  controller?: AbortController
}

/** Creates the signal on first access: most functions do not use it, and it costs as much as a call. */
export const signalOf = (call: OpenCall): AbortSignal => {
  call.controller ??= new AbortController()
  if (call.cancelled) call.controller.abort()
  return call.controller.signal
}

/** The calls in progress. */
export interface OpenCalls {
  /** Runs a function and sends what it answers, with the environment's state afterwards if there is an environment. */
  readonly answer: (id: number, world: Stateful | undefined, run: (open: OpenCall) => unknown) => void
  /** Answers a call as cancelled and aborts its signal. Returns false if the call was answered already. */
  readonly cancel: (id: number) => boolean
  readonly isOpen: (id: number) => boolean
}

export const openCalls = (send: Send): OpenCalls => {
  const calls = new Map<number, OpenCall>()
  return {
    answer: (id, world, run) => {
      const open: OpenCall = { id, cancelled: false }
      calls.set(id, open)
      const finish = (outcome: Outcome) => {
        if (calls.delete(id)) send({ id, ...outcome, ...stateAfter(world, outcome) })
      }
      // A synchronous result is sent immediately, because a turn of the event loop costs more than most calls.
      let outcome: Outcome | undefined
      try {
        const value = run(open)
        if (!isThenable(value)) outcome = valueOutcome(value)
        else void resolved(value).then(valueOutcome).catch(errorOutcome).then(finish)
      } catch (cause) {
        outcome = errorOutcome(cause)
      }
      if (outcome !== undefined) finish(outcome)
    },
    cancel: (id) => {
      const call = calls.get(id)
      if (call === undefined) return false
      calls.delete(id)
      call.cancelled = true
      send({ type: "error", id, error: { code: "Cancelled", message: "the caller no longer wants the answer" } })
      call.controller?.abort()
      return true
    },
    isOpen: (id) => calls.has(id),
  }
}
