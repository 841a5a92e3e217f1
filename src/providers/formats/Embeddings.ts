/**
 * Embeddings of OpenAI, Cohere, Gemini and Ollama. The answer states the number of vectors; the vectors themselves stay
 * in the recorded bytes.
 */

import type { ToldPart } from "../../agents/models/Message.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { WireFormat } from "../WireFormat.ts"
import { deploymentIn } from "./OpenAiChat.ts"

/** Each provider's path, its name, and the fields that hold the texts. */
const PLACES: ReadonlyArray<readonly [RegExp, string, ReadonlyArray<string>]> = [
  [/\/v2\/embed$/, "cohere", ["texts", "inputs", "images"]],
  [/\/models\/([^/:]+):(?:embedContent|batchEmbedContents)$/, "google", ["content", "requests"]],
  [/\/api\/(?:embed|embeddings)$/, "ollama", ["input", "prompt"]],
  [/\/embeddings$/, "openai-compatible", ["input"]],
]

const placeOf = (path: string, body: JsonObject) =>
  PLACES.find(([pattern, , fields]) => pattern.test(path) && fields.some((name) => name in body))

export const embeddings: WireFormat = {
  name: "embeddings",
  isConversation: false,
  matches: ({ path }, body) => placeOf(path, body) !== undefined,
  withModel: (path, model) => Parts.renamed(path, /(\/models\/)[^/:]+(?=:)/, model),
  request: ({ host, path }, body) => {
    const [pattern, provider, fields] = placeOf(path, body) ?? [/$/, "", []]
    const told = ConversationBuilder.make()
    told.user(fields.flatMap((name) => textsIn(body[name])))
    return {
      provider: providerAt(host, provider),
      model: Parts.asText(body.model ?? pattern.exec(path)?.[1] ?? deploymentIn(path) ?? ""),
      ...told.whole(),
      tools: [],
      settings: Parts.settingsOf(body, ["model", ...fields]),
    }
  },
  answer: ({ pieces: [piece], isWhole }) => {
    const vectors = vectorsIn(piece)
    const counted = ProviderUsage.counting(ProviderUsage.embeddings)
    counted.take(piece)
    const error = fieldOf(piece, "error")
    const isAnswer = isWhole && vectors !== undefined
    return {
      model: textOf(fieldOf(piece, "model")),
      parts: vectors === undefined ? [] : [Parts.itemPart("embeddings", vectors)],
      usage: ProviderUsage.whole(counted.usage()),
      cost: counted.cost(),
      refusal: "",
      hasBegun: isAnswer,
      finish: isAnswer ? { unified: "stop", raw: undefined } : undefined,
      error: error === undefined || error === null ? undefined : { error },
    }
  },
}

/** The texts to embed. Tokens and files become items. */
const textsIn = (value: Json | undefined): ReadonlyArray<ToldPart> => {
  if (value === undefined) return []
  if (typeof value === "string") return [{ type: "text", text: value }]
  if (Array.isArray(value) && !value.every((one) => typeof one === "number")) return value.flatMap(textsIn)
  const parts = fieldOf(value, "parts") ?? fieldOf(value, "content")
  const text = Parts.anyText(fieldOf(value, "text"))
  if (text !== undefined) return [{ type: "text", text }]
  // Safe: every field of a parsed body is JSON.
  return parts === undefined
    ? [Parts.itemPart(Array.isArray(value) ? "tokens" : "input", value)]
    : textsIn(parts as Json)
}

const vectorsIn = (piece: unknown) => {
  const lists = [
    ...[Parts.listOf(fieldOf(piece, "data")), Parts.listOf(fieldOf(piece, "embeddings"))],
    ...Object.values(asFields(fieldOf(piece, "embeddings"))).map(Parts.listOf),
    [fieldOf(piece, "embedding")].filter((one) => one !== undefined),
  ]
  const found = lists.find((list) => list.length > 0)
  if (found === undefined) return undefined
  const [first] = found
  const vector = Array.isArray(first) ? first : (fieldOf(first, "embedding") ?? fieldOf(first, "values"))
  return { count: found.length, ...(Array.isArray(vector) ? { dimensions: vector.length } : {}) }
}

const asFields = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
