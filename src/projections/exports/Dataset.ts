/**
 * Examples for data sets: an agent's input up to a moment, and people's annotations. Each is a line of JSON, or a
 * sample of Inspect (`json_dataset`).
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, messageText } from "../../values/JsonObjects.ts"
import type { Annotation } from "../annotations/Annotations.ts"
import type { Encoder } from "./Encoder.ts"

/** A message in the form of Inspect's chat messages. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string
  readonly tool_calls?: ReadonlyArray<ToolCall>
  readonly tool_call_id?: string
}

interface ToolCall {
  readonly id: string
  readonly function: string
  readonly arguments: JsonObject
  readonly type: "function"
}

/** An example. */
export interface Example {
  readonly id: string
  readonly input: ReadonlyArray<Message>
  /** The answer that would have been right, or the judgement; null if people gave none, or different ones. */
  readonly target: string | null
  readonly metadata: JsonObject
}

/**
 * Builds the messages of a task from its events in order: the goal, inputs, the agent's messages and calls, and
 * results. Readings of sensors are no messages.
 */
export class Conversation {
  readonly #messages: Array<Message> = []
  /** Ids of the calls in answers of models, which commands carry out. */
  readonly #asked = new Set<string>()
  readonly #callOf = new Map<string, string>()

  /** @returns the messages so far */
  get messages(): ReadonlyArray<Message> {
    return [...this.#messages]
  }

  take(event: Event): void {
    if (is(event, "TaskOpened")) this.#say("user", event.payload.goal)
    else if (is(event, "GuideApplied")) this.#guide(event.payload.systemPrompt)
    else if (is(event, "InputReceived")) this.#say("user", textOf(event.payload.content))
    else if (is(event, "MessageSent")) this.#send(event.payload.content)
    else if (is(event, "ModelResponded")) this.#answer(event.payload.response)
    else if (is(event, "ActuatorCommanded")) this.#command(event.payload)
    else if (is(event, "CommandSucceeded")) this.#end(event.payload.commandId, textOf(event.payload.result))
    else if (is(event, "CommandFailed")) this.#end(event.payload.commandId, event.payload.error.message)
    else if (is(event, "CommandDenied")) this.#end(event.payload.commandId, event.payload.reason)
  }

  #say(role: "user" | "assistant", content: string): void {
    if (content !== "") this.#messages.push({ role, content })
  }

  #guide(prompt: Json): void {
    const content = textOf(prompt)
    if (content !== "" && this.#messages.every(({ role }) => role !== "system"))
      this.#messages.unshift({ role: "system", content })
  }

  /** The kernel also records an agent's messages: leaves out one that repeats its model's answer. */
  #send(content: string): void {
    const last = this.#messages.findLast(({ role }) => role === "assistant")
    if (last?.content.trim() !== content.trim()) this.#say("assistant", content)
  }

  #answer(response: Json): void {
    const parts = partsOf(response)
    const content = parts === null ? messageText(response) : parts.flatMap(wordsOf).join("")
    const calls = (parts ?? []).flatMap(callOf)
    for (const { id } of calls) this.#asked.add(id)
    if (content === "" && calls.length === 0) return
    this.#messages.push({ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) })
  }

  #command({
    commandId,
    callId,
    actuator,
    args,
  }: {
    commandId: string
    callId?: string
    actuator: string
    args: Json
  }) {
    const isAsked = callId !== undefined && this.#asked.has(callId)
    const id = isAsked ? callId : commandId
    this.#callOf.set(commandId, id)
    if (isAsked) return
    const call = { id, function: actuator, arguments: argumentsOf(args), type: "function" as const }
    this.#messages.push({ role: "assistant", content: "", tool_calls: [call] })
  }

  #end(commandId: string, content: string): void {
    const id = this.#callOf.get(commandId)
    if (id !== undefined) this.#messages.push({ role: "tool", content, tool_call_id: id })
  }
}

/** Events with which an agent answers: the input of such a moment ends before it. */
const ANSWERS: ReadonlySet<string> = new Set(["ModelResponded", "MessageSent", "DecisionMade", "ActuatorCommanded"])

export const isAnswer = ({ type }: Event): boolean => ANSWERS.has(type)

const partsOf = (response: Json): ReadonlyArray<JsonObject> | null => {
  const { parts } = asObject(response)
  return Array.isArray(parts) ? parts.map((part: Json) => asObject(part)) : null
}

const wordsOf = ({ type, text }: JsonObject): ReadonlyArray<string> =>
  type === "text" && typeof text === "string" ? [text] : []

const callOf = ({ type, callId, tool, args }: JsonObject): ReadonlyArray<ToolCall> =>
  type === "call" && typeof callId === "string" && typeof tool === "string"
    ? [{ id: callId, function: tool, arguments: argumentsOf(args ?? null), type: "function" }]
    : []

const argumentsOf = (args: Json): JsonObject =>
  typeof args === "object" && args !== null && !Array.isArray(args) ? (args as JsonObject) : { value: args }

const textOf = (value: Json): string => {
  if (value === null) return ""
  const text = typeof value === "string" || Array.isArray(value) ? messageText(value) : JSON.stringify(value)
  return text
}

/** The target of labels: the newest right answer, else the judgement on which all agree. */
export const targetOf = (labels: ReadonlyArray<Annotation>): string | null => {
  const right = labels.findLast(({ target }) => target !== undefined)?.target
  if (right !== undefined) return right
  const values = new Set(
    labels.map(({ value }) => (typeof value === "boolean" ? (value ? "pass" : "fail") : `${value}`)),
  )
  return values.size === 1 ? ([...values][0] ?? null) : null
}

/** People's annotations, as metadata. */
export const saidOf = (annotations: ReadonlyArray<Annotation>): JsonObject => {
  const of = (kind: Annotation["kind"]) => annotations.filter((one) => one.kind === kind)
  return {
    starred: of("star").map(({ by }) => by),
    tags: of("tag").flatMap(({ text }) => text ?? []),
    labels: of("label").map(({ by, measure = "", value = null, text, target, at }) => ({
      ...{ by, measure, value, at },
      ...defined({ comment: text, target }),
    })),
    notes: of("note").map(({ by, text = "", at }) => ({ by, text, at })),
  }
}

/** Lines of JSON with all fields. */
export const lines = (): Encoder<Example> => encoderOf((example) => example)

/** Lines of Inspect's `json_dataset`: `input`, `target`, `id` and `metadata`. Without a target, the field is absent. */
export const inspect = (): Encoder<Example> =>
  encoderOf(({ id, input, target, metadata }) => ({ id, input, ...(target === null ? {} : { target }), metadata }))

const encoderOf = (line: (example: Example) => object): Encoder<Example> => ({
  add: (page) => page.map((example) => `${JSON.stringify(line(example))}\n`),
  end: () => "",
})
