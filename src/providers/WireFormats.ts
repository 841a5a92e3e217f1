/** All supported wire formats. Finds the format of a request, and reads the request and its answer. */

import { callIdOf } from "../agents/models/CallId.ts"
import { isPriced } from "../kernel/pricing/Prices.ts"
import { type Json, wellFormed } from "../values/Json.ts"
import { isObject } from "../values/JsonObjects.ts"
import { canParseUrl } from "../values/url/canParseUrl.ts"
import * as AwsEvents from "./AwsEvents.ts"
import { bodyOf } from "./BodyPieces.ts"
import { anthropic } from "./formats/Anthropic.ts"
import { converse, invoke } from "./formats/Bedrock.ts"
import { cohere } from "./formats/Cohere.ts"
import { completions } from "./formats/Completions.ts"
import { embeddings } from "./formats/Embeddings.ts"
import { gemini } from "./formats/Gemini.ts"
import { interactions } from "./formats/Interactions.ts"
import { ollama, ollamaGenerate } from "./formats/Ollama.ts"
import { openAiChat } from "./formats/OpenAiChat.ts"
import { openAiResponses } from "./formats/OpenAiResponses.ts"
import { type Answered, type Came, outcomeOf } from "./Outcome.ts"
import { providerAt } from "./Providers.ts"
import type { Address, ModelRequest, WireFormat } from "./WireFormat.ts"

export type { Answered, Came } from "./Outcome.ts"

/** In order of precedence: a path can match two formats. */
const WIRES: ReadonlyArray<WireFormat> = [
  ...[openAiChat, openAiResponses, anthropic, gemini, interactions, converse, invoke, cohere, ollama, ollamaGenerate],
  ...[embeddings, completions],
]

/** A request to a model, with its wire format. */
export interface Asked {
  readonly wire: WireFormat
  readonly request: ModelRequest
  /** Whether the host is the provider's own, so that its prices apply. */
  readonly isOfficial: boolean
}

/** Reads a request to a model; undefined if its format is unknown. */
export const askedBy = (method: string, { host, path }: Address, body: Json | undefined): Asked | undefined => {
  if (method !== "POST" || !isObject(body)) return undefined
  const address = { host, path: path.replace(/\/+$/, "") }
  const wire = WIRES.find(({ matches }) => matches(address, body))
  if (wire === undefined) return undefined
  return { wire, request: wire.request(address, body), isOfficial: isOfficial(host) }
}

/** Rebuilds enough of an earlier recorded call, from its URL and model, to read a background answer to it. */
export const wireAt = (
  url: string,
  { provider, model }: Pick<ModelRequest, "provider" | "model">,
): Asked | undefined => {
  if (!canParseUrl(url)) return undefined
  const { host, pathname: path } = new URL(url)
  const asked = askedBy("POST", { host, path }, { model, input: "" })
  return asked?.wire.polled === undefined ? undefined : { ...asked, request: { ...asked.request, provider, model } }
}

/** Whether a host belongs to a provider with known prices. */
export const isOfficial = (host: string): boolean => isPriced(providerAt(host, ""))

/**
 * Reads a model's answer.
 *
 * @param redact removes keys from a reason
 * @param now epoch milliseconds, for a `Retry-After` with a date
 */
export const answeredBy = (
  { wire, request }: Asked,
  came: Came,
  redact: (text: string) => string,
  now: number,
): Answered => {
  const isBinary = came.headers["content-type"]?.startsWith(AwsEvents.MEDIA_TYPE) === true
  const body = bodyOf(came.body, isBinary ? came.bytes : undefined)
  const given = wire.answer(body, (index) => callIdOf(request, index))
  // A surrogate pair may arrive in two pieces; the log accepts no lone half. Parts are JSON, so the casts are safe.
  const parts = (wellFormed(given.parts as unknown as Json) ?? []) as unknown as typeof given.parts
  return outcomeOf({ ...given, parts }, { ...came, isWhole: body.isWhole }, redact, now)
}
