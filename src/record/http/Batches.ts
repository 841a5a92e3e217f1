/**
 * Batches: many model calls in one request or uploaded file, answered by one file or within the batch. Each result
 * becomes a call of its own, matched by the program's id of the call. Supports OpenAI (`/batches` with JSONL files),
 * Anthropic (`/messages/batches`), Gemini (`:batchGenerateContent`) and Mistral (`/batch/jobs`).
 */

import { jsonOf } from "../../providers/BodyPieces.ts"
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

/** The file or batch whose results a request asks for. */
export const resultsAt = (method: string, url: string): string | undefined => {
  if (method !== "GET") return undefined
  const { pathname } = new URL(url)
  const [, file, batch, gemini] = RESULTS.exec(pathname.replace(/\/+$/, "")) ?? []
  return file ?? batch ?? gemini
}

const RESULTS = /\/files\/([^/]+)\/content$|\/messages\/batches\/([^/]+)\/results$|\/(files\/[^/:]+):download$/

type Line = BatchResult["request"]

type Lines = ReadonlyMap<string, Line>

interface Batch {
  readonly id: string
  readonly endpoint: string | undefined
  /** The model of all calls, for providers that name it once. */
  readonly model: string | undefined
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
  /** Registers a batch; returns the results that it holds itself. */
  const note = (said: Json | undefined): ReadonlyArray<BatchResult> => {
    const isOperation = textOf(memberOf(said, "id")) === undefined
    const batch = isOperation ? operationOf(said) : said
    const id = textOf(memberOf(batch, "id"))
    if (id === undefined) return []
    const files = memberOf(batch, "input_files")
    const input = textOf(memberOf(batch, "input_file_id")) ?? (Array.isArray(files) ? textOf(files[0]) : undefined)
    const lines = inputs.get(input ?? id) ?? inputs.get(id)
    const [endpoint, model] = [textOf(memberOf(batch, "endpoint")), textOf(memberOf(batch, "model"))]
    const found = { id, endpoint, model: isOperation ? undefined : model, lines, tookMs: tookMs(batch) }
    for (const name of ["id", "output_file_id", "error_file_id", "output_file", "error_file"]) {
      const of = textOf(memberOf(batch, name))
      if (of !== undefined) batches.set(of, found)
    }
    const outputs = memberOf(batch, "outputs")
    return Array.isArray(outputs) ? results(id, outputs) : []
  }
  const results = (of: string, answers: ReadonlyArray<Json>): ReadonlyArray<BatchResult> =>
    answers.flatMap((line, index): ReadonlyArray<BatchResult> => {
      const customId = idOf(line) ?? (batches.has(of) ? String(index) : undefined)
      const came = cameIn(line)
      if (customId === undefined || came === undefined || given.has(`${of} ${customId}`)) return []
      given.add(`${of} ${customId}`)
      const batch = batches.get(of)
      const asked = batch?.lines?.get(customId)
      const request = (asked === undefined ? undefined : ofBatch(asked, batch)) ?? unseen(batch?.endpoint, came.body)
      if (request === undefined) return []
      const id = batch === undefined ? {} : { id: batch.id }
      const { status, body } = came
      return [{ batch: { ...id, customId }, request, status, answer: JSON.stringify(body), tookMs: batch?.tookMs }]
    })

  return {
    take: ({ method, url, body }, answer) => {
      const path = new URL(url).pathname.replace(/\/+$/, "")
      const of = resultsAt(method, url)
      if (of !== undefined) return results(of, linesIn(answer))
      const said = jsonOf(answer)
      if (method === "POST" && path.endsWith("/files")) {
        // A file of one line is JSON.
        const lines = typeof body === "string" ? linesIn(body) : body === undefined ? [] : [body]
        keep(
          textOf(memberOf(said, "id")) ?? textOf(memberOf(memberOf(said, "file"), "name")),
          new Map(lines.flatMap(lineOf)),
        )
      } else if (path.endsWith(":batchGenerateContent")) {
        const input = inputOf(memberOf(body, "batch"))
        const file = textOf(either(input, "fileName", "file_name"))
        const requests = memberOf(memberOf(input, "requests"), "requests")
        const lines = Array.isArray(requests) ? new Map(requests.flatMap(lineOf)) : inputs.get(file ?? "")
        const id = textOf(memberOf(said, "name"))
        if (id !== undefined && lines !== undefined) {
          if (Array.isArray(requests)) keep(id, lines)
          else inputs.set(id, lines)
        }
        return note(said)
      } else if (/\/(batches|batch\/jobs)(\/[^/]+(\/cancel)?)?$/.test(path)) {
        const requests = memberOf(body, "requests")
        if (Array.isArray(requests)) keep(textOf(memberOf(said, "id")), new Map(requests.flatMap(lineOf)))
        const listed = memberOf(said, "data") ?? memberOf(said, "operations")
        return (Array.isArray(listed) ? listed : [said]).flatMap(note)
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

const either = (value: Json | undefined, name: string, other: string): Json | undefined =>
  memberOf(value, name) ?? memberOf(value, other)

const inputOf = (batch: Json | undefined): Json | undefined => either(batch, "inputConfig", "input_config")

/** The program's id of a call: `custom_id`, or Gemini's `key`. */
const idOf = (line: Json): string | undefined =>
  textOf(memberOf(line, "custom_id")) ?? textOf(memberOf(line, "key") ?? memberOf(memberOf(line, "metadata"), "key"))

/** Gemini's operation in the form of the other providers' batches. */
const operationOf = (operation: Json | undefined): JsonObject | undefined => {
  const [name, about] = [textOf(memberOf(operation, "name")), memberOf(operation, "metadata")]
  if (name === undefined || about === undefined) return undefined
  const output = memberOf(operation, "response") ?? memberOf(about, "output")
  const model = textOf(memberOf(about, "model"))
  return {
    id: name,
    input_file_id: either(inputOf(about), "fileName", "file_name") ?? null,
    output_file_id: memberOf(output, "responsesFile") ?? null,
    outputs: memberOf(memberOf(output, "inlinedResponses"), "inlinedResponses") ?? null,
    endpoint: model === undefined ? null : `/v1beta/${model}:generateContent`,
    created_at: memberOf(about, "createTime") ?? null,
    ended_at: memberOf(about, "endTime") ?? null,
  }
}

/** A call's request with what only its batch states: the endpoint and the model. */
const ofBatch = ({ path, body }: Line, batch: Batch | undefined): Line | undefined => {
  const { endpoint, model } = batch ?? {}
  const whole = path === "" ? endpoint : path
  if (whole === undefined) return undefined
  return { path: whole, body: model === undefined || "model" in body ? body : { model, ...body } }
}

const lineOf = (line: Json, index: number): ReadonlyArray<readonly [string, Line]> => {
  const customId = idOf(line) ?? (isObject(line) && "request" in line ? String(index) : undefined)
  const [body, params] = [memberOf(line, "body") ?? memberOf(line, "request"), memberOf(line, "params")]
  if (customId === undefined) return []
  if (params !== undefined && isObject(params)) return [[customId, { path: "/v1/messages", body: params }]]
  return body !== undefined && isObject(body) ? [[customId, { path: textOf(memberOf(line, "url")) ?? "", body }]] : []
}

const cameIn = (line: Json): { readonly status: number; readonly body: Json } | undefined => {
  const [response, error, result] = [memberOf(line, "response"), memberOf(line, "error"), memberOf(line, "result")]
  if (response !== undefined && isObject(response)) {
    // Gemini has the answer alone.
    if (!("status_code" in response || "body" in response)) return { status: 200, body: response }
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
  const version = textOf(memberOf(answer, "modelVersion"))
  const gemini = version === undefined ? endpoint : (endpoint ?? `/v1beta/models/${version}:generateContent`)
  if (gemini?.endsWith(":generateContent")) return { path: gemini, body: { contents: [] } }
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
