/** What is known of a coding agent's program: how it calls hooks, and what it takes as an answer. Tried with the versions that each names. */

import type { Json } from "../../values/Json.ts"
import type { Moment, Verdict } from "../Moment.ts"

/** What a hook's command writes, and how it ends. */
export interface Answer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: 0 | 1 | 2
}

/** A client. */
export interface Client {
  /** Its name on the command line and in the log. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  /** The version that it was tried with; undefined if only its documentation was read. */
  readonly tried: string | undefined
  /** What a payload says; undefined if it has not the shape that this client sends. */
  readonly read: (payload: Json) => Moment | undefined
  /** The answer to a call. Of what is not decided, it is empty. */
  readonly answer: (event: string, verdict: Verdict) => Answer
}

/** Nothing. */
export const EMPTY: Answer = { stdout: "", stderr: "", exitCode: 0 }

/** The one refusal that every client that runs commands takes: the status 2, with a sentence on the standard error. */
export const refusal = (reason: string): Answer => ({ stdout: "", stderr: `${reason}\n`, exitCode: 2 })

/** The sentence that the model reads. */
export const reasonOf = ({ rule, reason }: { readonly rule: string; readonly reason: string }): string =>
  `Hindcast's gate refused this call (rule ${rule}): ${reason}`
