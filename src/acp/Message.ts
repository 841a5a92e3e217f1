/** Messages of JSON-RPC 2.0, as far as a recorder reads them. Pure. */

import type { Buffer } from "node:buffer"
import { type Json, type JsonObject, parseJson } from "../values/Json.ts"
import { asObject, isObject } from "../values/JsonObjects.ts"

export type Id = string | number

export type Message =
  | { readonly kind: "request"; readonly id: Id; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response"; readonly id: Id; readonly result: Json | undefined; readonly error: Json | undefined }

/** Parses a line; undefined if it is no message of JSON-RPC. */
export const read = (line: Buffer): Message | undefined => {
  const message = parsed(line)
  if (!isObject(message)) return undefined
  const { id, method, params, result, error } = message
  const isId = typeof id === "string" || typeof id === "number"
  if (typeof method === "string")
    return isId
      ? { kind: "request", id, method, params: asObject(params) }
      : { kind: "notification", method, params: asObject(params) }
  return isId ? { kind: "response", id, result, error } : undefined
}

const parsed = (line: Buffer): Json | undefined => {
  try {
    return parseJson(line.toString("utf8"))
  } catch {
    // A line that is no JSON, or nests too deep, passes unread.
    return undefined
  }
}

/** An id as a key: `1` and `"1"` are two ids. */
export const keyOf = (id: Id): string => JSON.stringify(id)

export const response = (id: Id, result: Json): string => `${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`
