/**
 * Files within JSON: a reading or a tool's result contains a file as
 * `{ "type": "file", "mediaType": "image/png", "data": "<base64>" }`, alone or nested. Pure.
 */

import type { Json, JsonObject } from "../../values/Json.ts"

/** A file in a reading, a result or a message. */
export interface File {
  readonly mediaType: string
  /** Base64 (RFC 4648). */
  readonly data: string
}

/** JSON, and the files that were in it. */
export interface Separated {
  /** The JSON, with a text in place of each file: `[file 1: image/png]`. */
  readonly json: Json
  readonly files: ReadonlyArray<File>
}

/** Replaces each file by its name. */
export const separated = (content: Json): Separated => {
  if (!hasFile(content)) return { json: content, files: [] }
  const files: Array<File> = []
  const without = (value: Json): Json => {
    if (typeof value !== "object" || value === null) return value
    if (isFile(value)) {
      files.push({ mediaType: value.mediaType, data: value.data })
      return nameOf(value, files.length)
    }
    if (Array.isArray(value)) return value.map(without)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, without(part)]))
  }
  return { json: without(content), files }
}

/** The text in place of a file. */
export const nameOf = ({ mediaType }: File, number: number): string => `[file ${number}: ${mediaType.slice(0, 100)}]`

type FileValue = JsonObject & { readonly type: "file" } & File

const FIELDS: ReadonlySet<string> = new Set(["type", "mediaType", "data"])

const isFile = (value: JsonObject | ReadonlyArray<Json>): value is FileValue =>
  !Array.isArray(value) &&
  "type" in value &&
  value.type === "file" &&
  typeof value.mediaType === "string" &&
  typeof value.data === "string" &&
  Object.keys(value).every((key) => FIELDS.has(key))

const hasFile = (value: Json): boolean =>
  typeof value === "object" && value !== null && (isFile(value) || Object.values(value).some(hasFile))
