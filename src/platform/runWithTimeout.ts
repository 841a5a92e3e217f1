/** Runs synchronous code from outside with a time limit, such as a regular expression that may loop. */

import * as vm from "node:vm"

/** The function exceeded its time limit. */
export class TookTooLong extends Error {}

/**
 * Runs a function and throws `TookTooLong` at the time limit, even in the middle of a regular expression. It blocks
 * this thread. The limit is a timer on another thread, which costs about 0.1 ms and also runs while this thread is not
 * scheduled: a function that used less than half of its time runs again.
 */
export const runWithTimeout = <A>(run: () => A, milliseconds: number): A => {
  for (let stalled = 0; ; stalled++) {
    const before = process.cpuUsage()
    const outcome = within(run, milliseconds)
    if (outcome !== "stopped") return outcome.answer
    const { user, system } = process.cpuUsage(before)
    if (stalled >= MAX_STALLS || (user + system) / 1000 >= milliseconds / 2) {
      throw new TookTooLong(`it took more than ${milliseconds} ms`)
    }
  }
}

/** Maximum reruns after a stop before half of the time was used. */
const MAX_STALLS = 3

const within = <A>(run: () => A, milliseconds: number): { readonly answer: A } | "stopped" => {
  const call: { run: () => A; answer?: A } = { run }
  const { slot, script, context } = timeoutContext()
  slot.call = call
  // Stopped code runs none of its `finally` blocks.
  const { stackTraceLimit } = Error
  try {
    script.runInContext(context, { timeout: milliseconds })
    return { answer: call.answer as A }
  } catch (cause) {
    if (!isTimeout(cause)) throw cause
    Error.stackTraceLimit = stackTraceLimit
    return "stopped"
  } finally {
    slot.call = undefined
  }
}

interface Slot {
  call: { run: () => unknown; answer?: unknown } | undefined
}

/** Created on first use: a context is expensive. */
const timeoutContext = () => {
  cached ??= make()
  return cached
}

const make = () => {
  const slot: Slot = { call: undefined }
  return { slot, script: new vm.Script("slot.call.answer = slot.call.run()"), context: vm.createContext({ slot }) }
}

let cached: ReturnType<typeof make> | undefined

// Test only the code: the error may come from another context.
const isTimeout = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
