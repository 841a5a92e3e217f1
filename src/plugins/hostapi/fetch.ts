/**
 * The host request `fetch`: HTTP, HTTPS and WebSockets to granted hosts, with checks of every redirect and resolved
 * address.
 */

import type { ClientRequest } from "node:http"
import { domainToASCII } from "node:url"
import { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import type { FetchResult } from "../author.ts"
import type { Client } from "./Client.ts"
import type { Connections } from "./connections.ts"
import * as HostHeaders from "./HostHeaders.ts"
import { isLocalName, PrivateAddress, publicOnly } from "./PublicLookup.ts"

/** Default of `fetchMs`, in milliseconds. */
const FETCH_MS = 30_000

/** Default of `bodyBytes`: fits a frame even in base64. */
const BODY_BYTES = 4 * 1024 * 1024

/** Maximum number of redirects. */
const REDIRECTS = 5

/** A request with defaults filled in. */
export interface FetchRequest {
  readonly url: string
  readonly method: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
}

/** The response, and its URLs: the requested one and each redirect. */
export interface Fetched {
  readonly result: FetchResult
  readonly body: Buffer
  readonly via: ReadonlyArray<string>
}

/**
 * Fetches from a host that `net` grants, as `host` (any port) or `host:port`. Follows redirects to granted hosts only,
 * and sends no credentials to another origin.
 *
 * Refuses a granted name that resolves to an address of this machine or of a private network: these need a grant of the
 * address itself or of `localhost`.
 *
 * Any status succeeds. Interruption ends the request.
 *
 * At a URL of `ws:` or `wss:`, GET opens the process's connection, and POST sends its body as a message and returns the
 * next message. No other request opens a connection again, because the server keeps its state in it.
 */
export const fetchGranted = (client: Client, request: FetchRequest): Effect.Effect<Fetched, Failure> =>
  Effect.suspend(() => {
    const invalid = findInvalid(client, request)
    if (invalid !== undefined) return Effect.fail(invalid)
    const fetchMs = client.limits?.fetchMs ?? FETCH_MS
    const fetched = isSocket(request.url) ? converse(client, request) : follow(client, request, [])
    return fetched.pipe(
      Effect.timeoutFail({
        duration: fetchMs,
        onTimeout: () => ({ code: "FetchTimedOut", message: `expected an answer within ${fetchMs} ms, found none` }),
      }),
    )
  })

/** The request's host, with its port unless it is the scheme's default. Fails without a grant. */
export const grantedHost = (client: Client, request: FetchRequest): Effect.Effect<string, Failure> =>
  Effect.map(granted(client, request.url, []), ({ host }) => host)

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** GET opens a connection, and POST uses it. */
const SOCKET_METHODS = ["GET", "POST"]

const isSocket = (address: string): boolean => /^wss?:$/.test(canParseUrl(address) ? new URL(address).protocol : "")

const findInvalid = ({ limits }: Client, { url, method, headers, body }: FetchRequest): Failure | undefined => {
  const invalid = (message: string) => ({ code: "ParametersInvalid", message })
  if (isSocket(url) && !SOCKET_METHODS.includes(method))
    return invalid(`expected a method of ${SOCKET_METHODS.join(", ")} for a WebSocket, found ${method}`)
  if (!METHODS.includes(method)) return invalid(`expected a method of ${METHODS.join(", ")}, found ${method}`)
  const reserved = Object.keys(headers).find(HostHeaders.isReserved)
  if (reserved !== undefined) return invalid(`expected no header ${reserved}: the host sets it`)
  const most = limits?.bodyBytes ?? BODY_BYTES
  const bytes = Buffer.byteLength(body ?? "")
  if (bytes > most) return { code: "BodyTooLarge", message: `expected a body of at most ${most} bytes, found ${bytes}` }
  if (body !== undefined && /^(GET|HEAD)$/.test(method)) return invalid(`expected no body with ${method}`)
  if (isSocket(url) && method === "POST" && body === undefined) return invalid("expected a message as the body")
  return undefined
}

/** One exchange over the process's connection to a URL. */
const converse = (client: Client, request: FetchRequest): Effect.Effect<Fetched, Failure> =>
  Effect.gen(function* () {
    const url = yield* granted(client, request.url, [])
    const { connections } = client
    if (connections === undefined) {
      return yield* Effect.fail({
        code: "NotConnected",
        message: `expected a process with connections for ${url.href}`,
      })
    }
    const isOpening = request.method === "GET"
    const text = yield* isOpening
      ? Effect.as(connect(client, connections, url, request.headers), "")
      : connections.ask(url.href, request.body ?? "")
    return {
      result: { status: isOpening ? 101 : 200, headers: {}, url: url.href, body: text, encoding: "utf8" },
      body: Buffer.from(text),
      via: [url.href],
    }
  })

const connect = (client: Client, connections: Connections, url: URL, headers: FetchRequest["headers"]) =>
  Effect.flatMap(clients, (loaded) => {
    const address = new URL(url)
    address.protocol = url.protocol === "wss:" ? "https:" : "http:"
    return connections.open(url.href, {
      maxBytes: client.limits?.bodyBytes ?? BODY_BYTES,
      upgrade: (handshake) => requestTo(loaded, address, "GET", { ...headers, ...handshake }),
      failed: (cause) => unavailable(url, cause),
    })
  })

const follow = (client: Client, request: FetchRequest, via: ReadonlyArray<string>): Effect.Effect<Fetched, Failure> =>
  Effect.gen(function* () {
    const url = yield* granted(client, request.url, via)
    const answer = yield* exchange(client, url, request)
    const passed = [...via, url.href]
    const location = isRedirect(answer.status) ? answer.headers.location : undefined
    if (location === undefined) return { result: resultOf(url, answer), body: answer.body, via: passed }
    if (passed.length > REDIRECTS) {
      return yield* Effect.fail({
        code: "TooManyRedirects",
        message: `expected at most ${REDIRECTS} redirects, found more: ${passed.join(" → ")}`,
      })
    }
    return yield* follow(client, redirected(request, url, answer.status, location), passed)
  })

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** The request after a redirect, by the Fetch standard ("HTTP-redirect fetch"): its method, and the dropped headers. */
const redirected = (request: FetchRequest, from: URL, status: number, location: string): FetchRequest => {
  const target = canParseUrl(location, from.href) ? new URL(location, from.href) : undefined
  const url = target?.href ?? location
  const toGet = (status === 303 && request.method !== "HEAD") || (status < 303 && request.method === "POST")
  const dropped = new Set([
    ...(target?.origin === from.origin ? [] : ["authorization", "cookie"]),
    ...(toGet ? ["content-type", "content-encoding", "content-language", "content-location"] : []),
  ])
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !dropped.has(name.toLowerCase())),
  )
  return { url, headers, method: toGet ? "GET" : request.method, body: toGet ? undefined : request.body }
}

/** Parses a URL. Fails if its host has no grant. */
const granted = (
  { grants, permit }: Client,
  address: string,
  via: ReadonlyArray<string>,
): Effect.Effect<URL, Failure> => {
  const from = via.length === 0 ? "" : `, to which ${via.at(-1)} redirects`
  if (!canParseUrl(address)) {
    return Effect.fail({ code: "ParametersInvalid", message: `expected an absolute address, found ${address}${from}` })
  }
  const url = new URL(address)
  const isKnown = /^https?:$/.test(url.protocol) || (via.length === 0 && isSocket(address))
  if (!isKnown || url.username !== "" || url.password !== "") {
    const message = `expected http:, https:, ws: or wss: without a user's name, found ${url.protocol}//…${from}`
    return Effect.fail({ code: "ParametersInvalid", message })
  }
  if (permit !== undefined && url.host !== permit.target && !permit.allows(url.host)) {
    const message = `expected ${permit.target}, which was ruled on, or a host that the gate allows, found ${url.host}${from}`
    return Effect.fail({ code: "RequestDenied", message })
  }
  if (grants.net.some((name) => matches(url, name))) return Effect.succeed(url)
  return Effect.fail({
    code: "NetNotGranted",
    message:
      `expected one of the hosts that the plugin may reach (${grants.net.join(", ") || "none"}), found ${url.host}${from}. ` +
      "Add it to the manifest's permissions.net and grant it at import (--grant-net).",
  })
}

/** Whether a grant, `host` or `host:port`, covers a URL. Compares names in the URL standard's normal form. */
const matches = (url: URL, name: string): boolean => {
  const parts = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>\d+))?$/.exec(name)?.groups
  if (parts?.host === undefined) return false
  const host = parts.host.startsWith("[") ? parts.host : domainToASCII(parts.host)
  const port = url.port === "" ? (/^(?:https|wss):$/.test(url.protocol) ? "443" : "80") : url.port
  return host !== "" && host.toLowerCase() === url.hostname && (parts.port === undefined || parts.port === port)
}

interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
}

/** Loaded with the first request, because few plugins make one. */
const clients = Effect.promise(async () => {
  const [http, https, { lookup }] = await Promise.all([import("node:http"), import("node:https"), import("node:dns")])
  return { http, https, lookup }
})

const exchange = (client: Client, url: URL, request: FetchRequest): Effect.Effect<Answer, Failure> =>
  Effect.flatMap(clients, (loaded) => exchangeBy(loaded, client, url, request))

/** Over a connection of its own, whose address is checked. Throws for headers that HTTP does not allow. */
const requestTo = (
  { http, https, lookup }: Effect.Effect.Success<typeof clients>,
  url: URL,
  method: string,
  headers: FetchRequest["headers"],
): ClientRequest =>
  (url.protocol === "https:" ? https : http).request(url, {
    method,
    headers,
    agent: false,
    lookup: isLocalName(url.hostname)
      ? lookup
      : publicOnly(lookup, { advice: "request the address itself, with a grant of it" }),
  })

const exchangeBy = (
  loaded: Effect.Effect.Success<typeof clients>,
  client: Client,
  url: URL,
  { method, headers, body }: FetchRequest,
): Effect.Effect<Answer, Failure> =>
  Effect.async((resume) => {
    const failed = (cause: unknown) => resume(Effect.fail(unavailable(url, cause)))
    const limit = client.limits?.bodyBytes ?? BODY_BYTES
    let request: ClientRequest
    try {
      request = requestTo(loaded, url, method, { ...headers, "accept-encoding": "identity" })
    } catch (cause) {
      return failed(cause)
    }
    request.on("error", failed)
    request.on("response", (response) => {
      const chunks: Array<Buffer> = []
      let bytes = 0
      const isFinal = !isRedirect(response.statusCode ?? 0) || response.headers.location === undefined
      const parts = isFinal && client.onPart !== undefined ? new TextDecoder() : undefined
      const tell = (text: string | undefined) => {
        if (text !== undefined && text !== "") client.onPart?.(text)
      }
      response.on("error", (cause) =>
        resume(
          Effect.fail({ code: "AnswerBrokeOff", message: `${url.origin}: the answer broke off: ${cause.message}` }),
        ),
      )
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= limit) return tell(parts?.decode(chunk, { stream: true }))
        request.destroy()
        const message = `${url.origin}: expected an answer of at most ${limit} bytes, found more`
        resume(Effect.fail({ code: "AnswerTooLarge", message }))
      })
      response.on("end", () => {
        tell(parts?.decode())
        const fields = Object.entries(response.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
        )
        const status = response.statusCode ?? 0
        resume(Effect.succeed({ status, headers: Object.fromEntries(fields), body: Buffer.concat(chunks) }))
      })
    })
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

const unavailable = (url: URL, cause: unknown): Failure => ({
  code: cause instanceof PrivateAddress ? "AddressNotGranted" : "HostUnavailable",
  message: `${url.protocol}//${url.host}: ${cause instanceof Error ? cause.message : String(cause)}`,
})

/** The body is text if it is UTF-8, else base64. */
const resultOf = (url: URL, { status, headers, body }: Answer): FetchResult => {
  const known = { status, headers, url: url.href }
  try {
    return { ...known, body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body), encoding: "utf8" }
  } catch {
    return { ...known, body: body.toString("base64"), encoding: "base64" }
  }
}
