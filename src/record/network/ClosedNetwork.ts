/**
 * Closes the network for a program that is answered from a recording: each way out of Node fails, and whoever closed it is told.
 * For a whole process, or for what a function does, timers and promises that it starts included.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import * as AllowedHosts from "./AllowedHosts.ts"
import type { Answering } from "./AnsweringServer.ts"
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
  /** What answers requests of HTTP, closed or not. Default: nothing. */
  readonly answering?: Answering
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

/** Whether the code that runs now is for a request that is made for real by whoever closed, or records, the network. */
export const isOutside = (): boolean => scope.getStore() === "open"

/** The function that the code which runs now belongs to, of those that the network is closed for; undefined for the rest of the process. */
export const region = (): Closing | undefined => {
  const found = scope.getStore()
  return found === "open" ? undefined : found
}

/** What concerns the code that runs now. */
const concerning = (): Closing | undefined => {
  const found = scope.getStore() ?? ofProcess
  return found === "open" ? undefined : found
}

/** What closes the network for the code that runs now; undefined if nothing does. */
const current = (): Closing | undefined => {
  const found = concerning()
  return found?.isClosed?.() === false ? undefined : found
}

/** What answers a request of HTTP to a target; undefined if it goes out, or is refused. */
export const answering = (target: AllowedHosts.Target): Answering | undefined => {
  const found = concerning()
  return found === undefined || AllowedHosts.includes(found.allowed, target) ? undefined : found.answering
}

/** Whether a socket leads to what answers. */
export const isAnswered = (socket: unknown): boolean => concerning()?.answering?.has(socket) ?? false

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
  return refused(closing, means, target, door)
}

/** The same for a connection of a request that was refused, of which whoever closed the network was told. */
export const refusalAgain = (target: AllowedHosts.Target): NetworkClosed | undefined => {
  const closing = current()
  if (closing === undefined || AllowedHosts.includes(closing.allowed, target)) return undefined
  const written = AllowedHosts.written(target)
  return new NetworkClosed({ means: "connection", target: written, advice: closing.advice(written) })
}

/** The same for asking a server of names. @param asked the name, or the address whose name is asked for */
export const refusalOfName = (asked: string, door: Door): NetworkClosed | undefined => {
  const closing = current()
  if (closing === undefined || AllowedHosts.names(closing.allowed, asked)) return undefined
  return refused(closing, "name lookup", asked, door)
}

type Door = (...args: Array<never>) => unknown

/** Tells of an attempt. Returns the error that the program gets. */
export const refused = (
  closing: Closing,
  means: Attempt["means"],
  to: AllowedHosts.Target | string,
  door: Door,
): NetworkClosed => {
  const target = typeof to === "string" ? to : AllowedHosts.written(to)
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
