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

/** The conversation before its first message. */
export const EMPTY: Conversation = { messages: [], summary: null, tokens: 0, tools: [] }

/**
 * The conversation after some events of one task, oldest first. It has every message that the model was told and every
 * whole answer, also those that a memory policy no longer tells it. Requests of critics and of agents that call models
 * by themselves are not part of it.
 */
export const of = (events: ReadonlyArray<Event>): Conversation => {
  /** The requests that have no answer yet, with their messages. One that never gets any was not told. */
  const asked = new Map<string, ReadonlyArray<Message>>()
  let conversation = EMPTY
  const told = (request: string, answer: ReadonlyArray<Message>, tokens: number) => {
    const messages = asked.get(request)
    if (messages === undefined) return
    asked.delete(request)
    conversation = { ...conversation, messages: [...conversation.messages, ...messages, ...answer], tokens }
  }
  for (const event of events) {
    if (is(event, "TimelineForked") && event.payload.overrides.fresh === true) {
      conversation = EMPTY
    } else if (is(event, "ModelCalled")) {
      const request = Option.getOrUndefined(asRequest(event.payload.request))
      if (request === undefined) continue
      asked.set(event.id, request.messages)
      // Tools were written by `Turns`; their schemas are JSON, as every payload.
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

const asParts = Schema.decodeUnknownOption(Schema.Struct({ parts: Schema.Array(AnswerPart) }))

/**
 * The message that stays of an interrupted answer: the text that had come of it. Calls are left out, since they have no
 * results; so is reasoning, which providers take only as a whole.
 */
export const interruptedIn = (response: unknown): ReadonlyArray<Message> => {
  const { parts } = Option.getOrElse(asParts(response), () => ({ parts: [] }))
  const content = parts.filter((part) => part.type === "text" && part.text.trim() !== "")
  return content.length === 0 ? [] : [{ role: "assistant", content }]
}

/** The structured answer in a task's events, checked again; none if the task has none. */
export const answerIn = <Answer, Encoded>(
  schema: Schema.Schema<Answer, Encoded>,
  events: ReadonlyArray<Event>,
): Option.Option<Answer> => {
  const answers = events.flatMap((event) =>
    is(event, "DecisionMade") && "answer" in event.payload.choice ? [event.payload.choice.answer] : [],
  )
  return Schema.decodeUnknownOption(schema)(answers.at(-1))
}
