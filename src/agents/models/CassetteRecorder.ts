/** Records the answers of a provider to a cassette, without secrets. */

import * as fs from "node:fs/promises"
import { Data, Effect, Redacted } from "effect"
import * as Cassette from "./Cassette.ts"
import type { Fetch } from "./Fetch.ts"
import * as Secrets from "./secrets/Secrets.ts"

/** A key occurs in the recording, so nothing was written. Remove it from the conversation, and record again. */
export class SecretRecorded extends Data.TaggedError("SecretRecorded")<{
  readonly file: string
  /** `request 2` or `response 2`, from 1; `the file` if no single one contains it. */
  readonly place: string
}> {
  override get message() {
    return `${this.file} was not written: ${this.place} contains a key. Remove the key from the conversation, and record again.`
  }
}

export class CassetteUnwritable extends Data.TaggedError("CassetteUnwritable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file} cannot be written: ${this.reason}`
  }
}

export interface Recorder {
  readonly fetch: Fetch
  /** Writes the recording so far. Replaces the whole file. */
  readonly save: Effect.Effect<void, SecretRecorded | CassetteUnwritable>
}

/** Response headers to keep. No request header is kept. */
const KEPT_HEADERS = ["content-type", "retry-after", "retry-after-ms"]

/**
 * Records to a file.
 *
 * @param options.secrets texts that the file must not contain. The values of headers that carry keys, and of
 *   environment variables that are named like keys, are always among them.
 * @param options.kind the kind of the cassette: `recorded` only if a provider answers. Default: `recorded`.
 * @param options.fetch makes the requests. Default: the global `fetch`.
 */
export const make = (
  file: string,
  options: {
    readonly secrets?: ReadonlyArray<string | Redacted.Redacted<string>>
    readonly kind?: Cassette.Cassette["kind"]
    readonly fetch?: Fetch
  } = {},
): Recorder => {
  const interactions: Array<Cassette.Interaction> = []
  const secrets = new Set([...(options.secrets ?? []).map(textOf), ...Secrets.keysOfEnvironment()])
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    for (const text of Secrets.keysIn(request.headers, request.url)) secrets.add(text)
    const asked = await Cassette.requestOf(request.clone())
    const response = await (options.fetch ?? globalThis.fetch)(input, init)
    const headers = Object.fromEntries(KEPT_HEADERS.flatMap((name) => headerOf(response.headers, name)))
    const { status } = response
    const keep = ({ chunks, end }: Pick<Cassette.Interaction["response"], "chunks" | "end">) => {
      interactions.push({ request: asked, response: { status, headers, chunks, end } })
    }
    if (response.body === null) {
      keep({ chunks: [], end: "clean" })
      return response
    }
    return new Response(recorded(response.body, keep), { status, headers: response.headers })
  }
  const save = Effect.suspend((): Recorder["save"] => {
    const cassette: Cassette.Cassette = { version: Cassette.VERSION, kind: options.kind ?? "recorded", interactions }
    const text = `${JSON.stringify(cassette, null, 1)}\n`
    const place = placeOfSecret(cassette, text, Secrets.of([...secrets]))
    return place === undefined ? written(file, text) : Effect.fail(new SecretRecorded({ file, place }))
  })
  return { fetch, save }
}

const textOf = (secret: string | Redacted.Redacted<string>): string =>
  Redacted.isRedacted(secret) ? Redacted.value(secret) : secret

const headerOf = (headers: Headers, name: string): ReadonlyArray<readonly [string, string]> => {
  const value = headers.get(name)
  return value === null ? [] : [[name, value]]
}

const recorded = (
  body: ReadableStream<Uint8Array>,
  keep: (kept: Pick<Cassette.Interaction["response"], "chunks" | "end">) => void,
): ReadableStream<Uint8Array> => {
  const [reader, startedAt] = [body.getReader(), performance.now()]
  const chunks: Array<Cassette.Interaction["response"]["chunks"][number]> = []
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (done) {
          keep({ chunks, end: "clean" })
          return controller.close()
        }
        chunks.push(Cassette.pieceOf(Math.round(performance.now() - startedAt), value))
        controller.enqueue(value)
      } catch (error) {
        keep({ chunks, end: "cut" })
        controller.error(error)
      }
    },
    cancel: async (reason) => {
      keep({ chunks, end: "cut" })
      await reader.cancel(reason)
    },
  })
}

/** Searches each request and response as a whole: a key may be split over two pieces of a body, or of a text in it. */
const placeOfSecret = (
  { interactions }: Cassette.Cassette,
  text: string,
  secrets: Secrets.Secrets,
): string | undefined => {
  for (const [index, { request, response }] of interactions.entries()) {
    if (secrets.isIn(JSON.stringify(request))) return `request ${index + 1}`
    const body = Buffer.concat(response.chunks.map(Cassette.bytesOf)).toString("utf8")
    const texts = [body, ...streamedTexts(body), JSON.stringify(response.headers)]
    if (texts.some(secrets.isIn)) return `response ${index + 1}`
  }
  return secrets.isIn(text) ? "the file" : undefined
}

/** Joins texts that events or lines of a body carry in pieces, by their place. */
const streamedTexts = (body: string): Iterable<string> => {
  const texts = new Map<string, string>()
  const collect = (value: unknown, place: string): void => {
    if (typeof value === "string") texts.set(place, (texts.get(place) ?? "") + value)
    if (typeof value !== "object" || value === null) return
    for (const [key, inner] of Object.entries(value)) collect(inner, `${place}/${key}`)
  }
  for (const line of body.split("\n")) collect(Cassette.jsonOf(line.replace(/^data:/, "")), "")
  return texts.values()
}

const written = (file: string, text: string): Effect.Effect<void, CassetteUnwritable> =>
  Effect.tryPromise({
    try: async () => {
      const partial = `${file}.${process.pid}.partial`
      await fs.writeFile(partial, text, { mode: 0o600 })
      await fs.rename(partial, file)
    },
    catch: (error) => new CassetteUnwritable({ file, reason: error instanceof Error ? error.message : String(error) }),
  })
