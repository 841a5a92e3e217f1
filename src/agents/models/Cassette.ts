/**
 * A cassette: a file with a provider's answers to some requests, played without the provider. `recorded` ones came from
 * a provider; `scripted` ones were written by hand.
 */

import { isUtf8 } from "node:buffer"
import * as fs from "node:fs/promises"
import canonicalize from "canonicalize"
import { Data, Effect, Schema } from "effect"
import { isMissing } from "../../platform/SmallFile.ts"
import { digest } from "../../values/Digest.ts"
import { Json, type JsonObject, parseJson } from "../../values/Json.ts"
import type { Fetch, HttpRequest } from "./Fetch.ts"

/** The version of the format. */
export const VERSION = 1

const NonNegative = Schema.Finite.pipe(Schema.nonNegative())

/** A piece of a body, with the milliseconds since the response began. Base64 if its bytes alone are not valid UTF-8. */
export const BodyPiece = Schema.Union(
  Schema.Tuple(NonNegative, Schema.String),
  Schema.Tuple(NonNegative, Schema.String, Schema.Literal("base64")),
)

export type BodyPiece = typeof BodyPiece.Type

/** A request and its response. */
export const Interaction = Schema.Struct({
  request: Schema.Struct({
    method: Schema.NonEmptyString,
    path: Schema.String.annotations({ description: "Path of the URL; its query may hold a key, and is left out" }),
    digest: Schema.String.annotations({ description: "SHA-256 of the body's canonical JSON (RFC 8785)" }),
    body: Json,
  }),
  response: Schema.Struct({
    status: Schema.Int.pipe(Schema.between(200, 599)),
    headers: Schema.Record({ key: Schema.String, value: Schema.String }),
    chunks: Schema.Array(BodyPiece),
    end: Schema.Literal("clean", "cut").annotations({ description: "Whether the body ended, or broke off" }),
  }),
})

export type Interaction = typeof Interaction.Type

/** The file's content, as JSON. */
export const Cassette = Schema.Struct({
  version: Schema.Literal(VERSION),
  kind: Schema.Literal("scripted", "recorded"),
  interactions: Schema.Array(Interaction),
})

export type Cassette = typeof Cassette.Type

/** The file cannot be read, is not a cassette, or was changed. Record it again. */
export class UnreadableCassette extends Data.TaggedError("UnreadableCassette")<{
  readonly file: string
  readonly reason: string
  readonly missing?: boolean
}> {
  override get message() {
    return `${this.file} is not a cassette of version ${VERSION}: ${this.reason}`
  }
}

/** The cassette has no answer to the request. A model with the cassette's `fetch` fails as `not-recorded`. */
export class NotRecorded extends Data.TaggedError("NotRecorded")<{
  readonly file: string
  readonly number: number
  readonly asked: string
  readonly difference: string | undefined
}> {
  override get message() {
    const difference =
      this.difference === undefined
        ? "every answer on it was played"
        : `the next request on it differs at ${this.difference}`
    return `The cassette ${this.file} has no answer to request ${this.number}, ${this.asked}: ${difference}`
  }
}

/** Options for `Models.load` to play a cassette. */
export interface Playing {
  /**
   * Answers requests from the cassette. A request that is not recorded fails with `NotRecorded`; none reaches the
   * network.
   */
  readonly fetch: Fetch
  /** A placeholder: no key is needed. */
  readonly apiKey: string
}

/**
 * Plays a cassette. Each answer is played once: to the first request with the same method, path and body as canonical
 * JSON, whatever it says of caching. Any other request fails.
 *
 * @param options `delays` keeps the times between the pieces. Default: false.
 */
export const play = (
  file: string,
  options: { readonly delays?: boolean } = {},
): Effect.Effect<Playing, UnreadableCassette> =>
  Effect.map(read(file), ({ interactions }) => {
    const left = [...interactions]
    let asks = 0
    const fetch: Fetch = async (input, init) => {
      const number = ++asks
      const asked = await requestOf(new Request(input, init))
      const index = left.findIndex(({ request }) => isSame(request, asked))
      const [found] = index < 0 ? [] : left.splice(index, 1)
      if (found === undefined) throw notRecorded(file, number, asked, left[0]?.request)
      const { status, headers, chunks, end } = found.response
      const body = bodyOf(chunks, end, options.delays === true, init?.signal ?? undefined)
      return new Response(body, { status, headers })
    }
    return { fetch, apiKey: "played-from-a-cassette" }
  })

/** Reads and checks a cassette. */
export const read = (file: string): Effect.Effect<Cassette, UnreadableCassette> =>
  Effect.gen(function* () {
    const unreadable = (reason: string, missing = false) => new UnreadableCassette({ file, reason, missing })
    const text = yield* Effect.tryPromise({
      try: () => fs.readFile(file, "utf8"),
      catch: (error) => unreadable(error instanceof Error ? error.message : String(error), isMissing(error)),
    })
    const cassette = yield* Effect.mapError(Schema.decodeUnknown(Schema.parseJson(Cassette))(text), ({ message }) =>
      unreadable(message),
    )
    const changed = cassette.interactions.findIndex(({ request }) => digest(request.body) !== request.digest)
    if (changed >= 0)
      return yield* Effect.fail(unreadable(`the body of request ${changed + 1} does not match its digest`))
    return cassette
  })

/** The recorded form of a `fetch` request. A body that is not JSON becomes text. */
export const requestOf = async (request: HttpRequest): Promise<Interaction["request"]> => {
  const body = jsonOf(await request.text())
  return { method: request.method, path: new URL(request.url).pathname, digest: digest(body), body }
}

/** Parses a text as JSON, or returns it as it is. */
export const jsonOf = (text: string): Json => {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

const isSame = (a: Interaction["request"], b: Interaction["request"]): boolean =>
  a.method === b.method &&
  a.path === b.path &&
  (a.digest === b.digest || digest(withoutMarks(a.body)) === digest(withoutMarks(b.body)))

/** A body without the marks of what to cache, which do not change its answer. */
const withoutMarks = (value: Json): Json => {
  if (!isTree(value)) return value
  if (Array.isArray(value)) return value.map(withoutMarks)
  const fields = Object.entries(value).filter(([key]) => key !== "cache_control")
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutMarks(field)]))
}

const notRecorded = (
  file: string,
  number: number,
  asked: Interaction["request"],
  next: Interaction["request"] | undefined,
) =>
  new NotRecorded({
    file,
    number,
    asked: `${asked.method} ${asked.path}`,
    difference: next === undefined ? undefined : differenceOf(withoutMarks({ ...next }), withoutMarks({ ...asked })),
  })

const differenceOf = (recorded: Json, asked: Json, path = ""): string => {
  if (isTree(recorded) && isTree(asked) && Array.isArray(recorded) === Array.isArray(asked)) {
    const [fields, others] = [fieldsOf(recorded), fieldsOf(asked)]
    const differing = [...new Set([...Object.keys(fields), ...Object.keys(others)])].find(
      (key) => key !== "digest" && canonicalOf(fields[key]) !== canonicalOf(others[key]),
    )
    if (differing !== undefined) {
      return differenceOf(fields[differing] ?? ABSENT, others[differing] ?? ABSENT, `${path}/${differing}`)
    }
  }
  return `${path}: recorded ${shown(recorded)}, asked ${shown(asked)}`
}

const ABSENT = "nothing"

const isTree = (value: Json): value is ReadonlyArray<Json> | JsonObject => typeof value === "object" && value !== null

const fieldsOf = (tree: ReadonlyArray<Json> | JsonObject): JsonObject => Object.fromEntries(Object.entries(tree))

const canonicalOf = (value: Json | undefined): string => (value === undefined ? "" : (canonicalize(value) ?? ""))

const LONGEST_SHOWN = 80

const shown = (value: Json): string => {
  const text = JSON.stringify(value)
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`
}

const bodyOf = (
  chunks: Interaction["response"]["chunks"],
  end: Interaction["response"]["end"],
  delays: boolean,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> => {
  let [index, played] = [0, 0]
  const source: ConstructorParameters<typeof ReadableStream<Uint8Array>>[0] = {
    start: (controller) => {
      signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true })
    },
    pull: async (controller) => {
      const chunk = chunks[index++]
      if (chunk === undefined && end === "clean") return controller.close()
      if (chunk === undefined) {
        // An error overtakes pieces that are still on their way.
        await after(0)
        return controller.error(brokenOff())
      }
      if (delays) await after(chunk[0] - played)
      played = chunk[0]
      if (signal?.aborted !== true) controller.enqueue(bytesOf(chunk))
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))

/** The error of Node's `fetch` for a broken connection. */
const brokenOff = (): Error => new TypeError("terminated", { cause: new Error("the recorded connection broke off") })

/** Keeps valid UTF-8 as text, which people can read. */
export const pieceOf = (ms: number, bytes: Uint8Array): BodyPiece => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(buffer) ? [ms, buffer.toString("utf8")] : [ms, buffer.toString("base64"), "base64"]
}

/** The bytes of a piece of a body. */
export const bytesOf = ([, text, encoding]: BodyPiece): Uint8Array =>
  new Uint8Array(Buffer.from(text, encoding === "base64" ? "base64" : "utf8"))
