/** The outcome of a call: its JSON value, or the thrown error. */

import type { Json } from "../author.ts"
import { inspect } from "./Captured.ts"
import type { Failure } from "./HostFrame.ts"
import { findNonJson } from "./NonJson.ts"

export type Outcome =
  | { readonly type: "ok"; readonly value: unknown }
  | { readonly type: "error"; readonly error: Failure }
  | { readonly type: "invalid"; readonly reason: string }

/** An environment or a served world. */
export interface Stateful {
  readonly state: () => Json
}

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Continues with a value at once, or with a promise's value later. A turn of the event loop would cost time. */
export const after = <A, B>(value: A | PromiseLike<A>, next: (value: A) => B): B | Promise<B> =>
  isThenable(value) ? Promise.resolve(value as PromiseLike<A>).then(next) : next(value as A)

export const errorOutcome = (cause: unknown): Outcome => ({ type: "error", error: failureOf(cause) })

export const valueOutcome = (value: unknown): Outcome => {
  const wrong = findNonJson(value, 0)
  return wrong === undefined
    ? { type: "ok", value }
    : { type: "invalid", reason: `expected JSON, found ${wrong} in the answer` }
}

/**
 * The environment's state after a call. If computing it fails, the answer is invalid, because the call's effect is
 * unknown.
 */
export const stateAfter = (world: Stateful | undefined, outcome: Outcome): { readonly state?: Json } | Outcome => {
  if (world === undefined) return {}
  try {
    const state = world.state()
    const wrong = findNonJson(state, 0)
    return wrong === undefined
      ? { state }
      : { type: "invalid", reason: `expected JSON, found ${wrong} in environment.state()` }
  } catch (cause) {
    // A failed reset may leave no state; its failure is then the better answer.
    return outcome.type === "error" ? {} : { type: "invalid", reason: `environment.state() threw: ${describe(cause)}` }
  }
}

export const failureOf = (cause: unknown): Failure => {
  if (!(cause instanceof Error)) return { code: "Error", message: typeof cause === "string" ? cause : inspect(cause) }
  const code = (cause as { readonly code?: unknown }).code
  const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
  return { code: [code, cause.name].find(isText) ?? "Error", message: String(cause.message) }
}

export const describe = (cause: unknown): string =>
  cause instanceof Error ? String(cause.stack ?? `${cause.name}: ${cause.message}`) : inspect(cause)
