/**
 * Batches: many model calls in one request or uploaded file, answered by one file. Each result becomes a call of its
 * own, matched by the program's `custom_id`. Supports OpenAI (`/batches` with JSONL files) and Anthropic
 * (`/messages/batches`).
 */

import { jsonOf } from "../../providers/pieces.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject, textOf } from "../../values/JsonObjects.ts"
import type { ReadRequest } from "./HttpMessage.ts"

export interface BatchResult {
  /** The provider's id of the batch, if known, and the program's id of the call. */
  readonly batch: { readonly id?: string; readonly customId: string }
  /** The call's request; without content if the run did not see it. */
  readonly request: { readonly path: string; readonly body: JsonObject }
  readonly status: number
  /** The answer, as JSON. */
  readonly answer: string
  /** Duration of the batch in milliseconds, if its provider states it. */
  readonly tookMs: number | undefined
}

export interface Batches {
  /** Registers a request and its answer. Returns the results in the answer that are new. */
  readonly take: (request: ReadRequest, answer: string) => ReadonlyArray<BatchResult>
}

type Line = BatchResult["request"]

type Lines = ReadonlyMap<string, Line>

interface Batch {
  readonly id: string
  readonly endpoint: string | undefined
  readonly lines: Lines | undefined
  readonly tookMs: number | undefined
}

/** Maximum number of remembered requests, over all batches. */
const MOST_LINES = 100_000

export const make = (): Batches => {
  /** By file id, or by Anthropic's batch id. */
  const inputs = new Map<string, Lines>()
  /** By answer file id and by batch id. */
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

/** The JSON values among the lines of a text, such as a multipart form. */
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
  // Anthropic nests its errors twice; cancelled and expired calls have none.
  const told = memberOf(memberOf(result, "error"), "error") ?? memberOf(result, "error")
  return { status: FAILED, body: { error: told ?? { message: `the call ${textOf(result.type) ?? "failed"}` } } }
}

/** Status of a failed call that states none. */
const FAILED = 500

/** A stand-in for a request that the run did not see; the answer shows its format. */
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

const timeOf = (time: unknown): number | undefined => {
  const at = typeof time === "number" ? time * 1000 : typeof time === "string" ? Date.parse(time) : Number.NaN
  return Number.isFinite(at) ? at : undefined
}
