/** Listeners that take webhooks: HTTP requests whose answer is the acknowledgement. */

import { Clock, Effect, Either, Schema, type Scope } from "effect"
import type * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import * as Messages from "../../platform/loopback/Messages.ts"
import { type Failure, only, type Refusal, refusal, refuse } from "../../platform/loopback/Refusal.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { defined } from "../../values/defined.ts"
import { type Json, MAX_DEPTH, parseJson } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { type Listener, type ListenerContext, ListenerName } from "../Listener.ts"
import type { Signal } from "../Signal.ts"
import * as Flood from "./Flood.ts"
import { hosted } from "./HostedContext.ts"
import { RoutePath } from "./HttpHost.ts"
import * as Signature from "./Signature.ts"

/** A request as `read` sees it, after the check of its signature. */
export interface WebhookRequest {
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The parameters of the URL; of several with one name, the last. */
  readonly query: { readonly [name: string]: string }
  /** JSON if the request says so; otherwise text. */
  readonly body: Json
}

/** Options of `webhook`. */
export interface WebhookOptions {
  readonly name: string
  /** Default: `/` and the name. */
  readonly path?: string
  /** Default: none, which only the loopback allows. */
  readonly signature?: Signature.Signature
  /** The longest body, in bytes. A longer one is answered with 413. Default: 1 MiB. */
  readonly maxBytes?: number
  /** More requests are answered with 429. Default: 6,000 a minute, 1,000 at once. */
  readonly limit?: Flood.FloodLimit
  /**
   * Headers that become part of the signal. Default: `x-github-event`, `content-type` and `user-agent`. Never name one
   * that holds a key.
   */
  readonly headers?: ReadonlyArray<string>
  /**
   * Reads the signal of a request; undefined for one without a signal, such as a greeting. A signal without an id gets
   * the first of the headers `webhook-id`, `x-github-delivery` and `idempotency-key`. Default: the content
   * `{ headers, body }`.
   */
  readonly read?: (request: WebhookRequest) => Signal | undefined
}

/** Schema of `WebhookOptions`. */
export const WebhookOptions = Options.of<WebhookOptions>({
  required: { name: ListenerName },
  optional: {
    path: RoutePath,
    signature: Signature.Signature,
    maxBytes: Options.wholeNumber(1, 64 * 1024 * 1024),
    limit: Flood.FloodLimit,
    headers: Schema.Array(Options.Name),
    read: Options.callable<NonNullable<WebhookOptions["read"]>>(),
  },
})

const DEFAULT_MAX_BYTES = 1024 * 1024
const DEFAULT_HEADERS = ["x-github-event", "content-type", "user-agent"]

/** Headers with a delivery's id. That of Standard Webhooks comes first: its signature covers it. */
const ID_HEADERS = ["webhook-id", "x-github-delivery", "idempotency-key"]

/**
 * A listener for webhooks. It answers 202 with `{ id, position, duplicate }` once the signal is on the disk, so that the
 * sender repeats what was not recorded: 429 for a flood, 503 while too many signals wait, 413 for a long body, 401
 * without a valid signature. Throws `InvalidOptions`.
 *
 * ```ts
 * Listener.webhook({ name: "github", signature: { scheme: "github", secret: process.env.GITHUB_WEBHOOK_SECRET ?? "" } })
 * ```
 */
export const webhook = (input: WebhookOptions): Listener => {
  const options = Either.getOrThrowWith(Options.decode("Listener.webhook", WebhookOptions, input), (invalid) => invalid)
  const { headers: kept = DEFAULT_HEADERS, read } = options
  const reading = read === undefined ? Effect.succeed(readingBy(kept)) : Effect.succeed(readingWith(read))
  return listener(options, "webhook", () => reading)
}

/** Reads the signal of a request; undefined for one without. */
export type Reading = (request: WebhookRequest) => Effect.Effect<Signal | undefined, Failure>

/** @param begin returns the reading of a listener that starts */
export const listener = (
  options: WebhookOptions,
  kind: string,
  begin: (context: ListenerContext) => Effect.Effect<Reading, unknown, Scope.Scope>,
): Listener => {
  const { name, path = `/${name}`, signature } = options
  return {
    name,
    kind,
    usesPort: true,
    onStart: (context) =>
      Effect.gen(function* () {
        const gate = Flood.gate(options.limit ?? Flood.STANDARD, yield* MonotonicClock.now)
        const reading = yield* begin(context)
        const answer = (exchange: LoopbackServer.Exchange) => answered(options, context, gate, reading, exchange)
        yield* hosted(context).serve({ path, isSigned: signature !== undefined, answer })
      }),
  }
}

const answered = (
  { signature, maxBytes = DEFAULT_MAX_BYTES }: WebhookOptions,
  { emitInput }: ListenerContext,
  gate: Flood.FloodGate,
  reading: Reading,
  { request, response, parameters }: LoopbackServer.Exchange,
): Effect.Effect<void, Failure> =>
  only(
    "POST",
    request.method,
    Effect.gen(function* () {
      const afterMs = gate(yield* MonotonicClock.now)
      if (afterMs > 0) {
        const wait = String(Math.ceil(afterMs / 1000))
        return yield* refuse(429, "TooManyRequests", "fewer requests", "more than the limit", { "retry-after": wait })
      }
      // Does not even begin to read what says that it is too long.
      const announced = Number(request.headers["content-length"] ?? 0)
      if (announced > maxBytes) {
        // Drops it as it comes, within the time limit of a request: a sender reads the answer only after it has sent.
        request.resume()
        return yield* refuse(413, "BodyTooLarge", `at most ${maxBytes} bytes`, `${announced}`)
      }
      const bytes = yield* Messages.bytesOf(request, maxBytes)
      const flaw =
        signature === undefined
          ? undefined
          : Signature.flawOf(signature, request.headers, bytes, yield* Clock.currentTimeMillis)
      if (flaw !== undefined) return yield* refuse(401, "Unauthorized", flaw.expected, flaw.found)
      const headers = textsOf(Object.entries(request.headers))
      const body = yield* bodyOf(headers["content-type"], bytes)
      const query = textsOf([...parameters])
      const asked = { headers, query, body }
      const signal = yield* reading(asked)
      if (signal === undefined) {
        response.writeHead(204, Messages.SAFE_HEADERS).end()
        return
      }
      yield* Messages.answer(response, 202, yield* emitInput(identified(signal, asked), { wait: false }))
    }),
  )

/** The fields that are text, by names from outside. */
const textsOf = (entries: ReadonlyArray<readonly [string, unknown]>): { readonly [name: string]: string } =>
  // An own property, also for `__proto__`.
  Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])))

const readingWith =
  (read: NonNullable<WebhookOptions["read"]>): Reading =>
  (request) =>
    Effect.try({
      try: () => read(request),
      catch: (cause) => ({
        _tag: "Unreadable",
        message: `The listener could not read the request: ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
    })

const readingBy =
  (kept: ReadonlyArray<string>): Reading =>
  (request) => {
    const told = Object.fromEntries(
      kept.flatMap((name) => {
        const value = SafeRecord.get(request.headers, name.toLowerCase())
        return value === undefined ? [] : [[name.toLowerCase(), value]]
      }),
    )
    return Effect.succeed({ content: { headers: told, body: request.body } })
  }

/** The signal with an id of its own, else with that of its delivery, if the sender gives one. */
const identified = (signal: Signal, { headers }: WebhookRequest): Signal => {
  // The program's `read` may return anything; `emitInput` says what is wrong.
  if (typeof signal !== "object" || signal === null || signal.id !== undefined) return signal
  const id = ID_HEADERS.map((name) => SafeRecord.get(headers, name)).find(
    (value) => value !== undefined && value !== "",
  )
  return { ...signal, ...defined({ id }) }
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/

const bodyOf = (contentType: string | undefined, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      catch: (): Refusal => refusal(400, "InvalidBody", "a body in UTF-8", "other bytes"),
    })
    const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
    if (!JSON_TYPE.test(type)) return text
    return yield* Effect.try({
      try: () => parseJson(text),
      catch: (): Refusal =>
        refusal(400, "InvalidBody", `a body that is JSON of at most ${MAX_DEPTH} levels of nesting`, "other text"),
    })
  })
