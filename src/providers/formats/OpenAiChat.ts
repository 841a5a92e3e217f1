/**
 * OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat), which most servers speak with fields
 * of their own: Mistral, OpenRouter, DeepSeek, Groq, xAI, vLLM, llama.cpp, Ollama …
 */

import { meaningOf } from "../../agents/models/FinishReason.ts"
import type { AnswerPart, ToldPart } from "../../agents/models/Message.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import type { AnswerBody } from "../BodyPieces.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { Finished, WireFormat } from "../WireFormat.ts"
import * as ChatCalls from "./ChatCalls.ts"
import * as ChatReasoning from "./ChatReasoning.ts"

export const openAiChat: WireFormat = {
  name: "openai-chat",
  matches: ({ path }, body) => /\/(chat|agents)\/completions$/.test(path) && Array.isArray(body.messages),
  request: ({ host, path }, body) => {
    const told = ConversationBuilder.make()
    for (const message of Parts.listOf(body.messages)) tell(told, message)
    return {
      provider: providerAt(host, "openai-compatible"),
      model: Parts.asText(body.model ?? deploymentIn(path) ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools ?? body.functions),
      settings: Parts.settingsOf(body, ["model", "messages", "tools", "functions", "stream", "stream_options"]),
    }
  },
  answer: (body, callId) => {
    const said = new Said()
    const counted = ProviderUsage.counting(ProviderUsage.openAi)
    const finish = new Finish(body)
    let error: { readonly error: unknown } | undefined
    let [hasBegun, id, model]: [boolean, string | undefined, string | undefined] = [false, undefined, undefined]
    for (const piece of body.pieces) {
      counted.take(piece)
      id ??= textOf(fieldOf(piece, "id"))
      model ??= textOf(fieldOf(piece, "model"))
      hasBegun ||= Array.isArray(fieldOf(piece, "choices"))
      const sent = fieldOf(piece, "error") ?? fieldOf(fieldOf(piece, "x_groq"), "error")
      if (sent !== undefined && sent !== null) error ??= { error: sent }
      for (const choice of Parts.listOf(fieldOf(piece, "choices"))) {
        if ((fieldOf(choice, "index") ?? 0) !== 0) {
          said.takeOther(choice)
          continue
        }
        const failed = fieldOf(choice, "error")
        if (failed !== undefined && failed !== null) error ??= { error: failed }
        const [delta, message] = [fieldOf(choice, "delta"), fieldOf(choice, "message")]
        if (delta !== undefined && delta !== null) said.take(delta, false)
        else said.take(message, true)
        finish.take(choice, message !== undefined && message !== null)
      }
    }
    const usage = counted.usage()
    return {
      id,
      model,
      hasBegun,
      error,
      refusal: said.refusal,
      parts: said.parts(callId),
      usage: ProviderUsage.whole(usage),
      cost: counted.cost(),
      finish: hasBegun ? finish.found() : undefined,
    }
  },
}

class Said {
  refusal = ""
  #text = ""
  readonly #reasoning = new ChatReasoning.ChatReasoning()
  readonly #calls = new ChatCalls.ChatCalls()
  readonly #others: Array<AnswerPart> = []
  readonly #choices = new Set<unknown>()
  readonly #audio = { bytes: [] as Array<Buffer>, transcript: "" }

  take(said: unknown, isWhole: boolean): void {
    this.#reasoning.take(said)
    const content = fieldOf(said, "content")
    if (typeof content === "string") this.#text += content
    else for (const part of Parts.listOf(content)) this.#takePart(part)
    this.refusal += Parts.anyText(fieldOf(said, "refusal")) ?? ""
    this.#calls.take(Parts.listOf(fieldOf(said, "tool_calls")), isWhole)
    this.#calls.takeOld(fieldOf(said, "function_call"))
    for (const image of Parts.listOf(fieldOf(said, "images"))) this.#others.push(imageIn(image))
    const audio = fieldOf(said, "audio")
    const data = textOf(fieldOf(audio, "data"))
    if (data !== undefined) this.#audio.bytes.push(Buffer.from(data, "base64"))
    this.#audio.transcript += Parts.anyText(fieldOf(audio, "transcript")) ?? ""
  }

  /** Keeps a further choice (`n > 1`); the program reads all of them. */
  takeOther(choice: unknown): void {
    const index = fieldOf(choice, "index")
    if (this.#choices.has(index)) return
    this.#choices.add(index)
    this.#others.push(Parts.unreadPart(choice, "choice"))
  }

  #takePart(part: unknown): void {
    const text = Parts.anyText(fieldOf(part, "text"))
    switch (fieldOf(part, "type") ?? (text === undefined ? undefined : "text")) {
      case "text":
      case "output_text":
        this.#text += text ?? ""
        break
      case "thinking":
        this.#reasoning.takeThinking(part)
        break
      case "refusal":
        this.refusal += Parts.anyText(fieldOf(part, "refusal")) ?? ""
        break
      case "image_url":
        this.#others.push(imageIn(part))
        break
      case "reference":
        this.#others.push(Parts.itemPart("reference", part))
        break
      default:
        this.#others.push(Parts.unreadPart(part))
    }
  }

  parts(callId: (index: number) => string): ReadonlyArray<AnswerPart> {
    const { bytes, transcript } = this.#audio
    const sound = Buffer.concat(bytes)
    return [
      ...this.#reasoning.parts(),
      ...Parts.textParts(this.#text + transcript),
      ...(sound.length === 0
        ? []
        : [{ type: "file" as const, mediaType: audioTypeOf(sound), data: sound.toString("base64") }]),
      ...this.#others,
      ...this.#calls.parts(callId),
    ]
  }
}

/** How an answer ended. Some servers send an empty reason, with each chunk or with the last one only. */
class Finish {
  readonly #body: AnswerBody
  #reason: string | undefined
  #before: unknown = ""
  #isEmpty = false

  constructor(body: AnswerBody) {
    this.#body = body
  }

  take(choice: unknown, isMessage: boolean): void {
    const reason = fieldOf(choice, "finish_reason")
    this.#reason = textOf(reason) ?? this.#reason
    // A whole message needs no reason. A stream whose chunks had `null` ends at the first empty reason.
    this.#isEmpty ||= (isMessage && this.#body.isWhole) || (reason === "" && this.#before !== "")
    this.#before = reason
  }

  found(): Finished | undefined {
    if (this.#reason !== undefined) {
      return { unified: meaningOf(this.#reason) ?? "stop", raw: this.#reason }
    }
    return this.#isEmpty || this.#body.isDone ? { unified: "stop", raw: undefined } : undefined
  }
}

/** The deployment in a path of Azure: `/openai/deployments/NAME/chat/completions`. */
export const deploymentIn = (path: string): string | undefined => {
  const name = /\/deployments\/([^/]+)\//.exec(path)?.[1]
  return name === undefined ? undefined : Parts.decoded(name)
}

export const toolsOf = (tools: unknown) =>
  Parts.listOf(tools).map((tool) => {
    const described = fieldOf(tool, "function") ?? fieldOf(tool, "custom") ?? tool
    const { name, ...others } = Parts.toolDescription(described, fieldOf(described, "parameters"))
    // The provider's own tools have only a type.
    return { name: name || Parts.asText(fieldOf(tool, "type") ?? ""), ...others }
  })

const imageIn = (part: unknown) => {
  const image = fieldOf(part, "image_url")
  return Parts.urlPart(fieldOf(image, "url") ?? image, part, "image_url")
}

const tell = (told: ConversationBuilder.ConversationBuilder, message: unknown) => {
  const content = fieldOf(message, "content")
  switch (fieldOf(message, "role")) {
    case "system":
    case "developer":
      return told.system(Parts.textIn(content))
    case "assistant":
      return told.assistant(assistantParts(message, told.callId))
    case "tool":
      return told.result(fieldOf(message, "tool_call_id"), content, { tool: textOf(fieldOf(message, "name")) })
    case "function":
      return told.result(undefined, content, { tool: textOf(fieldOf(message, "name")) })
    case "user":
      return told.user(Parts.contentOf(content, contentPart))
    default:
      return told.unknown(Parts.unreadPart(message, fieldOf(message, "role")))
  }
}

/** An earlier answer, as a program sends it back. */
const assistantParts = (message: unknown, callId: () => string): ReadonlyArray<AnswerPart> => {
  const said = new Said()
  said.take(message, true)
  const audio = fieldOf(message, "audio")
  return [
    ...said.parts(callId),
    ...Parts.textParts(said.refusal),
    // Programs refer to earlier audio by its id.
    ...(audio === undefined || audio === null ? [] : [Parts.itemPart("audio", audio)]),
  ]
}

const contentPart = (part: unknown): ToldPart => {
  const text = Parts.anyText(fieldOf(part, "text")) ?? Parts.anyText(part)
  if (text !== undefined) return { type: "text", text }
  switch (fieldOf(part, "type")) {
    case "image_url":
      return imageIn(part)
    case "input_audio": {
      const audio = fieldOf(part, "input_audio")
      const format = textOf(fieldOf(audio, "format"))
      return Parts.filePart(format === undefined ? undefined : `audio/${format}`, fieldOf(audio, "data"), part)
    }
    case "file":
      return Parts.urlPart(fieldOf(fieldOf(part, "file"), "file_data"), part)
    case "video_url":
      return Parts.urlPart(fieldOf(fieldOf(part, "video_url"), "url"), part)
    case "document_url":
    case "refusal":
      return Parts.itemPart(fieldOf(part, "type"), part)
    default:
      return Parts.unreadPart(part)
  }
}

/** The media type of audio, from its first bytes: only the request names the format. */
const audioTypeOf = (sound: Buffer): string =>
  SIGNATURES.find(([signature]) => sound.subarray(0, signature.length).toString("latin1") === signature)?.[1] ??
  "audio/*"

const SIGNATURES: ReadonlyArray<readonly [string, string]> = [
  ...([
    ["RIFF", "audio/wav"],
    ["OggS", "audio/ogg"],
    ["fLaC", "audio/flac"],
  ] as const),
  ...([
    ["ID3", "audio/mpeg"],
    ["\u00ff\u00fb", "audio/mpeg"],
    ["\u00ff\u00f1", "audio/aac"],
  ] as const),
]
