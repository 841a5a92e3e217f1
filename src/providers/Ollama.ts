/** The format of Ollama's chat (https://github.com/ollama/ollama/blob/main/docs/api.md). */

import type { AnswerPart, ContentPart } from "../agents/models/Message.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import * as Conversing from "./Conversing.ts"
import { toolsOf } from "./OpenAiChat.ts"
import * as Parts from "./parts.ts"
import type { Wire } from "./Wire.ts"

export const ollama: Wire = {
  name: "ollama",
  matches: ({ path }, body) => path.endsWith("/api/chat") && Array.isArray(body.messages),
  request: (_, body) => {
    const told = Conversing.make()
    for (const message of Parts.listOf(body.messages)) tell(told, message)
    return {
      provider: "ollama",
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools),
      settings: Parts.settingsOf(body, ["model", "messages", "tools", "stream"]),
    }
  },
  answer: (pieces, callId) => {
    let [text, reasoning] = ["", ""]
    const calls: Array<unknown> = []
    let usage: ModelUsage | undefined
    let finish: string | undefined
    let error: { readonly error: unknown } | undefined
    let hasBegun = false
    for (const piece of pieces) {
      const sent = fieldOf(piece, "error")
      if (sent !== undefined) error ??= { error: sent }
      const message = fieldOf(piece, "message")
      hasBegun ||= message !== undefined
      text += Parts.anyText(fieldOf(message, "content")) ?? ""
      reasoning += Parts.anyText(fieldOf(message, "thinking")) ?? ""
      calls.push(...Parts.listOf(fieldOf(message, "tool_calls")))
      if (fieldOf(piece, "done") !== true) continue
      finish = textOf(fieldOf(piece, "done_reason")) ?? "stop"
      usage = ProviderUsage.whole(ProviderUsage.ollama.read(piece))
    }
    const parts: ReadonlyArray<AnswerPart> = [
      ...Parts.reasoningParts(reasoning),
      ...Parts.textParts(text),
      ...calls.map((call, index) => callOf(call, callId(index))),
    ]
    return {
      parts: () => parts,
      usage: () => usage,
      refusal: () => "",
      hasBegun: () => hasBegun,
      finish: () =>
        finish === undefined
          ? undefined
          : { unified: finish === "stop" ? "stop" : finish === "length" ? "length" : "other", raw: finish },
      error: () => error,
    }
  },
}

const callOf = (call: unknown, id: string) => {
  const called = fieldOf(call, "function")
  return Parts.callPart(fieldOf(call, "id"), fieldOf(called, "name"), fieldOf(called, "arguments"), id)
}

const tell = (told: Conversing.Conversing, message: unknown) => {
  const content = Parts.anyText(fieldOf(message, "content")) ?? ""
  switch (fieldOf(message, "role")) {
    case "system":
      return told.system(content)
    case "assistant":
      return told.assistant([
        ...Parts.reasoningParts(fieldOf(message, "thinking") ?? ""),
        ...Parts.textParts(content),
        ...Parts.listOf(fieldOf(message, "tool_calls")).map((call, index) => callOf(call, `call_${index + 1}`)),
      ])
    case "tool": {
      const tool = textOf(fieldOf(message, "tool_name"))
      const callId = fieldOf(message, "tool_call_id") ?? tool
      return told.result(callId, content, tool === undefined ? {} : { tool })
    }
    default:
      return told.user([...Parts.textParts(content), ...Parts.listOf(fieldOf(message, "images")).map(imageOf)])
  }
}

/** Ollama does not say which format an image has. */
const imageOf = (data: unknown): ContentPart => ({
  type: "file",
  mediaType: "application/octet-stream",
  data: Parts.asText(data),
})
