/**
 * Batches: many calls of models that one request asks, by a file or in its body, and one file answers. Each result is a call of its own,
 * by the id that the program gave it (`custom_id`). Of OpenAI (`/batches`, files of JSONL) and Anthropic (`/messages/batches`).
 */

import { jsonOf } from "../../providers/pieces.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject, textOf } from "../../values/JsonObjects.ts"
import type { ReadRequest } from "./HttpMessage.ts"

/** A result in a file of answers. */
export interface BatchResult {
  /** The provider's id of the batch, where it is known, and the program's of the call. */
  readonly batch: { readonly id?: string; readonly customId: string }
  /** What was asked; without what it said where the run did not see that. */
  readonly request: { readonly path: string; readonly body: JsonObject }
  readonly status: number
  /** The answer, as JSON. */
  readonly answer: string
  /** How long the batch took, in milliseconds; undefined where its provider does not say. */
  readonly tookMs: number | undefined
}

/** What a run knows of batches. */
export interface Batches {
  /** Takes note of what a request and the answer to it say of batches. The results in the answer, each only the first time that it comes. */
  readonly take: (request: ReadRequest, answer: string) => ReadonlyArray<BatchResult>
}

/** A request of a batch. */
type Line = BatchResult["request"]

/** By the program's ids. */
type Lines = ReadonlyMap<string, Line>

interface Batch {
  readonly id: string
  readonly endpoint: string | undefined
  readonly lines: Lines | undefined
  readonly tookMs: number | undefined
}

/** Maximum number of requests of which is kept what they asked, of all batches. */
const MOST_LINES = 100_000

/** None. */
export const make = (): Batches => {
  /** By the ids of files, or of Anthropic's batches. */
  const inputs = new Map<string, Lines>()
  /** By the ids of files of answers, and of batches. */
  const batches = new Map<string, Batch>()
  const given = new Set<string>()
  let kept = 0

  const keep = (id: string | undefined, lines: Lines) => {
    if (id === undefined || lines.size === 0 || kept + lines.size > MOST_LINES) return
    kept += lines.size
    inputs.set(id, lines)
  }
  const note = (batch: Json | undefined) => {
    const id = textOf(memberOf(batch, "id"))
    if (id === undefined) return
    const lines = inputs.get(textOf(memberOf(batch, "input_file_id")) ?? id)
    const found = { id, endpoint: textOf(memberOf(batch, "endpoint")), lines, tookMs: tookMs(batch) }
    for (const name of ["id", "output_file_id", "error_file_id"]) {
      const of = textOf(memberOf(batch, name))
      if (of !== undefined) batches.set(of, found)
    }
  }
  const results = (of: string, answer: string): ReadonlyArray<BatchResult> =>
    linesIn(answer).flatMap((line): ReadonlyArray<BatchResult> => {
      const customId = textOf(memberOf(line, "custom_id"))
      const came = cameIn(line)
      if (customId === undefined || came === undefined || given.has(`${of} ${customId}`)) return []
      given.add(`${of} ${customId}`)
      const batch = batches.get(of)
      const request = batch?.lines?.get(customId) ?? unseen(batch?.endpoint, came.body)
      if (request === undefined) return []
      const id = batch === undefined ? {} : { id: batch.id }
      const { status, body } = came
      return [{ batch: { ...id, customId }, request, status, answer: JSON.stringify(body), tookMs: batch?.tookMs }]
    })

  return {
    take: ({ method, url, body }, answer) => {
      const path = new URL(url).pathname.replace(/\/+$/, "")
      const [, file, batch] = /\/files\/([^/]+)\/content$|\/messages\/batches\/([^/]+)\/results$/.exec(path) ?? []
      if (method === "GET" && (file ?? batch) !== undefined) return results(file ?? batch ?? "", answer)
      if (method === "POST" && path.endsWith("/files") && typeof body === "string") {
        keep(textOf(memberOf(jsonOf(answer), "id")), new Map(linesIn(body).flatMap(lineOf)))
      } else if (/\/batches(\/[^/]+(\/cancel)?)?$/.test(path)) {
        const said = jsonOf(answer)
        const requests = memberOf(body, "requests")
        if (Array.isArray(requests)) keep(textOf(memberOf(said, "id")), new Map(requests.flatMap(lineOf)))
        const listed = memberOf(said, "data")
        for (const one of Array.isArray(listed) ? listed : [said]) note(one)
      }
      return []
    },
  }
}

/** The JSON values in the lines of a text, which may have others around them, as a form does. */
const linesIn = (text: string): ReadonlyArray<Json> =>
  text.split("\n").flatMap((line) => (line.startsWith("{") ? (jsonOf(line.trim()) ?? []) : []))

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  value !== undefined && isObject(value) ? value[name] : undefined

const lineOf = (line: Json): ReadonlyArray<readonly [string, Line]> => {
  const customId = textOf(memberOf(line, "custom_id"))
  const [body, params] = [memberOf(line, "body"), memberOf(line, "params")]
  if (customId === undefined) return []
  if (params !== undefined && isObject(params)) return [[customId, { path: "/v1/messages", body: params }]]
  return body !== undefined && isObject(body) ? [[customId, { path: textOf(memberOf(line, "url")) ?? "", body }]] : []
}

/** What came of a call: its status and its body. */
const cameIn = (line: Json): { readonly status: number; readonly body: Json } | undefined => {
  const [response, error, result] = [memberOf(line, "response"), memberOf(line, "error"), memberOf(line, "result")]
  if (response !== undefined && isObject(response)) {
    const status = memberOf(response, "status_code")
    return { status: typeof status === "number" ? status : 200, body: memberOf(response, "body") ?? null }
  }
  if (error !== undefined && isObject(error)) return { status: FAILED, body: { error } }
  if (result === undefined || !isObject(result)) return undefined
  const message = memberOf(result, "message")
  if (message !== undefined && isObject(message)) return { status: 200, body: message }
  // Anthropic wraps an error once more; what was cancelled or expired has none.
  const told = memberOf(memberOf(result, "error"), "error") ?? memberOf(result, "error")
  return { status: FAILED, body: { error: told ?? { message: `the call ${textOf(result.type) ?? "failed"}` } } }
}

/** The status of a call that has none of its own. */
const FAILED = 500

/** A request that the run did not see, of which the answer shows the format. */
const unseen = (endpoint: string | undefined, answer: Json): Line | undefined => {
  const path = endpoint ?? PATHS.get(memberOf(answer, "object") ?? memberOf(answer, "type"))
  const model = textOf(memberOf(answer, "model")) ?? ""
  return path === undefined ? undefined : { path, body: { model, messages: [], input: [], max_tokens: 1 } }
}

const PATHS: ReadonlyMap<unknown, string> = new Map([
  ["chat.completion", "/v1/chat/completions"],
  ["response", "/v1/responses"],
  ["text_completion", "/v1/completions"],
  ["list", "/v1/embeddings"],
  ["message", "/v1/messages"],
])

const tookMs = (batch: Json | undefined): number | undefined => {
  const from = timeOf(memberOf(batch, "created_at"))
  const to = timeOf(memberOf(batch, "completed_at") ?? memberOf(batch, "ended_at"))
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from)
}

/** A time in seconds, or as text (RFC 3339), in milliseconds. */
const timeOf = (time: unknown): number | undefined => {
  const at = typeof time === "number" ? time * 1000 : typeof time === "string" ? Date.parse(time) : Number.NaN
  return Number.isFinite(at) ? at : undefined
}
