/**
 * The inferences of recorders, imports and queries where no source states a fact, and their rules. An event names the
 * rule next to the inferred value; without a rule, its writer knew the value. All rules are declared here.
 */

import { Schema } from "effect"

/** Rules that pair a result with its call. */
const PAIRING = {
  "call-id": "the result has the id of the call",
  "call-order":
    "the result has the id of no known call: the tool's name fits, and the order of the calls in the answer that the request continues",
  "call-text": "the program told its model the result in words, right after the call with its id",
  "call-input":
    "the client names no call: the result is that of the oldest open call of the same tool with the same input",
  "next-result": "the source names no call: the result is the next one after the call",
} as const

/** Rules that assign a request to a task, or find the request or answer that it continues. */
const CONTINUING = {
  thread: "the request names the answer or the conversation of the server that it continues",
  messages: "the request repeats the earlier messages; their meaning is compared, not their bytes",
  "sent-calls": "the request sends back calls that the model gave in this task alone",
  session: "the client names the same session as an earlier request of the task",
  caller: "the program made the request while it worked on the task",
  "no-conversation": "the request is part of no conversation: this task holds all requests of that kind",
} as const

const OTHERS = {
  "same-request": "an earlier request of the same content failed at most 150 seconds before",
  "told-last": "the source names no cause: this is the last thing that the agent was told before",
  "between-snapshots":
    "Hindcast looked at the files before and after the call, and no other recorded call was in progress; another program may have written meanwhile",
  "named-file": "more than one call may have changed the file, and this one alone names it in its arguments",
  values: "no event names the cause: the given arguments of the call occur in the answer, perhaps by chance",
} as const

/** The sentence of each rule, which follows a colon. */
export const RULES = { ...PAIRING, ...CONTINUING, ...OTHERS } as const

/** The name of a rule. */
export type InferenceRule = keyof typeof RULES

/** A rule that pairs a result with its call. */
export type PairingRule = keyof typeof PAIRING

/** A rule that finds the request or answer that a request continues. */
export type ContinuingRule = keyof typeof CONTINUING

const isRule = Schema.Literal(...(Object.keys(RULES) as [InferenceRule, ...Array<InferenceRule>]))

const rule = (description: string) => Schema.optionalWith(isRule.annotations({ description }), { exact: true })

/** The inferred parts of an event, each with its rule. */
export const Inferred = Schema.Struct({
  cause: rule("The rule that found its cause (`causationId`); for an outcome, also its command"),
  task: rule("The rule that assigned the request to this task"),
  after: rule("The rule that found the request or answer that it continues (`after` in the request)"),
  retryOf: rule("The rule that found the first attempt of this call"),
}).annotations({
  identifier: "Inferred",
  description:
    "The parts of this event that a recorder or an import inferred, and the rule for each. All other parts were known",
})

export type Inferred = typeof Inferred.Type

/** How an event of one account was found to tell the same as one of another. */
export const MATCH_RULES = {
  "same-id": "both name the call by the same id",
  "same-input": "one of them names no id: the next call of the same tool with the same arguments",
  "same-text": "the same text, at about the same time",
} as const

export const MatchRule = Schema.Literal(...(Object.keys(MATCH_RULES) as [MatchRule, ...Array<MatchRule>]))

/** The name of a rule. */
export type MatchRule = keyof typeof MATCH_RULES
