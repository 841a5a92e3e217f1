/** All wire formats that are known, and what a request and its answer say in theirs. */

import { callIdOf } from "../agents/models/CallId.ts"
import { classify, type Failure, reasonOf } from "../agents/models/Failure.ts"
import type { AnswerPart } from "../agents/models/Message.ts"
import type { Turn } from "../agents/models/Model.ts"
import { outcome } from "../agents/models/providers/outcome.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import { type Json, wellFormed } from "../values/Json.ts"
import { fieldOf, isObject, textOf } from "../values/JsonObjects.ts"
import { anthropic } from "./Anthropic.ts"
import { gemini } from "./Gemini.ts"
import { ollama } from "./Ollama.ts"
import { openAiChat } from "./OpenAiChat.ts"
import { openAiResponses } from "./OpenAiResponses.ts"
import { jsonOf, piecesOf } from "./pieces.ts"
import type { Address, ModelRequest, Wire } from "./Wire.ts"

const WIRES: ReadonlyArray<Wire> = [openAiChat, openAiResponses, anthropic, gemini, ollama]

/** A request to a model, and how its answer is read. */
export interface Asked {
  readonly wire: Wire
  readonly request: ModelRequest
  /** Whether the server is the provider's own, so that its prices are known. */
  readonly isOfficial: boolean
}

/** What a request asks of a model; undefined if it is of no known format. */
export const askedBy = (method: string, address: Address, body: Json | undefined): Asked | undefined => {
  if (method !== "POST" || !isObject(body)) return undefined
  const wire = WIRES.find(({ matches }) => matches(address, body))
  if (wire === undefined) return undefined
  return { wire, request: wire.request(address, body), isOfficial: isOfficial(address.host) }
}

/** Whether a host is a provider's own. */
export const isOfficial = (host: string): boolean => OFFICIAL.has(host)

const OFFICIAL: ReadonlySet<string> = new Set([
  ...["api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com"],
])

/** A response as it came, as far as it came. */
export interface Came {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** `clean`: to its end; `cut`: it broke off; `cancelled`: the program did not want the rest. */
  readonly end: "clean" | "cut" | "cancelled"
}

/** A turn, or why it is none with what had come of it. */
export type Answered =
  | { readonly turn: Turn }
  | {
      readonly failure: Omit<Failure, "kind"> & { readonly kind: Failure["kind"] | "cancelled" }
      readonly parts: ReadonlyArray<AnswerPart>
      readonly usage: ModelUsage | undefined
    }

/**
 * What a model answered, by the rules of an agent's own models (`outcome`).
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
  const pieces = piecesOf(came.body)
  const given = wire.answer(pieces, (index) => callIdOf(request, index))
  // A character may come in halves, in two pieces; a half that stays alone is none that a log holds. Parts are JSON.
  const parts = (wellFormed(given.parts() as unknown as Json) ?? []) as unknown as ReadonlyArray<AnswerPart>
  const answer = { ...given, parts: () => parts }
  const usage = answer.usage()
  const failed = (failure: Failure | { readonly kind: "cancelled"; readonly reason: string }): Answered => ({
    failure,
    parts,
    usage,
  })
  if (came.status < 200 || came.status > 299) return failed(classify(refused(came), redact, now))
  const sent = answer.error()
  if (sent !== undefined) return failed(classify(sent.error, redact, now))
  const limit = request.settings.max_tokens ?? request.settings.max_completion_tokens
  const ended = outcome(answer, typeof limit === "number" ? limit : undefined)
  if (!("kind" in ended)) return { turn: ended }
  if (answer.finish() === undefined && came.end === "cancelled") {
    return failed({ kind: "cancelled", reason: "the program did not read the answer to its end" })
  }
  if (answer.finish() === undefined && came.end === "cut") {
    return failed({ kind: "cut-off", reason: "The answer broke off: the connection was lost" })
  }
  return failed({ ...ended, reason: reasonOf(ended.reason, redact) })
}

/** A refused request as the errors of providers' packages describe one. */
const refused = ({ status, headers, body }: Came) => {
  const data = jsonOf(body)
  const error = fieldOf(data, "error") ?? fieldOf(fieldOf(data, "0"), "error")
  const message = textOf(fieldOf(error, "message")) ?? textOf(error)
  return {
    ...{ name: "AI_APICallError", statusCode: status, responseHeaders: headers, responseBody: body },
    message: message ?? `status ${status}`,
    ...(message === undefined ? {} : { data }),
  }
}
