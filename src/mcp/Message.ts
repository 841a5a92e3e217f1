/** Messages of the Model Context Protocol, which are JSON-RPC 2.0: one on each line. Pure. */

import { findNonJson, type Json, type JsonObject, parseJson, stringified } from "../values/Json.ts"
import { isObject } from "../values/JsonObjects.ts"
import { lookAlike } from "./LookAlikes.ts"

export type RequestId = string | number

export interface Request {
  readonly kind: "request"
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly whole: JsonObject
  /** Part of the message that no event can hold, if it has one: `whole` has a replacement in its place. */
  readonly replaced?: string
}

export interface Notification {
  readonly kind: "notification"
  readonly method: string
  readonly params: JsonObject
  readonly whole: JsonObject
}

export interface Response {
  readonly kind: "response"
  readonly id: RequestId
  /** `result` or `error`, as it came. */
  readonly whole: JsonObject
}

export interface Invalid {
  readonly kind: "invalid"
  readonly reason: string
  /** The id of the request, if it is certain. */
  readonly id?: RequestId
}

export type Message = Request | Notification | Response

/** Error codes of JSON-RPC 2.0. */
export const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  server: -32000,
} as const

export const CALL = "tools/call"
export const LIST = "tools/list"

/**
 * Reads a line. Half characters become U+FFFD and infinite numbers null, because programs cut texts in the middle of a
 * character, and no event holds either.
 */
export const read = (line: string): Message | Invalid => {
  let whole: Json
  try {
    whole = parseJson(line)
  } catch (error) {
    return invalid(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const wrong = findNonJson(whole)
  if (wrong === undefined) return messageOf(whole)
  if (isObject(whole) && typeof whole.id === "string" && !whole.id.isWellFormed())
    return invalid("its id has half a character")
  const fit = stringified(whole)
  if ("refused" in fit) return invalid(fit.refused)
  const message = messageOf(fit.json)
  return message.kind === "request" ? { ...message, replaced: wrong.found } : message
}

const messageOf = (whole: Json): Message | Invalid => {
  if (Array.isArray(whole)) return invalid("it is a batch, which MCP no longer has: send one message on each line")
  if (!isObject(whole)) return invalid("it is not an object")
  const { id, method, params = {} } = whole
  if (whole.jsonrpc !== "2.0") return invalid('it lacks "jsonrpc": "2.0"')
  if (method !== undefined && typeof method !== "string") return invalid("its method is not a text")
  if (!isObject(params)) return invalid("its params are not an object")
  if (method !== undefined && id === undefined) return notificationOf(method, params, whole)
  if (!isId(id)) return invalid("its id is neither a text nor a number that survives its reading")
  const isResponse = "result" in whole || "error" in whole
  if (method === undefined && !isResponse) return invalid("it has neither a method nor a result nor an error")
  const like = lookAlike(whole, MEMBERS)
  if (like !== undefined) return { ...invalid(`${JSON.stringify(like)} is no member of a message`), id }
  if (method !== undefined && isResponse) return { ...invalid("it is both a request and a response"), id }
  return method === undefined ? { kind: "response", id, whole } : { kind: "request", id, method, params, whole }
}

/** A notification that another reader could take for a request or a response is none. */
const notificationOf = (method: string, params: JsonObject, whole: JsonObject): Notification | Invalid => {
  const like = lookAlike(whole, MEMBERS)
  if (like !== undefined) return invalid(`${JSON.stringify(like)} is no member of a message`)
  if ("result" in whole || "error" in whole) return invalid("it is both a notification and a response")
  return { kind: "notification", method, params, whole }
}

const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"])

const invalid = (reason: string): Invalid => ({ kind: "invalid", reason })

const isId = (id: Json | undefined): id is RequestId =>
  (typeof id === "string" && id.length <= MAX_ID) ||
  (typeof id === "number" && Number.isFinite(id) && (Number.isSafeInteger(id) || !Number.isInteger(id)))

/** Maximum length of an id, in characters: the gateway holds ids of open requests. */
const MAX_ID = 1_000

/** Distinguishes `1` from `"1"`. */
export const keyOf = (id: RequestId): string => JSON.stringify(id)

/** The id in the first or last part of a message that was too long to read whole. */
export const idIn = (...parts: ReadonlyArray<string>): RequestId | undefined => {
  for (const part of parts) {
    const [, found] = /"id"\s*:\s*("(?:[^"\\]|\\.){0,100}"|-?\d{1,15})/.exec(part) ?? []
    if (found === undefined) continue
    const id: unknown = JSON.parse(found)
    if (typeof id === "string" || typeof id === "number") return id
  }
  return undefined
}

/** Characters that end a line for some readers of lines: of Python's text files, and of Node's `readline`. */
const LINE_ENDS = /[\r\u0085\u2028\u2029]/g

/** A message on one line for every reader, with each field once. */
export const written = (whole: JsonObject): string =>
  JSON.stringify(whole).replaceAll(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * The line that is sent on for a message that the gateway has read as `whole`: the same bytes, unless another reader
 * could find another message in them, by a repeated member or another end of the line.
 */
export const sentOn = (line: string, whole: JsonObject): string => (isAmbiguous(line) ? written(whole) : line)

const isAmbiguous = (line: string): boolean => line.search(LINE_ENDS) !== -1 || hasRepeatedMember(line)

/** Whether the object in a line of valid JSON names a member twice, or escapes letters of a name. */
const hasRepeatedMember = (line: string): boolean => {
  const seen = new Set<string>()
  let depth = 0
  for (let at = 0; at < line.length; at++) {
    const character = line[at]
    if (character === "{" || character === "[") depth++
    else if (character === "}" || character === "]") depth--
    else if (character === '"') {
      const end = endOfText(line, at)
      if (depth === 1 && /^\s*:/.test(line.slice(end + 1, end + 1 + MAX_SPACE))) {
        const name = line.slice(at + 1, end)
        if (seen.has(name) || name.includes("\\")) return true
        seen.add(name)
      } else if (depth === 1 && /^\s*$/.test(line.slice(end + 1, end + 1 + MAX_SPACE))) return true
      at = end
    }
  }
  return false
}

/** Spaces before a colon that are looked through: with more, the member counts as repeated. */
const MAX_SPACE = 64

/** The closing quote of the text that begins at `start`. */
const endOfText = (line: string, start: number): number => {
  for (let end = line.indexOf('"', start + 1); end !== -1; end = line.indexOf('"', end + 1)) {
    let backslashes = 0
    while (line[end - 1 - backslashes] === "\\") backslashes++
    if (backslashes % 2 === 0) return end
  }
  return line.length
}

/** A number that does not survive its reading: the gate would judge another number than the client sent. */
export const hasInexactNumber = (value: Json): boolean => {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (typeof value !== "object" || value === null) return false
  return Object.values(value).some(hasInexactNumber)
}

export const failed = (id: RequestId | null, code: number, message: string): JsonObject => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
})

/** A tool's result that tells the model why its call did not run. */
export const refusedResult = (text: string): JsonObject => ({
  resultType: "complete",
  content: [{ type: "text", text }],
  isError: true,
})

const META = "io.modelcontextprotocol/"

/** The client's own name and version: in each request since 2026-07-28, in `initialize` before. */
export const clientOf = ({ method, params }: Request): { readonly name: string; readonly version: string } => {
  const meta = isObject(params._meta) ? params._meta : {}
  const said = method === "initialize" ? params.clientInfo : meta[`${META}clientInfo`]
  const { name, version } = isObject(said) ? said : {}
  return { name: typeof name === "string" ? name : "", version: typeof version === "string" ? version : "" }
}

/** Whether the client takes a question as the result of a call: since 2026-07-28, if it shows forms. */
export const takesQuestions = ({ params }: Request): boolean => {
  const meta = isObject(params._meta) ? params._meta : {}
  const version = meta[`${META}protocolVersion`]
  const capabilities = meta[`${META}clientCapabilities`]
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined
  return (
    typeof version === "string" &&
    version >= "2026-07-28" &&
    isObject(elicitation) &&
    // An empty object means forms.
    (isObject(elicitation.form) || Object.keys(elicitation).length === 0)
  )
}

export const CANCELLED = "notifications/cancelled"

export const cancellation = (requestId: RequestId, reason: string): JsonObject => ({
  jsonrpc: "2.0",
  method: CANCELLED,
  params: { requestId, reason },
})

export const LIST_CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }
