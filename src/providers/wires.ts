/** All wire formats that are known, and what a request and its answer say in theirs. */

import { callIdOf } from "../agents/models/CallId.ts"
import { isPriced } from "../kernel/pricing/Prices.ts"
import { type Json, wellFormed } from "../values/Json.ts"
import { isObject } from "../values/JsonObjects.ts"
import * as AwsEvents from "./AwsEvents.ts"
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
import { bodyOf } from "./pieces.ts"
import type { Address, ModelRequest, Wire } from "./Wire.ts"

export type { Answered, Came } from "./Outcome.ts"

/** The first that matches counts: a path may end as two formats do. */
const WIRES: ReadonlyArray<Wire> = [
  ...[openAiChat, openAiResponses, anthropic, gemini, interactions, converse, invoke, cohere, ollama, ollamaGenerate],
  ...[embeddings, completions],
]

/** A request to a model, and how its answer is read. */
export interface Asked {
  readonly wire: Wire
  readonly request: ModelRequest
  /** Whether the server is the provider's own, so that its prices are known. */
  readonly isOfficial: boolean
}

/** What a request asks of a model; undefined if it is of no known format. */
export const askedBy = (method: string, { host, path }: Address, body: Json | undefined): Asked | undefined => {
  if (method !== "POST" || !isObject(body)) return undefined
  const address = { host, path: path.replace(/\/+$/, "") }
  const wire = WIRES.find(({ matches }) => matches(address, body))
  if (wire === undefined) return undefined
  return { wire, request: wire.request(address, body), isOfficial: isOfficial(host) }
}

/** A call that was recorded earlier, of which the address and the model are known: enough to read an answer to it that came later. */
export const wireAt = (
  url: string,
  { provider, model }: Pick<ModelRequest, "provider" | "model">,
): Asked | undefined => {
  if (!URL.canParse(url)) return undefined
  const { host, pathname: path } = new URL(url)
  const asked = askedBy("POST", { host, path }, { model, input: "" })
  return asked?.wire.polled === undefined ? undefined : { ...asked, request: { ...asked.request, provider, model } }
}

/** Whether a host is that of a provider whose prices are known. */
export const isOfficial = (host: string): boolean => isPriced(providerAt(host, ""))

/**
 * What a model answered.
 *
 * @param redact removes keys from a reason
 * @param now the time in milliseconds, for a `Retry-After` that is a date
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
  // A character may come in halves, in two pieces; a half that stays alone is none that a log holds. Parts are JSON.
  const parts = (wellFormed(given.parts as unknown as Json) ?? []) as unknown as typeof given.parts
  return outcomeOf({ ...given, parts }, { ...came, isWhole: body.isWhole }, redact, now)
}
