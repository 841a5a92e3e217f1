/**
 * Closes the network for a program that is answered from a recording: each way out of Node fails, and whoever closed it is told.
 * For a whole process, or for what a function does, timers and promises that it starts included.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import * as AllowedHosts from "./AllowedHosts.ts"
import { type Attempt, NetworkClosed, ownFrame } from "./Attempt.ts"

/** What is closed, and for whom. */
export interface Closing {
  readonly allowed: ReadonlyArray<AllowedHosts.AllowedHost>
  /** What lets a host through, as a sentence: `Add --allow-host db:5432 …`. */
  readonly advice: (host: string) => string
  /** Called for each attempt. */
  readonly onAttempt: (attempt: Attempt) => void
  /** Whether it is closed now. Default: always. */
  readonly isClosed?: () => boolean
}

/** `open`: a request that is made for real, by whoever closed the network. */
const scope = new AsyncLocalStorage<Closing | "open">()

let ofProcess: Closing | undefined

/** Closes the network for the rest of the process. */
export const close = (closing: Closing): void => {
  ofProcess = closing
}

/** Runs a function for which the network is closed. */
export const during = <A>(closing: Closing, does: () => A): A => scope.run(closing, does)

/** Runs a function for which the network is open, whatever is closed around it. */
export const outside = <A>(does: () => A): A => scope.run("open", does)

/** What closes the network for the code that runs now; undefined if nothing does. */
const current = (): Closing | undefined => {
  const found = scope.getStore() ?? ofProcess
  return found === undefined || found === "open" || found.isClosed?.() === false ? undefined : found
}

/**
 * Why the code that runs now must not reach a target, of which whoever closed the network is told; undefined if it may.
 *
 * @param door the function that the program called: the stack begins above it
 */
export const refusal = (
  means: "connection" | "datagram",
  target: AllowedHosts.Target,
  door: Door,
): NetworkClosed | undefined => {
  const closing = current()
  if (closing === undefined || AllowedHosts.includes(closing.allowed, target)) return undefined
  return refused(closing, means, AllowedHosts.written(target), door)
}

/** The same for asking a server of names. @param asked the name, or the address whose name is asked for */
export const refusalOfName = (asked: string, door: Door): NetworkClosed | undefined => {
  const closing = current()
  if (closing === undefined || AllowedHosts.names(closing.allowed, asked)) return undefined
  return refused(closing, "name lookup", asked, door)
}

type Door = (...args: Array<never>) => unknown

const refused = (closing: Closing, means: Attempt["means"], target: string, door: Door): NetworkClosed => {
  const stack = stackAbove(door)
  closing.onAttempt({ means, target, at: ownFrame(stack), stack })
  return new NetworkClosed({ means, target, advice: closing.advice(target) })
}

/** The frames above a function. The program's own may be far up. */
const stackAbove = (door: Door): string => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = MOST_FRAMES
  const holder = { stack: "" }
  Error.captureStackTrace(holder, door)
  Error.stackTraceLimit = limit
  return holder.stack.replace(/^Error: ?\n?|^\[object Object\]\n/, "")
}

const MOST_FRAMES = 100
