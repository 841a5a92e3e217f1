/** JSON bodies of requests and answers. */

import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, Schema } from "effect"
import { isTooDeep, MAX_DEPTH } from "../../values/Json.ts"
import { mistakesOf } from "../../values/schema/Mistakes.ts"
import * as Structure from "../../values/schema/Structure.ts"
import { type Refusal, refusal, refuse } from "./Refusal.ts"

/** Maximum size of a request body, in bytes: 4 MiB. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024

/**
 * Reads a body of JSON. A body that was read can be read again, by another schema.
 *
 * @param most its maximum size, in bytes
 */
export const bodyOf = <A, I>(
  request: IncomingMessage,
  schema: Schema.Schema<A, I>,
  most = MAX_BODY_BYTES,
): Effect.Effect<A, Refusal> =>
  Effect.gen(function* () {
    const [type] = (request.headers["content-type"] ?? "").split(";")
    if (type?.trim().toLowerCase() !== "application/json") {
      const found = JSON.stringify(request.headers["content-type"] ?? "none")
      return yield* refuse(415, "UnsupportedMediaType", "a body of the type application/json", found)
    }
    const bytes = yield* bytesOf(request, most)
    const text = yield* Effect.try({
      // Invalid UTF-8 would decode to another text than the client sent.
      try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      catch: (): Refusal => refusal(400, "InvalidBody", "a body in UTF-8", "other bytes"),
    })
    const json = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (): Refusal => refusal(400, "InvalidBody", "a body that is JSON", "other text"),
    })
    if (isTooDeep(json)) {
      return yield* refuse(400, "InvalidBody", `a body of at most ${MAX_DEPTH} levels of nesting`, "more")
    }
    return yield* Schema.decodeUnknown(schema, { errors: "all", onExcessProperty: "error" })(json).pipe(
      Effect.mapError((error) => {
        const issues = mistakesOf(error)
        const found = issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`).join("; ")
        const form = Structure.annotationOf(schema, FORM)
        const expected = typeof form === "string" ? `a body of the form ${form}` : "a body with the fields of this path"
        return refusal(400, "InvalidBody", expected, found)
      }),
    )
  })

/** Annotates a body's schema with its form in words. */
export const FORM: unique symbol = Symbol.for("hindcast/loopback/form")

/** The bodies that were read, while their requests are alive. */
const read = new WeakMap<IncomingMessage, Uint8Array>()

/** The bytes of a body, of at most `most`. */
export const bytesOf = (request: IncomingMessage, most: number): Effect.Effect<Uint8Array, Refusal> =>
  Effect.suspend(() => {
    const known = read.get(request)
    return known === undefined
      ? Effect.tap(arriving(request, most), (bytes) => Effect.sync(() => read.set(request, bytes)))
      : Effect.succeed(known)
  })

const arriving = (request: IncomingMessage, most: number): Effect.Effect<Uint8Array, Refusal> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length <= most) {
        chunks.push(chunk)
        return
      }
      stop()
      // Read and drop the rest, so that the client gets the answer.
      request.resume()
      resume(refuse(413, "BodyTooLarge", `at most ${most} bytes`, "more"))
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(Buffer.concat(chunks)))
    }
    const onError = () => {
      stop()
      resume(refuse(400, "InvalidBody", "a complete body", "a truncated one"))
    }
    const stop = () => {
      request.off("data", onData)
      request.off("end", onEnd)
      request.off("error", onError)
      request.off("aborted", onError)
    }
    request.on("data", onData)
    request.on("end", onEnd)
    request.on("error", onError)
    request.on("aborted", onError)
    return Effect.sync(stop)
  })

/** An answer in progress, such as a failed stream, is cut off: its reader connects again. */
export const answer = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Refusal["headers"] = {},
): Effect.Effect<void> =>
  Effect.sync(() => {
    if (response.destroyed) return
    if (response.headersSent) return void response.destroy()
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...SAFE_HEADERS, ...headers })
    response.end(JSON.stringify(body))
  })

export const answerRefusal = (
  response: ServerResponse,
  { status, headers, ...refused }: Refusal,
): Effect.Effect<void> =>
  answer(response, status, { ...refused, message: `Expected ${refused.expected}, found ${refused.found}.` }, headers)

/** Headers of every answer: no storing, no guessing of content types. */
export const SAFE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Writes text at the client's pace. */
export const writeText = (response: ServerResponse, text: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (response.write(text)) return resume(Effect.void)
    const onDrain = () => resume(Effect.void)
    response.once("drain", onDrain)
    return Effect.sync(() => response.off("drain", onDrain))
  })
