/** One attempt to deliver an OTLP request to another receiver, and the meaning of its answer. */

import { field, parsed } from "../../importing/runs/Untrusted.ts"
import { shorten } from "../../values/Formats.ts"
import { oneLine } from "../../values/PlainText.ts"
import { retryAfterMs } from "../../values/time/RetryAfter.ts"

export type Delivered =
  | {
      readonly kind: "taken"
      /** The beginning of the answer, at most `keeps` bytes. */
      readonly answer: string
    }
  /** Worth another attempt. */
  | { readonly kind: "again"; readonly reason: string; readonly afterMs: number | undefined }
  | { readonly kind: "refused"; readonly reason: string; readonly status: number }

export interface Request {
  readonly url: URL
  readonly headers: Headers
  readonly body: Uint8Array
  /** Ends the attempt early. */
  readonly ending: AbortSignal
  /** Bytes of the answer to read. Default: none. */
  readonly keeps?: number
}

/** An attempt ends after this time, the reading of its answer included. */
const TIMEOUT_MS = 10_000

/** Answers after which a client tries again (https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Sends a request once. Follows no redirect. */
export const attempt = async ({ url, headers, body, ending, keeps = 0 }: Request): Promise<Delivered> => {
  // Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may collect the latter, which then never ends the attempt.
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
  const end = () => limit.abort(ending.reason)
  ending.addEventListener("abort", end)
  if (ending.aborted) end()
  try {
    const sent = { method: "POST", headers, body: new Uint8Array(body), redirect: "manual" } as const
    const response = await fetch(url, { ...sent, signal: limit.signal })
    const answer = await beginningOf(response, keeps)
    if (response.ok) return { kind: "taken", answer }
    const { status } = response
    const reason = `${url.origin} answered with ${status}${saidIn(answer)}`
    return RETRYABLE.has(status)
      ? { kind: "again", reason, afterMs: retryAfterMs(response.headers.get("retry-after") ?? "", Date.now()) }
      : { kind: "refused", reason, status }
  } catch (cause) {
    return { kind: "again", reason: `${url.origin} could not be reached: ${causeOf(cause)}`, afterMs: undefined }
  } finally {
    clearTimeout(timer)
    ending.removeEventListener("abort", end)
  }
}

/** The address of a signal below a base address, which may have a path and a query, as some services ask for. */
export const addressOf = (to: URL, path: string): URL => {
  const url = new URL(to)
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`
  return url
}

const beginningOf = async (response: Response, bytes: number): Promise<string> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ""
  const pieces: Array<Uint8Array> = []
  let size = 0
  while (size < bytes) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(pieces).toString()
    pieces.push(value)
    size += value.length
  }
  await reader.cancel()
  return Buffer.concat(pieces).subarray(0, bytes).toString()
}

/** The receiver's words about an error, in OTLP's form. */
const saidIn = (answer: string): string => {
  const said = field(parsed(answer), "message")
  return typeof said === "string" && said !== "" ? ` (${shorten(oneLine(said), MAX_SAID)})` : ""
}

const MAX_SAID = 200

const causeOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}
