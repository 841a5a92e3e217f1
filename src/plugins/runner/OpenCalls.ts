/** The plugin's unanswered calls. Each gets exactly one answer: from its function or from its cancellation. */
import { resolved } from "./Captured.ts"
import type { Send } from "./Frames.ts"
import { errorOutcome, isThenable, type Outcome, type Stateful, stateAfter, valueOutcome } from "./Outcome.ts"

/** A call without an answer. */
export interface OpenCall {
  readonly id: number
  cancelled: boolean
  controller?: AbortController
}

/** Created on first access: most functions do not use the signal, and it costs as much as a call. */
export const signalOf = (call: OpenCall): AbortSignal => {
  call.controller ??= new AbortController()
  if (call.cancelled) call.controller.abort()
  return call.controller.signal
}

/** The unanswered calls of one process. */
export interface OpenCalls {
  /** Runs a function and sends its answer, with the environment's state afterwards if there is one. */
  readonly answer: (id: number, world: Stateful | undefined, run: (open: OpenCall) => unknown) => void
  /** Answers a call as cancelled and aborts its signal. Returns false if the call already has an answer. */
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
      // Sends a synchronous result at once: a turn of the event loop costs more than most calls.
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
