/** The conversation of a model agent with its model, as a pure fold over a task's events. */

import { Option, Schema } from "effect"
import type { Event } from "../events/vocabulary/Event.ts"
import { optional } from "../events/vocabulary/EventType.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as DataSchema from "../kernel/program/DataSchema.ts"
import { isKept } from "../projections/request/RequestMessage.ts"
import { JsonObject } from "../values/Json.ts"
import type { Remembered } from "./Memory.ts"
import { AnswerPart, type CallPart, Message } from "./models/Message.ts"
import type { ToolDescription } from "./models/Model.ts"

/** The record of an agent's request in `ModelCalled`: the news since its last one. */
export const RecordedRequest = Schema.Struct({
  messages: Schema.Array(Message),
  tools: optional(
    Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, args: Schema.Unknown })),
  ),
  options: optional(
    JsonObject.annotations({
      description: "`toolChoice`, `reasoning`, `serviceTier` and `providerOptions`, where they are set",
    }),
  ),
})

/** The record of an answer in `ModelResponded`. */
export const RecordedAnswer = Schema.Struct({
  parts: Schema.Array(AnswerPart),
  finish: Schema.Literal("stop", "calls", "length"),
})

export type RecordedAnswer = typeof RecordedAnswer.Type

const asRequest = Schema.decodeUnknownOption(RecordedRequest)
const asAnswer = Schema.decodeUnknownOption(RecordedAnswer)

/** A conversation, and the tools that the model knows. */
export interface Conversation extends Remembered {
  readonly tools: ReadonlyArray<ToolDescription>
}

/** The conversation before its first message. */
export const EMPTY: Conversation = { messages: [], summary: null, tokens: 0, tools: [] }

/**
 * Folds the events of one task, oldest first. The conversation has every sent message and every whole answer, including
 * those that a memory policy leaves out, but no requests of critics or of agents that call models by themselves.
 */
export const of = (events: ReadonlyArray<Event>): Conversation => {
  /** Requests without an answer, with their messages. Those of a request that never gets one were not sent. */
  const asked = new Map<string, { messages: ReadonlyArray<Message> }>()
  let conversation = EMPTY
  const told = (request: string, answer: ReadonlyArray<Message>, tokens: number) => {
    const sent = asked.get(request)
    if (sent === undefined) return
    asked.delete(request)
    const { messages } = sent
    sent.messages = []
    conversation = { ...conversation, messages: [...conversation.messages, ...messages, ...answer], tokens }
  }
  for (const event of events) {
    if (is(event, "TimelineForked") && event.payload.overrides.fresh === true) {
      conversation = EMPTY
    } else if (is(event, "ModelCalled")) {
      const request = Option.getOrUndefined(asRequest(event.payload.request))
      if (request === undefined) continue
      // A hedge repeats the first request, so the messages count once, whichever is answered.
      asked.set(event.id, asked.get(event.payload.hedgeOf ?? "") ?? { messages: request.messages })
      // `Turns` wrote the tools; their schemas are JSON, like every payload.
      const tools = request.tools as ReadonlyArray<ToolDescription> | undefined
      if (tools !== undefined) conversation = { ...conversation, tools }
    } else if (is(event, "ModelFailed") && event.payload.kind !== "cancelled") {
      const { kind, response } = event.payload
      told(event.causationId ?? "", kind === "interrupted" ? interruptedIn(response) : [], conversation.tokens)
    } else if (is(event, "ModelResponded")) {
      const answer = Option.getOrUndefined(asAnswer(event.payload.response))
      const { inputTokens, outputTokens } = event.payload.usage
      const said: ReadonlyArray<Message> = answer === undefined ? [] : [{ role: "assistant", content: answer.parts }]
      told(event.causationId ?? "", said, inputTokens + outputTokens)
    } else if (is(event, "MemoryCompacted")) {
      const { messages, summary } = event.payload
      conversation = { ...conversation, summary: { messages, text: summary }, tokens: 0 }
    }
  }
  return conversation
}

/** The calls in an answer. */
export const callsIn = ({ parts }: RecordedAnswer): ReadonlyArray<CallPart> =>
  parts.filter((part) => part.type === "call")

/** The text of an answer. */
export const textIn = ({ parts }: RecordedAnswer): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")

/** Longest reasoning on a decision, in characters. The answer keeps it whole. */
const LONGEST_IN_DECISION = 4_000

/** The reasoning in an answer, at most 4,000 characters; undefined if the provider shows none. */
export const reasoningIn = ({ parts }: RecordedAnswer): string | undefined => {
  const whole = parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("")
  return whole.trim() === "" ? undefined : cutForDecision(whole)
}

/** A text as a decision has it next to its choice: at most 4,000 characters. The answer has it whole. */
export const cutForDecision = (whole: string): string =>
  whole.length <= LONGEST_IN_DECISION ? whole : `${whole.slice(0, LONGEST_IN_DECISION - 1)}…`.toWellFormed()

const asParts = Schema.decodeUnknownOption(Schema.Struct({ parts: Schema.Array(AnswerPart) }))

/** The message that an interrupted answer leaves: its text so far. */
export const interruptedIn = (response: unknown): ReadonlyArray<Message> => {
  const { parts } = Option.getOrElse(asParts(response), () => ({ parts: [] }))
  const content = parts.filter(isKept)
  return content.length === 0 ? [] : [{ role: "assistant", content }]
}

/**
 * Decodes the structured answer in a task's events; none if there is none, or if the schema does not describe it.
 * Throws `TypeError` for a schema that validates asynchronously.
 */
export const answerIn = <const Of extends DataSchema.DataSchema>(
  schema: Of,
  events: ReadonlyArray<Event>,
): Option.Option<DataSchema.Described<Of, JsonObject>> => {
  const answers = events.flatMap((event) =>
    is(event, "DecisionMade") && "answer" in event.payload.choice ? [event.payload.choice.answer] : [],
  )
  if (answers.length === 0) return Option.none()
  const decoded = DataSchema.decodeNow(schema, answers.at(-1))
  // The schema says what it decodes to.
  return Option.getRight(decoded) as Option.Option<DataSchema.Described<Of, JsonObject>>
}
