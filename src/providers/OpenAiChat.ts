/**
 * The format of OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat), which most servers
 * speak.
 */

import type { AnswerPart, ContentPart, Message } from "../agents/models/Message.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../values/Json.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import * as Conversing from "./Conversing.ts"
import * as Parts from "./parts.ts"
import type { Wire } from "./Wire.ts"

export const openAiChat: Wire = {
  name: "openai-chat",
  matches: ({ path }, body) => path.endsWith("/chat/completions") && Array.isArray(body.messages),
  request: ({ host }, body) => {
    const told = Conversing.make()
    for (const message of Parts.listOf(body.messages)) tell(told, message)
    return {
      provider: host === "api.openai.com" ? "openai" : "openai-compatible",
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools),
      settings: Parts.settingsOf(body, ["model", "messages", "tools", "stream", "stream_options"]),
    }
  },
  answer: (pieces, callId) => {
    const answer = { text: "", reasoning: "", refusal: "", finish: undefined as string | undefined }
    const calls: Array<GrowingCall> = []
    const counted = ProviderUsage.counting(ProviderUsage.openAi)
    let error: { readonly error: unknown } | undefined
    let hasBegun = false
    for (const piece of pieces) {
      const sent = fieldOf(piece, "error")
      if (sent !== undefined && sent !== null) error ??= { error: sent }
      counted.take(piece)
      const choices = Parts.listOf(fieldOf(piece, "choices"))
      hasBegun ||= Array.isArray(fieldOf(piece, "choices"))
      const choice = choices.find((one) => (fieldOf(one, "index") ?? 0) === 0)
      const said = fieldOf(choice, "delta") ?? fieldOf(choice, "message")
      answer.text += textIn(fieldOf(said, "content"))
      answer.reasoning +=
        Parts.anyText(fieldOf(said, "reasoning_content")) ?? Parts.anyText(fieldOf(said, "reasoning")) ?? ""
      answer.refusal += Parts.anyText(fieldOf(said, "refusal")) ?? ""
      gather(calls, Parts.listOf(fieldOf(said, "tool_calls")))
      answer.finish = textOf(fieldOf(choice, "finish_reason")) ?? answer.finish
    }
    const parts: ReadonlyArray<AnswerPart> = [
      ...Parts.reasoningParts(answer.reasoning),
      ...Parts.textParts(answer.text),
      ...calls.filter(Boolean).map(({ id, name, args }, index) => Parts.callPart(id ?? callId(index), name, args)),
    ]
    return {
      parts: () => parts,
      usage: () => ProviderUsage.whole(counted.usage()),
      refusal: () => answer.refusal,
      hasBegun: () => hasBegun,
      finish: () => (answer.finish === undefined ? undefined : { unified: unified(answer.finish), raw: answer.finish }),
      error: () => error,
    }
  },
}

interface GrowingCall {
  id: string | undefined
  name: string
  args: string
}

/** Adds pieces of calls to their calls, by the place that each names. */
const gather = (calls: Array<GrowingCall>, pieces: ReadonlyArray<unknown>): void => {
  for (const [place, piece] of pieces.entries()) {
    const named = fieldOf(piece, "index")
    const index =
      typeof named === "number" && Number.isInteger(named) && named >= 0 && named < MOST_CALLS ? named : place
    calls[index] ??= { id: undefined, name: "", args: "" }
    const call = calls[index]
    call.id ??= textOf(fieldOf(piece, "id"))
    call.name += Parts.anyText(fieldOf(fieldOf(piece, "function"), "name")) ?? ""
    call.args += Parts.anyText(fieldOf(fieldOf(piece, "function"), "arguments")) ?? ""
  }
}

/** Most calls of one answer: a place beyond it is none. */
const MOST_CALLS = 1024

const unified = (reason: string) => {
  if (reason === "stop") return "stop" as const
  if (reason === "tool_calls" || reason === "function_call") return "tool-calls" as const
  if (reason === "length") return "length" as const
  return reason === "content_filter" ? ("content-filter" as const) : ("other" as const)
}

/** Tools as OpenAI and Ollama are told of them. */
export const toolsOf = (tools: unknown) =>
  Parts.listOf(tools).map((tool) => {
    const described = fieldOf(tool, "function") ?? tool
    return Parts.toolDescription(described, fieldOf(described, "parameters"))
  })

const tell = (told: Conversing.Conversing, message: unknown) => {
  const content = fieldOf(message, "content")
  switch (fieldOf(message, "role")) {
    case "system":
    case "developer":
      return told.system(textIn(content))
    case "assistant":
      return told.assistant([
        ...Parts.reasoningParts(fieldOf(message, "reasoning_content") ?? ""),
        ...Parts.textParts(textIn(content)),
        ...Parts.textParts(fieldOf(message, "refusal")),
        ...Parts.listOf(fieldOf(message, "tool_calls")).map((call, index) =>
          Parts.callPart(
            fieldOf(call, "id"),
            fieldOf(fieldOf(call, "function"), "name"),
            fieldOf(fieldOf(call, "function"), "arguments"),
            `call_${index + 1}`,
          ),
        ),
      ])
    case "tool":
    case "function":
      return told.result(fieldOf(message, "tool_call_id") ?? fieldOf(message, "name"), content)
    default:
      return told.user(contentOf(content))
  }
}

/** The text of a content: itself, or its parts joined. */
export const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Parts.listOf(content)
        .map((part) => Parts.anyText(fieldOf(part, "text")) ?? "")
        .join("")

const contentOf = (content: unknown): Extract<Message, { readonly role: "user" }>["content"] => {
  if (!Array.isArray(content)) return [{ type: "text", text: Parts.asText(content ?? "") }]
  return content.map((part: Json): ContentPart => {
    const text = Parts.anyText(fieldOf(part, "text"))
    if (text !== undefined) return { type: "text", text }
    const image = fieldOf(part, "image_url")
    if (image !== undefined) return Parts.filePart(fieldOf(image, "url") ?? image)
    return Parts.filePart(fieldOf(fieldOf(part, "file"), "file_data") ?? part)
  })
}
