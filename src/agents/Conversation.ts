/** The conversation of a model agent with its model, as the log has it: a pure fold over a task's events. */

import { Option, Schema } from "effect"
import type { Event } from "../events/vocabulary/Event.ts"
import { optional } from "../events/vocabulary/EventType.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import type { Remembered } from "./Memory.ts"
import { AnswerPart, type CallPart, Message } from "./models/Message.ts"
import type { ToolDescription } from "./models/Model.ts"

/** What `ModelCalled` records of an agent's request: what is new in it since the agent's last one. */
export const RecordedRequest = Schema.Struct({
  messages: Schema.Array(Message),
  /** The tools, where they changed. */
  tools: optional(
    Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, args: Schema.Unknown })),
  ),
})

/** What `ModelResponded` records of an answer. */
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

export const EMPTY: Conversation = { messages: [], summary: null, tokens: 0, tools: [] }

/**
 * The conversation after some events of one task, oldest first. It has every message that the model was told and every
 * whole answer, also those that a memory policy no longer tells it. Requests of critics and of agents that call models
 * by themselves are not part of it.
 */
export const of = (events: ReadonlyArray<Event>): Conversation => {
  const asked = new Set<string>()
  let conversation = EMPTY
  for (const event of events) {
    if (is(event, "ModelCalled")) {
      const request = Option.getOrUndefined(asRequest(event.payload.request))
      if (request === undefined) continue
      asked.add(event.id)
      conversation = {
        ...conversation,
        messages: [...conversation.messages, ...request.messages],
        // Tools were written by `Turns`; their schemas are JSON, as every payload.
        ...(request.tools === undefined ? {} : { tools: request.tools as ReadonlyArray<ToolDescription> }),
      }
    } else if (is(event, "ModelResponded") && asked.has(event.causationId ?? "")) {
      const answer = Option.getOrUndefined(asAnswer(event.payload.response))
      if (answer === undefined) continue
      const { inputTokens, outputTokens } = event.payload.usage
      conversation = {
        ...conversation,
        messages: [...conversation.messages, { role: "assistant", content: answer.parts }],
        tokens: inputTokens + outputTokens,
      }
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
