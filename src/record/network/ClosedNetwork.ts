/**
 * Closes the network for a program that a recording answers: every way out of Node fails and is reported. Applies to
 * the whole process, or to a function with all timers and promises it starts.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import * as OwnConnections from "../../platform/recorded/OwnConnections.ts"
import { shared } from "../../platform/recorded/Shared.ts"
import * as AllowedHosts from "./AllowedHosts.ts"
import type { Answering } from "./AnsweringServer.ts"
import { type NetworkAttempt, NetworkClosed, ownStackFrame } from "./NetworkAttempt.ts"

export interface Closing {
  readonly allowed: ReadonlyArray<AllowedHosts.AllowedHost>
  /** How to allow a host, as a sentence: `Add --allow-host db:5432 …`. */
  readonly advice: (host: string) => string
  readonly onAttempt: (attempt: NetworkAttempt) => void
  /** Default: always closed. */
  readonly isClosed?: () => boolean
  /** Answers HTTP requests, whether the network is closed or not. Default: nothing. */
  readonly answering?: Answering
}

/** `open`: Hindcast makes a real request. */
const scope = shared("network/1", () => new AsyncLocalStorage<Closing | "open">())

let ofProcess: Closing | undefined

/** Closes the network for the rest of the process. */
export const close = (closing: Closing): void => {
  ofProcess = closing
}

/** Runs a function with the network closed. */
export const during = <A>(closing: Closing, does: () => A): A => scope.run(closing, does)

/** Runs a function with the network open, even inside a closed one. */
export const outside = <A>(does: () => A): A => scope.run("open", does)

/** Whether the current code runs inside `outside`, or connects to the log. */
export const isOutside = (): boolean => scope.getStore() === "open" || OwnConnections.isInside()

/** The closed function that the current code belongs to; undefined for the rest of the process. */
export const region = (): Closing | undefined => {
  const found = scope.getStore()
  return found === "open" ? undefined : found
}

const concerning = (): Closing | undefined => {
  const found = OwnConnections.isInside() ? "open" : (scope.getStore() ?? ofProcess)
  return found === "open" ? undefined : found
}

const current = (): Closing | undefined => {
  const found = concerning()
  return found?.isClosed?.() === false ? undefined : found
}

/** The server that answers HTTP requests to a target; undefined if they go out or are refused. */
export const answering = (target: AllowedHosts.Target): Answering | undefined => {
  const found = concerning()
  return found === undefined || AllowedHosts.includes(found.allowed, target) ? undefined : found.answering
}

export const isAnswered = (socket: unknown): boolean => concerning()?.answering?.has(socket) ?? false

/**
 * Refuses a target and reports the attempt; returns undefined if the target is allowed.
 *
 * @param door the function that the program called; the reported stack begins above it
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

/** Refuses the connection of an already refused request, without a second report. */
export const refusalAgain = (target: AllowedHosts.Target): NetworkClosed | undefined => {
  const closing = current()
  if (closing === undefined || AllowedHosts.includes(closing.allowed, target)) return undefined
  const written = AllowedHosts.written(target)
  return new NetworkClosed({ means: "connection", target: written, advice: closing.advice(written) })
}

/** Refuses a DNS query. @param asked a name, or an address for a reverse lookup */
export const refusalOfName = (asked: string, door: Door): NetworkClosed | undefined => {
  const closing = current()
  if (closing === undefined || AllowedHosts.names(closing.allowed, asked)) return undefined
  return refused(closing, "name lookup", asked, door)
}

type Door = (...args: Array<never>) => unknown

/** Reports an attempt and returns the error for the program. */
export const refused = (
  closing: Closing,
  means: NetworkAttempt["means"],
  to: AllowedHosts.Target | string,
  door: Door,
): NetworkClosed => {
  const target = typeof to === "string" ? to : AllowedHosts.written(to)
  const stack = stackAbove(door)
  closing.onAttempt({ means, target, at: ownStackFrame(stack), stack })
  return new NetworkClosed({ means, target, advice: closing.advice(target) })
}

/** The stack above a function, deeper than the default limit: the program's own frame may be far up. */
const stackAbove = (door: Door): string => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = MOST_FRAMES
  const holder = { stack: "" }
  Error.captureStackTrace(holder, door)
  Error.stackTraceLimit = limit
  return holder.stack.replace(/^Error: ?\n?|^\[object Object\]\n/, "")
}

const MOST_FRAMES = 100
