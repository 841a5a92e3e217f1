/** Refusals of requests, with the expected and the found value. */

import { Effect } from "effect"
import { defined } from "../../values/defined.ts"

/** The HTTP status, a name for programs, and the expected and the found value. */
export interface Refusal {
  readonly status: number
  readonly error: string
  readonly expected: string
  readonly found: string
  /** Headers that the status needs, such as `Allow`. */
  readonly headers?: { readonly [name: string]: string }
}

/** Why a request gets no answer: a refusal, or an error with a tag. */
export type Failure = Refusal | { readonly _tag: string; readonly message: string }

export const refusal = (
  status: number,
  error: string,
  expected: string,
  found: string,
  headers?: Refusal["headers"],
): Refusal => ({ status, error, expected, found, ...defined({ headers }) })

export const refuse = (...args: Parameters<typeof refusal>): Effect.Effect<never, Refusal> =>
  Effect.fail(refusal(...args))

/** Refuses every method but one (RFC 9110 §15.5.6). */
export const only = <A, E, R>(
  method: string,
  asked: string | undefined,
  answer: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | Refusal, R> =>
  asked === method ? answer : refuse(405, "MethodNotAllowed", `the method ${method}`, String(asked), { allow: method })

/** Text from outside, shortened and quoted. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN))

const MAX_SHOWN = 200
