/**
 * The content of an event: its payload without the parts that vary between runs anyway. That is times, durations, costs and
 * ids, and of a recorded response its chunks and most headers.
 */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import { isObject } from "../../../values/JsonObjects.ts"

/** Fields with times, durations, costs and ids, and an agent's explanations. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  ...[
    "argsDigest",
    "basedOn",
    "because",
    "birth",
    "cachedFrom",
    "callId",
    "child",
    "commandId",
    "confirmationId",
    "cost",
    "exit",
    "expiresAt",
  ],
  ...[
    "inferred",
    "inputs",
    "instance",
    "kernel",
    "latencyMs",
    "parent",
    "pid",
    "priority",
    "progress",
    "rationale",
    "reserves",
    "reasoning",
    "recorder",
    "requestDigest",
  ],
  ...["retryAfterMs", "retryInMs", "scoreSetId", "shownDigest", "usage", "waitMs", "waitedMs", "workedMs"],
])

/**
 * Returns the content of an event.
 *
 * @param isOfModel whether it is the raw response behind a model's answer, whose content another event has
 */
export const of = (event: Event, isOfModel = false): JsonObject => {
  const content = without(INCIDENTAL, event.payload)
  // Compare the choices of decisions, not their agents.
  if (is(event, "DecisionMade")) return without(AGENT, content)
  if (is(event, "ModelCalled")) return { ...content, request: requestOf(event.payload.request) }
  if (is(event, "ModelResponded")) return { ...content, response: responseOf(event.payload.response) }
  if (is(event, "ModelFailed") && event.payload.response !== undefined) {
    return { ...content, response: partsOf(event.payload.response) }
  }
  if (is(event, "IoCalled")) return { ...content, request: sentOf(event.payload.request) }
  if (is(event, "IoAnswered")) return { ...content, result: answerOf(event.payload, isOfModel) }
  return content
}

const AGENT: ReadonlySet<string> = new Set(["agent"])

const without = (names: ReadonlySet<string>, object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)))

/** A request to a model, without the events and threads that it names. */
const requestOf = (request: Json): Json => {
  if (!isObject(request)) return request
  const { messages, ...others } = without(NAMES, request)
  return Array.isArray(messages) ? { ...others, messages: messages.map(messageOf) } : without(NAMES, request)
}

const NAMES: ReadonlySet<string> = new Set(["after", "like", "thread"])

const messageOf = (message: Json): Json =>
  isObject(message) ? { ...message, content: partsOf(message.content ?? null) } : message

/** A model's answer, without the provider's id. */
const responseOf = (response: Json): Json => {
  if (!isObject(response)) return response
  const named = without(ID, response)
  return named.parts === undefined ? named : { ...named, parts: partsOf(named.parts) }
}

const ID: ReadonlySet<string> = new Set(["id"])

/** The parts of a message, without the ids of calls and items and the provider's signatures. */
const partsOf = (parts: Json): Json => (Array.isArray(parts) ? parts.map(partOf) : parts)

const partOf = (part: Json): Json => {
  if (!isObject(part)) return part
  const named = without(SIGNED, part)
  return isObject(named.item) ? { ...named, item: without(ID, named.item) } : named
}

const SIGNED: ReadonlySet<string> = new Set(["callId", "providerMetadata"])

/** A request to another service, with its body as one text. */
const sentOf = (request: Json): Json =>
  isObject(request) && Array.isArray(request.body) ? { ...request, body: textOf([request.body]) } : request

/** The answer to a call. A time has no content. */
const answerOf = ({ io, result }: { readonly io: string; readonly result: Json }, isOfModel: boolean): Json => {
  if (io === "now") return null
  if (io !== "fetch" || !isObject(result)) return result
  const { headers, chunks } = result
  const outcome = picked(result, ["status", "end", "redirected", "omitted", "redacted"])
  if (isOfModel) return outcome
  const kept = isObject(headers) ? picked(headers, ["content-type", "location"]) : {}
  return { ...outcome, headers: kept, body: Array.isArray(chunks) ? textOf(chunks) : null }
}

const picked = (object: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])))

/** The text of a body's chunks, `[ms, text]` or `[ms, bytes, "base64"]`. Other bytes become one character each. */
const textOf = (pieces: ReadonlyArray<Json>): string => {
  const parts = pieces.map((piece) => (Array.isArray(piece) ? piece : []))
  if (parts.every(([, , encoding]) => encoding === undefined)) return parts.map(([, text]) => String(text)).join("")
  const bytes = Uint8Array.from(
    parts.flatMap(([, text, encoding]) => [
      ...(encoding === undefined ? new TextEncoder().encode(String(text)) : bytesOf(String(text))),
    ]),
  )
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
  }
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
