/** Forwards requests to their providers, streams the answers back unchanged, and records both. */

import type { IncomingMessage, ServerResponse } from "node:http"
import * as Decoding from "../http/Decoding.ts"
import type { AnswerBody, Exchange } from "../http/Exchange.ts"
import type { SentRequest } from "../http/HttpMessage.ts"
import type { OutgoingRequests } from "./OutgoingRequests.ts"
import { cut, type Incoming, refuse } from "./ProxyServer.ts"
import type { Routes, Target } from "./Routes.ts"
import * as Signing from "./Signing.ts"

export interface RecordingParts {
  readonly routes: Routes
  readonly forwarding: OutgoingRequests
  readonly env: Signing.Credentials
  readonly exchange: (sent: SentRequest, incoming: Incoming) => Promise<Exchange>
  readonly onPassed?: (url: URL, isModel: boolean) => void
  readonly onUnreachable?: (url: URL, error: unknown) => void
  /** Called for a streamed answer without usage, because the client did not ask for it. */
  readonly onUnmetered?: () => void
}

/** Headers of one connection (RFC 9110, section 7.6.1). */
export const OWN =
  /^(connection|keep-alive|proxy-connection|proxy-authorization|te|trailer|transfer-encoding|upgrade|expect)$/i

/** The target of a request. Without one, sends an error response and returns undefined. */
export const targetOf = (
  routes: Routes,
  { path, headers, origin, response }: Incoming,
): Pick<Target, "url"> | undefined => {
  if (origin !== undefined) return { url: new URL(origin + path) }
  const region = Signing.regionOf(headers.authorization)
  const target = routes.target(path, region)
  if (target !== undefined && region !== undefined && target.family.isSigned !== true) {
    const expected = "a signed request at the address in AWS_ENDPOINT_URL_BEDROCK_RUNTIME"
    refuse(
      response,
      404,
      "no_provider",
      `${path.split("?")[0]}: expected ${expected}, found one at ${target.family.name}`,
    )
    return undefined
  }
  if (target === undefined) {
    refuse(
      response,
      404,
      "no_provider",
      `${path.split("?")[0]}: expected the path of a provider, such as /openai/v1/chat/completions, found another`,
    )
  }
  return target
}

export const answer = async (parts: RecordingParts, incoming: Incoming): Promise<void> => {
  const { response, gone } = incoming
  const target = targetOf(parts.routes, incoming)
  if (target === undefined) return
  const headers = forwardedHeaders(incoming, target.url)
  // An intercepted request carries the client's signature for the real host.
  const signed =
    incoming.origin === undefined
      ? await Signing.signed({ ...incoming, url: target.url, headers }, parts.env)
      : { headers }
  if ("refused" in signed) return refuse(response, 401, "not_signed", signed.refused)
  let exchange: Exchange
  try {
    exchange = await parts.exchange(await sentOf(incoming, target.url), incoming)
  } catch (error) {
    // The request is refused if it cannot be recorded: the run stops on failure, was cancelled, or has an invalid name.
    if (!isTagged(error)) throw error
    return refuse(response, 400, error._tag.toLowerCase(), error.message)
  }
  let upstream: IncomingMessage
  try {
    const { method, body } = incoming
    upstream = await parts.forwarding.send({ method, url: target.url, headers: signed.headers, body, signal: gone })
  } catch (error) {
    if (!gone.aborted) parts.onUnreachable?.(target.url, error)
    await exchange.failed(error)
    return cut(response)
  }
  parts.onPassed?.(target.url, exchange.isModel)
  const answer = exchange.answering(headOf(upstream, target.url))
  if (!asksForNoUsage(incoming) || upstream.statusCode !== 200) return pass(upstream, response, answer, gone)
  let isMetered = false
  const took = (piece: Uint8Array) => {
    isMetered ||= hasUsage(piece)
    answer.took(piece)
  }
  await pass(upstream, response, { ...answer, took }, gone)
  if (!isMetered) parts.onUnmetered?.()
}

const USAGE = /"usage":\s*\{/

/** Most pieces have no such name, and a search in their bytes makes no text of them. */
const hasUsage = ({ buffer, byteOffset, byteLength }: Uint8Array): boolean => {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  return bytes.includes('"usage"') && USAGE.test(bytes.toString("latin1"))
}

/** Whether a request is for an OpenAI chat stream without usage. */
const asksForNoUsage = ({ path, body }: Incoming): boolean => {
  if (!/\/chat\/completions(\?|$)/.test(path) || !body.includes('"stream"')) return false
  const text = body.toString("latin1")
  return /"stream":\s*true/.test(text) && !/"include_usage":\s*true/.test(text)
}

/** Whether an error tells what to do, rather than that a connection failed. */
export const isTagged = (error: unknown): error is Error & { readonly _tag: string } =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string"

/** The request to record: the provider's URL and a decoded body. */
export const sentOf = async ({ method, headers, rawHeaders, body }: Incoming, url: URL): Promise<SentRequest> => {
  const encoding = headers["content-encoding"]
  const read = encoding === undefined ? body : await Decoding.decodedBody(encoding, body)
  const isEmpty = body.byteLength === 0 && (method === "GET" || method === "HEAD")
  return { method, url: url.href, headers: headersOf(rawHeaders), body: isEmpty ? null : read }
}

const forwardedHeaders = ({ rawHeaders, body }: Incoming, url: URL): ReadonlyArray<string> => {
  const headers: Array<string> = []
  for (const [name, value] of pairs(rawHeaders)) {
    if (/^host$/i.test(name)) headers.push(name, url.host)
    else if (/^accept-encoding$/i.test(name)) headers.push(name, Decoding.acceptable(value))
    else if (/^transfer-encoding$/i.test(name)) headers.push("Content-Length", String(body.byteLength))
    else if (!OWN.test(name) && !/^x-hindcast-/i.test(name)) headers.push(name, value)
  }
  return headers
}

const headOf = ({ statusCode = 0, statusMessage = "", rawHeaders }: IncomingMessage, url: URL) => {
  const headers = headersOf(rawHeaders)
  const encoding = headers.get("content-encoding")
  const isEncoded = encoding !== null && !/^identity$/i.test(encoding) && !Decoding.canDecode(encoding)
  return { url: url.href, status: statusCode, statusText: statusMessage, redirected: false, headers, isEncoded }
}

/**
 * Streams an answer. Each piece is passed on before it is recorded, the end waits for the log, and a broken answer
 * breaks off for the client too.
 */
const pass = async (
  upstream: IncomingMessage,
  response: ServerResponse,
  answer: AnswerBody,
  gone: AbortSignal,
): Promise<void> => {
  const { statusCode = 502, statusMessage = "", rawHeaders, headers } = upstream
  const encoding = headers["content-encoding"]
  const body = encoding !== undefined && Decoding.canDecode(encoding) ? Decoding.decoding(encoding, answer) : answer
  response.writeHead(statusCode, statusMessage, [...pairs(rawHeaders)].filter(([name]) => !OWN.test(name)).flat())
  // Sends the head together with the first piece if that has arrived.
  const flushing = setImmediate(() => response.flushHeaders())
  const how = await new Promise<"clean" | "cut" | "cancelled">((resolve) => {
    // A client may close the connection as soon as it has the whole body.
    const ended = () =>
      resolve(upstream.complete && upstream.readableLength === 0 ? "clean" : gone.aborted ? "cancelled" : "cut")
    upstream.on("data", (piece: Buffer) => {
      if (!response.write(piece)) upstream.pause()
      body.took(piece)
    })
    response.on("drain", () => upstream.resume())
    for (const event of ["end", "error", "close"]) upstream.on(event, ended)
    if (gone.aborted) ended()
    else gone.addEventListener("abort", ended, { once: true })
  })
  clearImmediate(flushing)
  if (how !== "clean") upstream.destroy()
  await body.ended(how)
  if (how === "clean") response.end()
  else cut(response)
}

/** Converts to `Headers` and skips values that it refuses. */
export const headersOf = (raw: ReadonlyArray<string>): Headers => {
  const headers = new Headers()
  for (const [name, value] of pairs(raw)) {
    try {
      headers.append(name, value)
    } catch {
      // Such a value can hold neither a usable key nor anything that is recorded.
    }
  }
  return headers
}

export const pairs = (raw: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  Array.from({ length: raw.length >> 1 }, (_, index) => [raw[2 * index] ?? "", raw[2 * index + 1] ?? ""])
