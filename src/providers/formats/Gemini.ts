/**
 * Gemini's `generateContent` and `streamGenerateContent` (https://ai.google.dev/api/generate-content), also on Vertex
 * AI.
 */

import { meaningOf } from "../../agents/models/FinishReason.ts"
import type { AnswerPart, ToldPart } from "../../agents/models/Message.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { JsonObject } from "../../values/Json.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { Finished, WireFormat } from "../WireFormat.ts"
import { withPartial } from "./GeminiArguments.ts"

const PATH = /\/(?:models|tunedModels|endpoints)\/([^/:]+):(?:streamGenerateContent|generateContent)$/

export const gemini: WireFormat = {
  name: "gemini",
  matches: ({ path }, body) => PATH.test(path) && Array.isArray(body.contents),
  withModel: (path, model) => Parts.renamed(path, /(\/(?:models|tunedModels|endpoints)\/)[^/:]+(?=:)/, model),
  request: ({ host, path }, body) => {
    const told = ConversationBuilder.make()
    told.system(Parts.textIn(fieldOf(body.systemInstruction ?? body.system_instruction, "parts")))
    for (const content of Parts.listOf(body.contents)) tell(told, content)
    return {
      provider: providerAt(host, "google"),
      model: Parts.decoded(PATH.exec(path)?.[1] ?? ""),
      ...told.whole(),
      tools: Parts.listOf(body.tools).flatMap(toolsIn),
      settings: Parts.settingsOf(body, ["contents", "tools", "systemInstruction", "system_instruction"]),
    }
  },
  answer: ({ pieces, isWhole }, callId) => {
    const said = new Said(callId)
    const counted = ProviderUsage.counting(ProviderUsage.gemini)
    let [finish, id, model]: Array<string | undefined> = []
    let refusal = ""
    let error: { readonly error: unknown } | undefined
    let hasBegun = false
    for (const piece of pieces) {
      const sent = fieldOf(piece, "error")
      if (sent !== undefined) error ??= { error: sent }
      counted.take(piece)
      id ??= textOf(fieldOf(piece, "responseId"))
      model ??= textOf(fieldOf(piece, "modelVersion"))
      const blocked = textOf(fieldOf(fieldOf(piece, "promptFeedback"), "blockReason"))
      if (blocked !== undefined) refusal = `the prompt was blocked: ${blocked}`
      const candidates = Parts.listOf(fieldOf(piece, "candidates"))
      hasBegun ||= candidates.length > 0 || blocked !== undefined
      for (const candidate of candidates) {
        if ((fieldOf(candidate, "index") ?? 0) !== 0) {
          said.takeOther(candidate)
          continue
        }
        for (const part of Parts.listOf(fieldOf(fieldOf(candidate, "content"), "parts"))) said.take(part)
        finish = textOf(fieldOf(candidate, "finishReason")) ?? finish
      }
    }
    return {
      id,
      model,
      refusal,
      hasBegun,
      error,
      parts: said.parts,
      usage: ProviderUsage.whole(counted.usage()),
      cost: counted.cost(),
      finish:
        finish === undefined
          ? isWhole && hasBegun
            ? { unified: "stop", raw: undefined }
            : undefined
          : finishOf(finish),
    }
  },
}

/** The declared functions of an entry in `tools`, and Google's own tools, each a field of the entry. */
const toolsIn = (tool: unknown) => {
  const declared = Parts.listOf(fieldOf(tool, "functionDeclarations") ?? fieldOf(tool, "function_declarations"))
  const own = Object.keys(typeof tool === "object" && tool !== null ? tool : {}).filter(
    (name) => !/^function_?declarations$/i.test(name),
  )
  return [
    ...declared.map((one) => {
      const schema =
        fieldOf(one, "parametersJsonSchema") ?? fieldOf(one, "parameters_json_schema") ?? fieldOf(one, "parameters")
      return Parts.toolDescription(one, schema)
    }),
    ...own.map((name) => Parts.toolDescription({ name }, undefined)),
  ]
}

class Said {
  readonly parts: Array<AnswerPart> = []
  readonly #callId: (index: number) => string
  readonly #others = new Set<unknown>()
  #calls = 0
  /** Index of the call whose arguments are streaming. */
  #streaming: number | undefined

  constructor(callId: (index: number) => string) {
    this.#callId = callId
  }

  take(part: unknown): void {
    const signature = textOf(fieldOf(part, "thoughtSignature")) ?? textOf(fieldOf(part, "thought_signature"))
    const metadata: JsonObject | undefined =
      signature === undefined ? undefined : { google: { thoughtSignature: signature } }
    const kept = metadata === undefined ? {} : { providerMetadata: metadata }
    const called = ofEither(part, "functionCall", "function_call")
    const text = fieldOf(part, "text")
    if (called !== undefined) {
      this.#takeCall(called, kept)
    } else if (typeof text === "string") {
      const read =
        fieldOf(part, "thought") === true
          ? Parts.reasoningParts(text, metadata)
          : Parts.textParts(text).map((one) => ({ ...one, ...kept }))
      for (const one of read) Parts.join(this.parts, one)
    } else this.#takeOther(part)
  }

  /** Takes a call, or a piece of a streamed one. The first piece has the name; an empty piece ends it. */
  #takeCall(called: unknown, kept: { readonly providerMetadata?: JsonObject }): void {
    const [name, args, partial] = [fieldOf(called, "name"), fieldOf(called, "args"), fieldOf(called, "partialArgs")]
    const streams = Array.isArray(partial) || fieldOf(called, "willContinue") === true
    if (name !== undefined) {
      const id = textOf(fieldOf(called, "id")) ?? this.#callId(this.#calls++)
      const call = { ...Parts.callPart(id, name, args), ...kept }
      this.parts.push({ ...call, args: withPartial(call.args, Parts.listOf(partial)) })
      this.#streaming = streams ? this.parts.length - 1 : undefined
      return
    }
    const begun = this.parts[this.#streaming ?? -1]
    if (begun?.type !== "call") {
      if (args !== undefined || streams) this.parts.push(Parts.unreadPart(called, "functionCall"))
    } else if (streams && this.#streaming !== undefined) {
      this.parts[this.#streaming] = { ...begun, args: withPartial(begun.args, Parts.listOf(partial)) }
    } else this.#streaming = undefined
  }

  takeOther(candidate: unknown): void {
    const index = fieldOf(candidate, "index")
    if (this.#others.has(index)) return
    this.#others.add(index)
    this.parts.push(Parts.unreadPart(candidate, "candidate"))
  }

  #takeOther(part: unknown): void {
    const [code, result] = [
      ofEither(part, "executableCode", "executable_code"),
      ofEither(part, "codeExecutionResult", "code_execution_result"),
    ]
    if (code !== undefined) {
      this.parts.push(Parts.hostedPart(fieldOf(code, "id") ?? `code_${this.parts.length + 1}`, "code_execution", code))
    } else if (result !== undefined) {
      const at = this.parts.findLastIndex((one) => one.type === "hosted" && one.tool === "code_execution")
      const run = this.parts[at]
      const outcome = Parts.asText(fieldOf(result, "outcome") ?? "")
      const end = { result, isError: outcome !== "" && outcome !== "OUTCOME_OK" }
      if (run?.type === "hosted" && run.result === undefined) {
        this.parts[at] = Parts.hostedPart(run.callId, run.tool, run.args, end)
      } else this.parts.push(Parts.hostedPart(fieldOf(result, "id"), "code_execution", {}, end))
    } else if (part !== null && typeof part === "object" && Object.keys(part).some((name) => !MARKS.has(name))) {
      this.parts.push(fileIn(part) ?? Parts.unreadPart(part, kindOf(part)))
    }
  }
}

/** Fields of a part that annotate it and do not give its type. */
const MARKS: ReadonlySet<string> = new Set([
  ...["thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "mediaResolution"],
  ...["partMetadata"],
])

const kindOf = (part: object): string | undefined => Object.keys(part).find((name) => !MARKS.has(name))

/** Clients and servers write field names in either case. */
const ofEither = (value: unknown, name: string, other: string): unknown => fieldOf(value, name) ?? fieldOf(value, other)

const fileIn = (part: unknown) => {
  const file = ofEither(part, "inlineData", "inline_data")
  if (file !== undefined)
    return Parts.filePart(ofEither(file, "mimeType", "mime_type"), fieldOf(file, "data"), part, "inlineData")
  return ofEither(part, "fileData", "file_data") === undefined ? undefined : Parts.itemPart("fileData", part)
}

const finishOf = (reason: string): Finished => ({
  unified: meaningOf(reason) ?? (FAILURES.has(reason) ? "error" : REFUSALS.test(reason) ? "content-filter" : "stop"),
  raw: reason,
})

const REFUSALS = /^IMAGE_(SAFETY|PROHIBITED_CONTENT|RECITATION)$/

/** Reasons with which Gemini reports a failure. */
const FAILURES: ReadonlySet<string> = new Set([
  ...["OTHER", "LANGUAGE", "IMAGE_OTHER", "NO_IMAGE", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"],
])

const tell = (told: ConversationBuilder.ConversationBuilder, content: unknown) => {
  const parts = Parts.listOf(fieldOf(content, "parts"))
  switch (fieldOf(content, "role") ?? "user") {
    case "model": {
      const said = new Said(told.callId)
      for (const part of parts) said.take(part)
      return told.assistant(said.parts)
    }
    case "system":
      return told.system(Parts.textIn(parts))
    case "user":
    case "function":
    case "tool":
      return tellUser(told, parts)
    default:
      return told.unknown(Parts.unreadPart(content, fieldOf(content, "role")))
  }
}

const tellUser = (told: ConversationBuilder.ConversationBuilder, parts: ReadonlyArray<unknown>) => {
  const resultOf = (part: unknown) => ofEither(part, "functionResponse", "function_response")
  for (const part of parts) {
    const response = resultOf(part)
    if (response === undefined) continue
    told.result(fieldOf(response, "id"), fieldOf(response, "response"), { tool: textOf(fieldOf(response, "name")) })
  }
  const others = parts.filter((part) => resultOf(part) === undefined)
  if (others.length > 0) told.user(others.map(contentPart))
}

const contentPart = (part: unknown): ToldPart => {
  const text = Parts.anyText(fieldOf(part, "text")) ?? Parts.anyText(part)
  if (text !== undefined) return { type: "text", text }
  return fileIn(part) ?? Parts.unreadPart(part, typeof part === "object" && part !== null ? kindOf(part) : undefined)
}
