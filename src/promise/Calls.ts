/**
 * Runs effects as promises. A promise is rejected with what the effect failed with: the tagged error itself, the
 * defect itself, or, if its signal interrupted it, the signal's reason. All calls end when the Hindcast that they belong
 * to is closed.
 */

import { Cause, Data, Effect, Exit, Option, Runtime, Scope } from "effect"
import * as CallingFiber from "../platform/fibers/CallingFiber.ts"
import type { Signal } from "../plugins/author.ts"

/** What every call of `hindcast/promise` takes: within its last options, or as one more argument. */
export interface CallOptions {
  /** Aborting it interrupts the call. The promise is rejected with the signal's reason, after all is cleaned up. */
  readonly signal?: Signal | undefined
}

/** Open Hindcast again: it was closed before this call, or while it was under way. */
export class Closed extends Data.TaggedError("Closed")<{
  /** The log's file. */
  readonly log: string
}> {
  override get message() {
    return `Hindcast on ${this.log}: expected a call that ends before close(), found one that was under way or came later. Open it again.`
  }
}

/** The calls of one Hindcast. */
export interface Calls {
  /** Runs an effect. When Hindcast is closed, calls under way are interrupted and rejected with `Closed`, as are later ones. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>, signal?: Signal) => Promise<A>
  /** Runs a short effect, such as one append. When Hindcast is closed, such calls end before others are interrupted. */
  readonly finish: <A, E>(effect: Effect.Effect<A, E>, signal?: Signal) => Promise<A>
  /** Closes before the services that the calls use: the scope of what a call leaves open. */
  readonly scope: Scope.CloseableScope
  readonly isClosed: () => boolean
  /** Ends all calls, and then the scope. Idempotent: later calls answer with the same promise. */
  readonly close: () => Promise<void>
}

/**
 * @param log the log's file, for messages
 * @param before runs when Hindcast is closed, before the calls under way are interrupted
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

/** Runs an effect that belongs to no Hindcast. */
export const run = <A, E>(effect: Effect.Effect<A, E>, signal?: Signal): Promise<A> =>
  settled(Runtime.defaultRuntime, effect, signal).promise

/** An effect that runs, and its promise. `interrupt` resolves when the effect has ended. */
interface Settled<A> {
  readonly promise: Promise<A>
  readonly interrupt: () => Promise<unknown>
}

/** @param interruptedBy what the promise is rejected with if the effect was interrupted, and not by the signal */
const settled = <A, E>(
  runtime: Runtime.Runtime<never>,
  effect: Effect.Effect<A, E>,
  signal?: Signal,
  interruptedBy: () => unknown = () => undefined,
): Settled<A> => {
  // What is aborted already is not begun.
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

/** What a promise is rejected with: the failure, else the defect, as it is. */
export const problemOf = (cause: Cause.Cause<unknown>): unknown =>
  Option.getOrElse(Cause.failureOption(cause), () =>
    Option.getOrElse(Cause.dieOption(cause), () => Cause.squash(cause)),
  )

/**
 * Calls `listener` when a signal is aborted, until the returned function is called. However many calls share a signal,
 * it has one listener: Node warns of more than ten.
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
