/**
 * Runs effects as promises. A promise rejects with the effect's tagged error, with its defect, or, if a signal
 * interrupted it, with the signal's reason. Closing Hindcast ends all of its calls.
 */

import { Cause, Data, Effect, Exit, Option, Runtime, Scope } from "effect"
import * as CallingFiber from "../platform/fibers/CallingFiber.ts"
import type { Signal } from "../plugins/author.ts"

/** Options of every call of `hindcast/promise`: part of its last options, or one more argument. */
export interface CallOptions {
  /** Aborting it interrupts the call. The promise rejects with the signal's reason, after the call has cleaned up. */
  readonly signal?: Signal | undefined
}

/** Hindcast was closed before or during the call. Open it again. */
export class Closed extends Data.TaggedError("Closed")<{
  /** The log's file. */
  readonly log: string
}> {
  override get message() {
    return `Hindcast on ${this.log}: expected a call that ends before close(), found one in progress or later. Open it again.`
  }
}

/** The calls of one opened Hindcast. */
export interface Calls {
  /** Runs an effect. `close` interrupts calls in progress; they and later ones reject with `Closed`. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>, signal?: Signal) => Promise<A>
  /** Runs a short effect, such as one append. `close` awaits it before it interrupts the other calls. */
  readonly finish: <A, E>(effect: Effect.Effect<A, E>, signal?: Signal) => Promise<A>
  /** For resources that outlive their call. It closes before the services that calls use. */
  readonly scope: Scope.CloseableScope
  readonly isClosed: () => boolean
  /** Ends all calls, then closes the scope. Idempotent: every call returns the same promise. */
  readonly close: () => Promise<void>
}

/**
 * @param log the log's file, for messages
 * @param before runs at closing, before calls are interrupted
 */
export const make = (
  log: string,
  runtime: Runtime.Runtime<never>,
  scope: Scope.CloseableScope,
  before: Effect.Effect<void> = Effect.void,
): Calls => {
  const underWay = new Set<() => Promise<unknown>>()
  const finishing = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined
  const isClosed = () => closed !== undefined

  const end = async () => {
    await settled(runtime, before).promise
    await Promise.allSettled(finishing)
    await Promise.all([...underWay].map((interrupt) => interrupt()))
    await settled(runtime, Scope.close(scope, Exit.void)).promise
  }

  return {
    scope,
    isClosed,
    run: (effect, signal) => {
      if (isClosed()) return Promise.reject(new Closed({ log }))
      const call = settled(runtime, effect, signal, () => (isClosed() ? new Closed({ log }) : undefined))
      underWay.add(call.interrupt)
      return call.promise.finally(() => underWay.delete(call.interrupt))
    },
    finish: (effect, signal) => {
      if (isClosed()) return Promise.reject(new Closed({ log }))
      const { promise } = settled(runtime, effect, signal)
      finishing.add(promise)
      return promise.finally(() => finishing.delete(promise))
    },
    close: () => {
      closed ??= Promise.resolve().then(end)
      return closed
    },
  }
}

/** Runs an effect that needs no opened Hindcast. */
export const run = <A, E>(effect: Effect.Effect<A, E>, signal?: Signal): Promise<A> =>
  settled(Runtime.defaultRuntime, effect, signal).promise

/** A running effect. `interrupt` resolves once the effect has ended. */
interface Settled<A> {
  readonly promise: Promise<A>
  readonly interrupt: () => Promise<unknown>
}

/** @param interruptedBy the rejection if something other than the signal interrupted the effect */
const settled = <A, E>(
  runtime: Runtime.Runtime<never>,
  effect: Effect.Effect<A, E>,
  signal?: Signal,
  interruptedBy: () => unknown = () => undefined,
): Settled<A> => {
  // An aborted signal means that the call never begins.
  if (signal?.aborted === true) return { promise: Promise.reject(signal.reason), interrupt: () => Promise.resolve() }
  const fiber = Runtime.runFork(runtime)(effect)
  const interrupt = () => CallingFiber.interrupt(fiber)
  const forget = signal === undefined ? () => {} : onAbort(signal, interrupt)
  const ended = new Promise<Exit.Exit<A, E>>((resolve) => fiber.addObserver(resolve))
  return {
    promise: ended.then((exit) => {
      forget()
      if (Exit.isSuccess(exit)) return exit.value
      if (!Cause.isInterruptedOnly(exit.cause)) throw problemOf(exit.cause)
      throw signal?.aborted === true ? signal.reason : (interruptedBy() ?? problemOf(exit.cause))
    }),
    interrupt: () => {
      interrupt()
      return ended
    },
  }
}

/** The rejection: the failure, otherwise the defect. */
export const problemOf = (cause: Cause.Cause<unknown>): unknown =>
  Option.getOrElse(Cause.failureOption(cause), () =>
    Option.getOrElse(Cause.dieOption(cause), () => Cause.squash(cause)),
  )

/**
 * Calls `listener` when a signal aborts, until the caller runs the returned function. Adds one listener per signal,
 * because Node warns of more than ten.
 */
const onAbort = (signal: Signal, listener: () => void): (() => void) => {
  const listeners = listenersOf.get(signal) ?? listening(signal)
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const listening = (signal: Signal): Set<() => void> => {
  const listeners = new Set<() => void>()
  listenersOf.set(signal, listeners)
  signal.addEventListener("abort", () => {
    for (const listener of listeners) listener()
  })
  return listeners
}

const listenersOf = new WeakMap<Signal, Set<() => void>>()
