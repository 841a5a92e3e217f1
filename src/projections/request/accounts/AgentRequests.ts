/**
 * The requests of a kernel's model agent. It records its system prompt as `GuideApplied`, its tools when they change, and
 * in each request only the messages since the last one. Its memory policy selects from the whole conversation.
 */

import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject, fieldOf } from "../../../values/JsonObjects.ts"
import * as Memory from "../Memory.ts"
import { type Prompt, toolsIn } from "../Prompt.ts"
import { answerMessage, isKept, listOf, messagesIn, type SeenMessage } from "../RequestMessage.ts"
import * as Transcript from "../Transcript.ts"
import type { LoggedEvent, WholeRequest } from "../WholeRequest.ts"

/** The parts of a request that depend on how it was recorded. */
export type Account = Prompt & Pick<WholeRequest, "messages" | "earlier" | "memory" | "notes" | "asksFor">

interface Summary {
  readonly messages: number
  readonly text: string
  readonly at: number
}

/** Folds the events of one task, oldest first. */
export class AgentRequests {
  #guide: LoggedEvent | undefined
  #tools: { readonly value: Json; readonly at: number } | undefined
  #messages: Array<SeenMessage> = []
  #summary: Summary | null = null
  /** Messages of requests without an answer, by the request's id. Those of a request that never gets one are not sent. */
  readonly #asked = new Map<string, { messages: ReadonlyArray<SeenMessage> }>()

  /** Whether a model agent works on the task. */
  get isGuided(): boolean {
    return this.#guide !== undefined
  }

  take(event: LoggedEvent): void {
    const { type, position, payload } = event
    switch (type) {
      case "TimelineForked":
        if (fieldOf(payload.overrides, "fresh") === true) this.#begin()
        return
      case "GuideApplied":
        this.#guide = event
        return
      case "ModelCalled":
        this.#ask(event)
        return
      case "ModelFailed":
        // A cancelled request is repeated with its messages when the task continues.
        if (payload.kind === "cancelled") return
        this.#told(event, payload.kind === "interrupted" ? heardOf(payload.response, position) : [])
        return
      case "ModelResponded":
        this.#told(event, answerMessage(payload.response, position))
        return
      case "MemoryCompacted":
        if (typeof payload.summary === "string" && typeof payload.messages === "number")
          this.#summary = { messages: payload.messages, text: payload.summary, at: position }
    }
  }

  /** The request of a `ModelCalled` event, before it is taken. */
  at({ position, payload }: LoggedEvent): Account {
    const request = asObject(payload.request)
    if (typeof request.summarize === "number") return this.#summarizing(position, request.summarize)
    const first = typeof payload.hedgeOf === "string" ? this.#asked.get(payload.hedgeOf) : undefined
    const all = [...this.#messages, ...(first?.messages ?? messagesIn(request.messages, position))]
    const tools = Array.isArray(request.tools) ? { value: request.tools, at: position } : this.#tools
    const { messages, leftOut } = this.#selected(all)
    return {
      asksFor: "turn",
      ...this.#prompt(tools, asObject(request.options)),
      messages,
      earlier: null,
      memory: { policy: asObject(this.#guide?.payload.memoryPolicy), leftOut },
      notes: [],
    }
  }

  #begin(): void {
    this.#messages = []
    this.#summary = null
    this.#tools = undefined
    this.#asked.clear()
  }

  #ask({ id, position, payload }: LoggedEvent): void {
    const { messages, tools } = asObject(payload.request)
    if (!Array.isArray(messages)) return
    // A hedge repeats the first request, so the messages count once, whichever is answered.
    const first = typeof payload.hedgeOf === "string" ? this.#asked.get(payload.hedgeOf) : undefined
    this.#asked.set(id, first ?? { messages: messagesIn(messages, position) })
    if (Array.isArray(tools)) this.#tools = { value: tools, at: position }
  }

  #told({ causationId }: LoggedEvent, answer: ReadonlyArray<SeenMessage>): void {
    const asked = this.#asked.get(causationId ?? "")
    if (asked === undefined) return
    this.#asked.delete(causationId ?? "")
    this.#messages.push(...asked.messages, ...answer)
    asked.messages = []
  }

  #selected(messages: ReadonlyArray<SeenMessage>) {
    const summary = this.#summary
    const policy = policyOf(this.#guide?.payload.memoryPolicy)
    const selected = Memory.select(policy, { messages, summary, tokens: 0 })
    const kept = selected.filter((message) => "at" in message).length
    return {
      messages: selected.map((message) => ("at" in message ? message : summaryOf(message, summary))),
      leftOut: messages.length - kept,
    }
  }

  #prompt(tools: { readonly value: Json; readonly at: number } | undefined, options: JsonObject): Prompt {
    const guide = this.#guide
    if (guide === undefined) {
      const notRecorded = "The log has no guide of this agent before the request."
      return { system: { notRecorded }, tools: toolsOf(tools), settings: { notRecorded } }
    }
    const { temperature, systemPrompt } = guide.payload
    return {
      system:
        typeof systemPrompt === "string"
          ? { value: systemPrompt, at: guide.position }
          : { notRecorded: "The guide was recorded without its system prompt." },
      tools: toolsOf(tools),
      settings: { value: { ...(temperature === undefined ? {} : { temperature }), ...options }, at: guide.position },
    }
  }

  /** A request for a summary of the first messages of the conversation. */
  #summarizing(at: number, until: number): Account {
    const { messages } = this.#selected(this.#messages.slice(0, until))
    return {
      asksFor: "summary",
      system: { value: "", at },
      tools: { value: [], at },
      settings: { value: {}, at },
      messages: [{ ...Transcript.question(messages), at, sources: [] }],
      earlier: null,
      memory: null,
      notes: ["The log records which messages were to be summarized. The text of the request follows from them."],
    }
  }
}

const toolsOf = (tools: { readonly value: Json; readonly at: number } | undefined): Prompt["tools"] =>
  tools === undefined
    ? { notRecorded: "The log has no tools of this agent before the request." }
    : { value: toolsIn(tools.value), at: tools.at }

const heardOf = (response: Json | undefined, at: number): ReadonlyArray<SeenMessage> => {
  const content = listOf(fieldOf(response, "parts")).filter((part) => isKept(asObject(part)))
  return content.length === 0 ? [] : [{ role: "assistant", content, at, sources: [] }]
}

const summaryOf = ({ role, content }: Memory.SummaryMessage, summary: Summary | null): SeenMessage => ({
  role,
  content: content as unknown as Json,
  at: summary?.at ?? 0,
  sources: [],
})

/** The recorded policy. An agent records it with its defaults filled in; anything else selects everything. */
const policyOf = (policy: Json | undefined): Memory.CompletePolicy => {
  const { name, turns, maxTokens, keepTurns } = asObject(policy) as JsonObject
  if (name === "sliding-window" && typeof turns === "number") return { name, turns }
  if (name === "summary" && typeof maxTokens === "number" && typeof keepTurns === "number")
    return { name, maxTokens, keepTurns }
  return { name: "full" }
}
