/** The call context and the answers that tools and sensors of the program share. */

import type { Effect } from "effect"
import type { Signal } from "../../plugins/author.ts"
import type { JsonObject } from "../../values/Json.ts"

/** The context of one call. */
export interface CallContext {
  readonly taskId: string
  /** The task's timeline: `main`, or that of a fork. A fork calls today's code, with all of its effects. */
  readonly timeline: string
  /**
   * Aborts when nobody needs the answer: the task is closed, the caller is interrupted, or the time-out has passed. A
   * function that ignores it continues; its answer is dropped.
   */
  readonly signal: Signal
  /** The time of the call by the kernel's clock, in epoch milliseconds. */
  readonly now: number
  /**
   * Returns a number in [0, 1) that follows from the task's seed and the component: the same task draws the same
   * numbers.
   */
  readonly random: () => number
  readonly metadata: JsonObject
  /** Writes a line to the event log (`PluginLogged`), under the task. */
  readonly log: (message: string, level?: "debug" | "info" | "warn" | "error") => void
}

/** The context of a tool's call. */
export interface ToolContext extends CallContext {
  /** The command of the call. */
  readonly commandId: string
  /**
   * The tool's `idempotencyKey` for this command, otherwise the command's id. It is the same for each attempt at the
   * command, also in another process after a crash.
   */
  readonly idempotencyKey: string
  /** The number of the attempt at the command, from 1 (see the tool's `retry`). A new process counts from 1 again. */
  readonly attempt: number
  /**
   * Reports progress: a fraction from 0 to 1, or a few words of up to 500 characters. Listeners (`onProgress`, channels)
   * see it at once; the outcome records up to 100 reports.
   */
  readonly progress: (report: number | string) => void
}

/** The command for which a tool makes an idempotency key. */
export interface KeyedCommand {
  readonly taskId: string
  readonly timeline: string
  readonly commandId: string
}

/** An answer: the value, a promise of it, or an Effect of it. */
export type Answer<A> = A | PromiseLike<A> | Effect.Effect<A, unknown, unknown>

/** The services that an answer needs, if it is an Effect. */
export type NeededBy<Returned> = Returned extends Effect.Effect<unknown, unknown, infer Services> ? Services : never

/** A tool or sensor as the compiler sees it, without its options. */
export interface Opaque<Kind extends "tool" | "sensor", out Services> {
  readonly description: string
  /** Exists at compile time only. */
  readonly [Brand]: { readonly kind: Kind; readonly services: (_: never) => Services }
}

declare const Brand: unique symbol

/** The services that a tool or sensor needs. */
export type ServicesOf<Component> = Component extends Opaque<"tool" | "sensor", infer Services> ? Services : never
