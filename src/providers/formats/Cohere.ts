/** Cohere's chat, version 2 (https://docs.cohere.com/reference/chat). */

import { meaningOf } from "../../agents/models/FinishReason.ts"
import type { AnswerPart, ToldPart } from "../../agents/models/Message.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { WireFormat } from "../WireFormat.ts"
import { ChatCalls } from "./ChatCalls.ts"
import { toolsOf } from "./OpenAiChat.ts"

export const cohere: WireFormat = {
  name: "cohere",
  matches: ({ path }, body) => path.endsWith("/v2/chat") && Array.isArray(body.messages),
  request: ({ host }, body) => {
    const told = ConversationBuilder.make()
    for (const message of Parts.listOf(body.messages)) tell(told, message)
    return {
      provider: providerAt(host, "cohere"),
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools),
      settings: Parts.settingsOf(body, ["model", "messages", "tools", "stream"]),
    }
  },
  answer: ({ pieces, isWhole }, callId) => {
    const said = new Said()
    const counted = ProviderUsage.counting(ProviderUsage.cohere)
    let [id, finish]: Array<string | undefined> = []
    let error: { readonly error: unknown } | undefined
    let hasBegun = false
    for (const piece of pieces) {
      counted.take(piece)
      const delta = fieldOf(piece, "delta")
      const message = isWhole ? fieldOf(piece, "message") : fieldOf(delta, "message")
      hasBegun ||= fieldOf(piece, "type") === "message-start" || typeof message === "object"
      id ??= textOf(fieldOf(piece, "id"))
      finish = textOf(fieldOf(piece, "finish_reason")) ?? textOf(fieldOf(delta, "finish_reason")) ?? finish
      const sent = fieldOf(delta, "error") ?? fieldOf(piece, "error")
      if (sent !== undefined && sent !== null) error ??= { error: sent }
      said.take(message, fieldOf(piece, "index"), isWhole)
    }
    return {
      id,
      hasBegun,
      error,
      refusal: "",
      parts: said.parts(callId),
      usage: ProviderUsage.whole(counted.usage()),
      finish:
        finish === undefined
          ? isWhole && hasBegun
            ? { unified: "stop", raw: undefined }
            : undefined
          : { unified: meaningOf(finish) ?? "stop", raw: finish },
    }
  },
}

/** The content of an answer so far. A whole message has lists; each event of a stream has one element of them. */
class Said {
  #plan = ""
  readonly #contents = new Map<unknown, { type: string; text: string }>()
  readonly #others: Array<AnswerPart> = []
  readonly #calls = new ChatCalls()

  take(message: unknown, index: unknown, isWhole: boolean): void {
    this.#plan += Parts.anyText(fieldOf(message, "tool_plan")) ?? ""
    const content = fieldOf(message, "content")
    if (typeof content === "string") this.#grow("content", "text", content)
    else if (Array.isArray(content)) content.forEach((part, place) => this.#takePart(place, part))
    else if (content !== undefined && content !== null) this.#takePart(index, content)
    const calls = fieldOf(message, "tool_calls")
    if (Array.isArray(calls)) this.#calls.take(calls, isWhole)
    else if (typeof calls === "object" && calls !== null) this.#calls.take([{ ...calls, index }], false)
  }

  parts(callId: (index: number) => string): ReadonlyArray<AnswerPart> {
    const contents = [...this.#contents.values()].flatMap(
      ({ type, text }): ReadonlyArray<AnswerPart> =>
        type === "thinking" ? Parts.reasoningParts(text) : Parts.textParts(text),
    )
    // The plan is the model's reasoning before its calls.
    return [...Parts.reasoningParts(this.#plan), ...contents, ...this.#others, ...this.#calls.parts(callId)]
  }

  #takePart(place: unknown, part: unknown): void {
    const [text, thinking] = [Parts.anyText(fieldOf(part, "text")), Parts.anyText(fieldOf(part, "thinking"))]
    if (thinking !== undefined) this.#grow(place, "thinking", thinking)
    else if (text !== undefined) this.#grow(place, "text", text)
    else this.#others.push(Parts.unreadPart(part))
  }

  #grow(place: unknown, type: string, text: string): void {
    const before = this.#contents.get(place)
    this.#contents.set(place, { type: before?.text ? before.type : type, text: (before?.text ?? "") + text })
  }
}

const tell = (told: ConversationBuilder.ConversationBuilder, message: unknown) => {
  const content = fieldOf(message, "content")
  switch (fieldOf(message, "role")) {
    case "system":
    case "developer":
      return told.system(Parts.textIn(content))
    case "assistant": {
      const said = new Said()
      said.take(message, undefined, true)
      return told.assistant(said.parts(told.callId))
    }
    case "tool":
      return told.result(fieldOf(message, "tool_call_id"), content)
    case "user":
      return told.user(Parts.contentOf(content, contentPart))
    default:
      return told.unknown(Parts.unreadPart(message, fieldOf(message, "role")))
  }
}

const contentPart = (part: unknown): ToldPart => {
  const text = Parts.anyText(fieldOf(part, "text")) ?? Parts.anyText(part)
  if (text !== undefined) return { type: "text", text }
  if (fieldOf(part, "type") === "image_url") return Parts.urlPart(fieldOf(fieldOf(part, "image_url"), "url"), part)
  return fieldOf(part, "type") === "document" ? Parts.itemPart("document", part) : Parts.unreadPart(part)
}
