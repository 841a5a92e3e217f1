/** Ollama's `chat` and `generate` (https://github.com/ollama/ollama/blob/main/docs/api.md). */

import { meaningOf } from "../../agents/models/FinishReason.ts"
import type { AnswerPart, ToldPart } from "../../agents/models/Message.ts"
import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { WireFormat } from "../WireFormat.ts"
import { toolsOf } from "./OpenAiChat.ts"

export const ollama: WireFormat = {
  name: "ollama",
  matches: ({ path }, body) => path.endsWith("/api/chat") && Array.isArray(body.messages),
  request: ({ host }, body) => {
    const told = ConversationBuilder.make()
    for (const message of Parts.listOf(body.messages)) tell(told, message)
    return {
      provider: providerAt(host, "ollama"),
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools),
      settings: Parts.settingsOf(body, ["model", "messages", "tools", "stream"]),
    }
  },
  answer: ({ pieces }, callId) => answerOf(pieces, callId, (piece) => fieldOf(piece, "message")),
}

export const ollamaGenerate: WireFormat = {
  name: "ollama-generate",
  matches: ({ path }, body) => path.endsWith("/api/generate") && "model" in body,
  request: ({ host }, body) => {
    const told = ConversationBuilder.make()
    told.system(Parts.anyText(body.system) ?? "")
    told.user([...Parts.textParts(body.prompt), ...Parts.listOf(body.images).map(imageOf)])
    return {
      provider: providerAt(host, "ollama"),
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: [],
      // `context` stays a setting: it holds the tokens of earlier turns.
      settings: Parts.settingsOf(body, ["model", "prompt", "images", "system", "stream"]),
    }
  },
  answer: ({ pieces }, callId) => answerOf(pieces, callId, generated),
}

/** Converts a chunk of `generate` to a message of `chat`. */
const generated = (piece: unknown): unknown => {
  const [content, thinking] = [fieldOf(piece, "response"), fieldOf(piece, "thinking")]
  return content === undefined && thinking === undefined ? undefined : { content, thinking }
}

const answerOf = (
  pieces: ReadonlyArray<unknown>,
  callId: (index: number) => string,
  messageIn: (piece: unknown) => unknown,
) => {
  let [text, reasoning, hasBegun] = ["", "", false]
  let [finish, model]: Array<string | undefined> = []
  const [calls, images]: [Array<unknown>, Array<ToldPart>] = [[], []]
  let usage: ModelUsage | undefined
  let error: { readonly error: unknown } | undefined
  for (const piece of pieces) {
    const sent = fieldOf(piece, "error")
    if (sent !== undefined) error ??= { error: sent }
    const message = messageIn(piece)
    hasBegun ||= message !== undefined
    model ??= textOf(fieldOf(piece, "model"))
    text += Parts.anyText(fieldOf(message, "content")) ?? ""
    reasoning += Parts.anyText(fieldOf(message, "thinking")) ?? ""
    calls.push(...Parts.listOf(fieldOf(message, "tool_calls")))
    images.push(...Parts.listOf(fieldOf(message, "images")).map(imageOf))
    if (fieldOf(piece, "done") !== true) continue
    finish = textOf(fieldOf(piece, "done_reason")) ?? "stop"
    usage = ProviderUsage.whole(ProviderUsage.ollama.read(piece))
  }
  const parts: ReadonlyArray<AnswerPart> = [
    ...Parts.reasoningParts(reasoning),
    ...Parts.textParts(text),
    ...images,
    ...calls.map((call, index) => callOf(call, () => callId(index))),
  ]
  return {
    model,
    parts,
    usage,
    refusal: "",
    hasBegun,
    error,
    finish: finish === undefined ? undefined : { unified: meaningOf(finish) ?? ("stop" as const), raw: finish },
  }
}

const callOf = (call: unknown, callId: () => string) => {
  const called = fieldOf(call, "function")
  const id = textOf(fieldOf(call, "id")) ?? callId()
  return Parts.callPart(id, fieldOf(called, "name"), fieldOf(called, "arguments"))
}

const tell = (told: ConversationBuilder.ConversationBuilder, message: unknown) => {
  const content = Parts.anyText(fieldOf(message, "content")) ?? ""
  switch (fieldOf(message, "role")) {
    case "system":
      return told.system(content)
    case "assistant":
      return told.assistant([
        ...Parts.reasoningParts(fieldOf(message, "thinking") ?? ""),
        ...Parts.textParts(content),
        ...Parts.listOf(fieldOf(message, "tool_calls")).map((call) => callOf(call, told.callId)),
      ])
    case "tool":
      return told.result(fieldOf(message, "tool_call_id"), content, {
        tool: textOf(fieldOf(message, "tool_name")) ?? textOf(fieldOf(message, "name")),
      })
    case "user":
      return told.user([...Parts.textParts(content), ...Parts.listOf(fieldOf(message, "images")).map(imageOf)])
    default:
      return told.unknown(Parts.unreadPart(message, fieldOf(message, "role")))
  }
}

/** Ollama does not state the format of an image. */
const imageOf = (data: unknown) => Parts.filePart("application/octet-stream", data, data, "image")
