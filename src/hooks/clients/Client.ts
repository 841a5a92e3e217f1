/** A coding agent's program: how it calls hooks, and which answers it accepts. */

import type { Json } from "../../values/Json.ts"
import type { HookEvent, HookRuling } from "../HookEvent.ts"

/** The output and exit code of a hook's command. */
export interface Answer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: 0 | 1 | 2
}

export interface Client {
  /** Its name on the command line and in the log. */
  readonly name: string
  readonly title: string
  /** The format of its session files, by which sessions' tasks are named. Default: its name. */
  readonly format?: string | undefined
  /** The tested version; undefined if only its documentation was read. */
  readonly tried: string | undefined
  /** Parses a payload; undefined if it does not have this client's shape. */
  readonly read: (payload: Json) => HookEvent | undefined
  /** Empty if there is nothing to decide. */
  readonly answer: (event: string, ruling: HookRuling) => Answer
}

export const EMPTY: Answer = { stdout: "", stderr: "", exitCode: 0 }

/** The refusal that every client accepts: exit code 2, with a sentence on standard error. */
export const refusal = (reason: string): Answer => ({ stdout: "", stderr: `${reason}\n`, exitCode: 2 })

/** The sentence for the model. */
export const reasonOf = ({ rule, reason }: { readonly rule: string; readonly reason: string }): string =>
  `Hindcast's gate refused this call (rule ${rule}): ${reason}`
