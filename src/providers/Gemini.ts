/** The format of Gemini's `generateContent` and `streamGenerateContent` (https://ai.google.dev/api/generate-content). */

import type { AnswerPart, ContentPart } from "../agents/models/Message.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import type { JsonObject } from "../values/Json.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import * as Conversing from "./Conversing.ts"
import { textIn } from "./OpenAiChat.ts"
import * as Parts from "./parts.ts"
import type { Wire } from "./Wire.ts"

const PATH = /\/models\/([^/:]+):(?:streamGenerateContent|generateContent)$/

export const gemini: Wire = {
  name: "gemini",
  matches: ({ path }, body) => PATH.test(path) && Array.isArray(body.contents),
  request: ({ path }, body) => {
    const told = Conversing.make()
    told.system(textIn(fieldOf(body.systemInstruction ?? body.system_instruction, "parts")))
    for (const content of Parts.listOf(body.contents)) tell(told, content)
    return {
      provider: "google",
      model: PATH.exec(path)?.[1] ?? "",
      ...told.whole(),
      tools: Parts.listOf(body.tools)
        .flatMap((tool) => Parts.listOf(fieldOf(tool, "functionDeclarations")))
        .map((tool) =>
          Parts.toolDescription(tool, fieldOf(tool, "parametersJsonSchema") ?? fieldOf(tool, "parameters")),
        ),
      settings: Parts.settingsOf(body, ["contents", "tools", "systemInstruction", "system_instruction"]),
    }
  },
  answer: (pieces, callId) => {
    const parts: Array<AnswerPart> = []
    const counted = ProviderUsage.counting(ProviderUsage.gemini)
    let [finish, refusal]: [string | undefined, string] = [undefined, ""]
    let error: { readonly error: unknown } | undefined
    let [hasBegun, calls] = [false, 0]
    for (const piece of pieces) {
      const sent = fieldOf(piece, "error")
      if (sent !== undefined) error ??= { error: sent }
      counted.take(piece)
      const blocked = textOf(fieldOf(fieldOf(piece, "promptFeedback"), "blockReason"))
      if (blocked !== undefined) refusal = `the prompt was blocked: ${blocked}`
      const [candidate] = Parts.listOf(fieldOf(piece, "candidates"))
      hasBegun ||= candidate !== undefined || blocked !== undefined
      for (const part of Parts.listOf(fieldOf(fieldOf(candidate, "content"), "parts"))) {
        for (const read of partsOf(part, () => callId(calls++))) join(parts, read)
      }
      finish = textOf(fieldOf(candidate, "finishReason")) ?? finish
    }
    return {
      parts: () => parts,
      usage: () => ProviderUsage.whole(counted.usage()),
      refusal: () => refusal,
      hasBegun: () => hasBegun,
      finish: () => (finish === undefined ? undefined : { unified: unified(finish), raw: finish }),
      error: () => error,
    }
  },
}

const partsOf = (part: unknown, callId: () => string): ReadonlyArray<AnswerPart> => {
  const call = fieldOf(part, "functionCall")
  const signature = textOf(fieldOf(part, "thoughtSignature"))
  const providerMetadata: JsonObject | undefined =
    signature === undefined ? undefined : { google: { thoughtSignature: signature } }
  const kept = providerMetadata === undefined ? {} : { providerMetadata }
  if (call !== undefined) {
    return [{ ...Parts.callPart(fieldOf(call, "id"), fieldOf(call, "name"), fieldOf(call, "args"), callId()), ...kept }]
  }
  const text = fieldOf(part, "text")
  if (fieldOf(part, "thought") === true) return Parts.reasoningParts(text, providerMetadata)
  return Parts.textParts(text).map((read) => ({ ...read, ...kept }))
}

/** Adds a part to those before it: text that goes on is one part. */
const join = (parts: Array<AnswerPart>, part: AnswerPart): void => {
  const last = parts.at(-1)
  if (last === undefined || last.type === "call" || part.type === "call" || last.type !== part.type) parts.push(part)
  else parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text }
}

const unified = (reason: string) => {
  if (reason === "STOP") return "stop" as const
  if (reason === "MAX_TOKENS") return "length" as const
  return REFUSALS.has(reason) ? ("content-filter" as const) : ("other" as const)
}

const REFUSALS: ReadonlySet<string> = new Set([
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"],
])

const tell = (told: Conversing.Conversing, content: unknown) => {
  const parts = Parts.listOf(fieldOf(content, "parts"))
  if (fieldOf(content, "role") === "model") {
    const said: Array<AnswerPart> = []
    for (const [index, part] of parts.entries())
      for (const read of partsOf(part, () => `call_${index + 1}`)) join(said, read)
    return told.assistant(said)
  }
  for (const part of parts) {
    const response = fieldOf(part, "functionResponse")
    if (response === undefined) continue
    const tool = Parts.asText(fieldOf(response, "name") ?? "")
    told.result(fieldOf(response, "id") ?? tool, fieldOf(response, "response"), { tool })
  }
  const others = parts.filter((part) => fieldOf(part, "functionResponse") === undefined)
  if (others.length > 0) told.user(others.map(contentOf))
}

const contentOf = (part: unknown): ContentPart => {
  const text = Parts.anyText(fieldOf(part, "text"))
  if (text !== undefined) return { type: "text", text }
  const file = fieldOf(part, "inlineData") ?? fieldOf(part, "inline_data")
  const mediaType = textOf(fieldOf(file, "mimeType")) ?? textOf(fieldOf(file, "mime_type"))
  const data = Parts.anyText(fieldOf(file, "data"))
  return mediaType === undefined || data === undefined
    ? { type: "text", text: Parts.asText(part) }
    : { type: "file", mediaType, data }
}
