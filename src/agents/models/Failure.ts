/** Classifies errors of a request to a model. A reason contains no headers, no request and no key. */

import type { ModelFailureKind } from "../../events/vocabulary/Deciding.ts"
import type { ProviderLimits } from "../../kernel/pacing/ModelPace.ts"
import { defined } from "../../values/defined.ts"
import { plainText } from "../../values/Json.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import { retryAfterMs as asked } from "../../values/time/RetryAfter.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { type Headers, limitsIn } from "./RateHeaders.ts"

export interface Failure {
  readonly kind: ModelFailureKind
  /** For people: at most `LONGEST_REASON` characters. */
  readonly reason: string
  /** The wait that the provider asked for, in milliseconds: 0 to `LONGEST_RETRY_AFTER_MS`. */
  readonly retryAfterMs?: number
  /** The provider's rate limits, as its answer says them. */
  readonly limits?: ProviderLimits
}

export const LONGEST_REASON = 500

/** Longest wait that is believed, in milliseconds: a day. */
export const LONGEST_RETRY_AFTER_MS = 86_400_000

/**
 * Classifies an error.
 *
 * @param redact removes keys from text
 * @param now the time in milliseconds, for a `Retry-After` that is a date
 */
export const classify = (error: unknown, redact: (text: string) => string, now: number): Failure => {
  const causes = causesOf(error)
  const call = causes.find((cause) => fieldOf(cause, "name") === "AI_APICallError")
  const found = known(causes) ?? (call === undefined ? ofNoCall(causes, error) : ofCall(call, causes))
  const retryAfterMs = call === undefined ? undefined : retryAfter(call, now)
  const limits = call === undefined ? undefined : limitsIn(headersOf(call), now)
  return {
    kind: found.kind,
    reason: reasonOf(found.reason, redact),
    ...defined({ retryAfterMs, limits }),
  }
}

export const reasonOf = (text: string, redact: (text: string) => string): string => {
  const safe = plainText(redact(text).replaceAll(CREDENTIALS, "$1[redacted]"))
  return safe.length <= LONGEST_REASON ? safe : `${safe.slice(0, LONGEST_REASON - 1)}…`.toWellFormed()
}

/** The user and password of a URL, and the value of an `Authorization` header. */
const CREDENTIALS = /(\b(?:https?:\/\/(?=[^/\s]*@)|Bearer |Basic ))[^@\s"',]+/gi

const causesOf = (error: unknown): ReadonlyArray<unknown> => {
  const causes: Array<unknown> = []
  for (let cause = error; cause !== undefined && !causes.includes(cause); cause = fieldOf(cause, "cause")) {
    causes.push(cause)
  }
  return causes
}

const known = (causes: ReadonlyArray<unknown>): Failure | undefined => {
  for (const cause of causes) {
    const name = textOf(fieldOf(cause, "_tag")) ?? textOf(fieldOf(cause, "name")) ?? ""
    const kind = KINDS.get(name) ?? (TIMEOUT_CODES.test(String(fieldOf(cause, "code"))) ? "timed-out" : undefined)
    if (kind === "unreadable") return { kind, reason: `The answer cannot be read: ${shown(cause)}` }
    if (kind !== undefined) return { kind, reason: messageOf(cause) ?? name }
  }
  return undefined
}

const KINDS: ReadonlyMap<string, ModelFailureKind> = new Map([
  ["NotRecorded", "not-recorded"],
  ["TimeoutError", "timed-out"],
  ["AI_JSONParseError", "unreadable"],
  ["AI_TypeValidationError", "unreadable"],
  ["AI_EmptyResponseBodyError", "unreadable"],
  ["LineUnreadable", "unreadable"],
  ["AI_InvalidResponseDataError", "cut-off"],
  ["AnswerTooLong", "invalid-request"],
  ["AI_UnsupportedFunctionalityError", "invalid-request"],
  ["AI_InvalidPromptError", "invalid-request"],
  ["AI_InvalidArgumentError", "invalid-request"],
  ["AI_NoSuchModelError", "unknown-model"],
  ["AI_LoadAPIKeyError", "unauthorized"],
])

const TIMEOUT_CODES = /^(ETIMEDOUT|UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT)$/

const ofCall = (call: unknown, causes: ReadonlyArray<unknown>): Failure => {
  const status = fieldOf(call, "statusCode")
  const deepest = messageOf(causes.at(-1)) ?? "no reason given"
  if (typeof status !== "number") {
    return { kind: "unreachable", reason: `${serverOf(call)} cannot be reached: ${deepest}` }
  }
  if (status < 300) return { kind: "cut-off", reason: `The answer broke off: ${deepest}` }
  const said = saidBy(call)
  return { kind: kindOfStatus(status, said), reason: `HTTP ${status}${placeOf(status, call)}: ${said}` }
}

/** The server's message, or the start of the body if the package found no message in it. */
const saidBy = (call: unknown): string => {
  const message = messageOf(call) ?? ""
  const body = textOf(fieldOf(call, "responseBody")) ?? ""
  return fieldOf(call, "data") === undefined && body !== "" ? body : message
}

const kindOfStatus = (status: number, said: string): ModelFailureKind => {
  if (status === 401 || status === 403) return "unauthorized"
  if (status === 404) return "unknown-model"
  if (status === 408) return "timed-out"
  if (status === 413) return "context-too-long"
  if (status === 429) return "rate-limited"
  return status >= 500 ? "overloaded" : (kindOfWords(said) ?? "invalid-request")
}

/** Servers use 400 for many errors, so the words decide. */
const kindOfWords = (said: string): ModelFailureKind | undefined => WORDS.find(([, pattern]) => pattern.test(said))?.[0]

const WORDS: ReadonlyArray<readonly [ModelFailureKind, RegExp]> = [
  [
    "context-too-long",
    /context[ _-]?(length|window|size|limit)|maximum context|(prompt|input|request) (is )?too (long|large)|too many (input )?tokens|token count.{0,40}exceed|request_too_large/i,
  ],
  [
    "unauthorized",
    /api[ _-]?key (not valid|invalid|is invalid)|invalid[ _](x-)?api[ _-]?key|authentication_error|permission_error/i,
  ],
  ["unknown-model", /model_not_found|model.{0,100}(not found|does not exist|is not supported)|not_found_error/i],
  ["rate-limited", /rate[ _-]?limit|resource_exhausted|insufficient_quota|too many requests/i],
  ["overloaded", /overloaded|server_error|internal_error|api_error|unavailable/i],
  ["timed-out", /timeout_error|timed out/i],
  ["refused", /content_(policy|filter)|content management policy|blocked.{0,40}(safety|content)/i],
  ["invalid-request", /invalid_request|invalid_argument|bad_request/i],
]

/** A wrong URL also causes a 404. A redirect is not followed, since it would take the key elsewhere. */
const placeOf = (status: number, call: unknown): string => {
  if (status === 404) return ` at ${serverOf(call)}`
  return status < 400 ? ` (a redirect, which is not followed) at ${serverOf(call)}` : ""
}

const serverOf = (call: unknown): string => {
  const url = textOf(fieldOf(call, "url"))
  if (url === undefined || !canParseUrl(url)) return "The server"
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

const ofNoCall = (causes: ReadonlyArray<unknown>, error: unknown): Failure => {
  const broken = causes.some((cause) => NETWORK.test(`${messageOf(cause)} ${String(fieldOf(cause, "code"))}`))
  if (broken) return { kind: "cut-off", reason: `The answer broke off: ${messageOf(causes.at(-1))}` }
  if (error instanceof Error) return { kind: "unreadable", reason: `The answer cannot be read: ${shown(error)}` }
  const words = [fieldOf(error, "type"), fieldOf(error, "code"), fieldOf(error, "status"), messageOf(error)]
  const said = words.filter((word) => textOf(word) !== undefined).join(": ")
  const status = fieldOf(error, "statusCode") ?? fieldOf(error, "code")
  const byStatus = typeof status === "number" && status >= 400 ? kindOfStatus(status, said) : undefined
  return { kind: kindOfWords(said) ?? byStatus ?? "cut-off", reason: said === "" ? "The provider sent an error" : said }
}

const NETWORK = /terminated|aborted|socket|other side closed|fetch failed|premature|ECONN|EPIPE|UND_ERR/i

const messageOf = (error: unknown): string | undefined => textOf(fieldOf(error, "message")) ?? textOf(error)

/** A package's message may repeat the whole piece; its first line is enough. */
const shown = (cause: unknown): string => messageOf(cause)?.split("\n")[0] ?? "no reason given"

const headersOf = (call: unknown): Headers =>
  Object.fromEntries(
    Object.entries(Object(fieldOf(call, "responseHeaders"))).map(([name, value]) => [
      name.toLowerCase(),
      textOf(value),
    ]),
  )

/** Reads `retry-after-ms`, `Retry-After` as seconds or as a date (RFC 9110 §10.2.3), or Google's `retryDelay`. */
const retryAfter = (call: unknown, now: number): number | undefined => {
  const headers = fieldOf(call, "responseHeaders")
  const [ms, after] = [textOf(fieldOf(headers, "retry-after-ms")), textOf(fieldOf(headers, "retry-after"))]
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(String(fieldOf(call, "responseBody")))?.[1]
  const candidates = [
    Number(ms ?? Number.NaN),
    asked(after ?? "", now) ?? Number.NaN,
    Number(delay ?? Number.NaN) * 1000,
  ]
  const wait = candidates.find(Number.isFinite)
  return wait === undefined ? undefined : Math.min(Math.max(0, Math.ceil(wait)), LONGEST_RETRY_AFTER_MS)
}
