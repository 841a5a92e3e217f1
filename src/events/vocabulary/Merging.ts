/** Event type of another account of a task, such as a session's file, that was merged into it. */

import { Schema } from "effect"
import { eventType, optional } from "./EventType.ts"

/** How an event of one account was found to tell the same as one of another. */
export const MATCH_RULES = {
  "same-id": "both name the call by the same id",
  "same-input": "one of them names no id: the next call of the same tool with the same arguments",
  "same-text": "the same text, at about the same time",
} as const

export type MatchRule = keyof typeof MATCH_RULES

const rule = Schema.Literal(...(Object.keys(MATCH_RULES) as [MatchRule, ...Array<MatchRule>]))

export const mergingEvents = [
  eventType(
    "AccountMerged",
    "Another account of the task was merged into it. What both have is in the log once; the rest was added.",
    {
      source: Schema.NonEmptyString.annotations({ description: "The format of the other account" }),
      matches: Schema.Array(
        Schema.Struct({
          key: Schema.String.annotations({ description: "The event in the other account, by that account's ids" }),
          event: Schema.NonEmptyString.annotations({ description: "The id of the task's event that tells the same" }),
          rule: rule.annotations({ description: "How they were found to be the same" }),
        }),
      ),
      begins: optional(
        Schema.Struct({ with: Schema.NonEmptyString, isCopied: Schema.Boolean }).annotations({
          description: "How the other account begins, as in `TaskOpened`: a fork of the session begins the same way",
        }),
      ),
    },
  ),
] as const
