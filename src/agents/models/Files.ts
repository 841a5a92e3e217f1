/**
 * Images and other files in a model's input. A reading or a tool's result contains a file as
 * `{ "type": "file", "mediaType": "image/png", "data": "<base64>" }`, alone or nested. Pure.
 */

import type { Json, JsonObject } from "../../values/Json.ts"

export interface File {
  readonly mediaType: string
  /** Base64 (RFC 4648). */
  readonly data: string
}

/** The media types that a provider's models accept; `image/*` means all images. */
export interface FileSupport {
  /** Within the results of tools. */
  readonly inResults: ReadonlyArray<string>
  /** In messages of the user: at least those in results. */
  readonly inMessages: ReadonlyArray<string>
}

export interface Separated {
  /** The JSON, with a text in place of each file: `[file 1: image/png]`. */
  readonly json: Json
  readonly files: ReadonlyArray<File>
}

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

export const nameOf = ({ mediaType }: File, number: number): string => `[file ${number}: ${mediaType.slice(0, 100)}]`

/** Why a file cannot be sent to a model, in words; undefined if it can. */
export const problemIn = ({ mediaType, data }: File): string | undefined => {
  if (!MEDIA_TYPE.test(mediaType)) return "expected a media type such as image/png"
  if (data === "" || data.length % 4 !== 0 || !BASE64.test(data)) return "expected base64 (RFC 4648), found other data"
  const signatures = SIGNATURES.get(typeOf(mediaType))
  if (signatures === undefined) return undefined
  const start = Buffer.from(data.slice(0, 32), "base64").toString("latin1")
  const isAsSaid = signatures.some((signature) => signature.test(start))
  return isAsSaid ? undefined : `expected ${typeOf(mediaType)}, found data of another kind`
}

export const textIn = ({ mediaType, data }: File): string | undefined => {
  const type = typeOf(mediaType)
  const isText = type.startsWith("text/") || type === "application/json"
  return isText ? Buffer.from(data, "base64").toString("utf8").toWellFormed() : undefined
}

export const isOneOf = ({ mediaType }: File, types: ReadonlyArray<string>): boolean => {
  const type = typeOf(mediaType)
  return types.some((known) => (known.endsWith("/*") ? type.startsWith(known.slice(0, -1)) : known === type))
}

export const typeOf = (mediaType: string): string => mediaType.split(";")[0]?.trim().toLowerCase() ?? ""

/** RFC 6838 §4.2, with parameters. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(\s*;.*)?$/i

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** First bytes of the types that providers check. A refused file would be refused in every later turn. */
const SIGNATURES: ReadonlyMap<string, ReadonlyArray<RegExp>> = new Map([
  ["image/png", [/^\x89PNG/]],
  ["image/jpeg", [/^\xff\xd8\xff/]],
  ["image/gif", [/^GIF8/]],
  ["image/webp", [/^RIFF[\s\S]{4}WEBP/]],
  ["application/pdf", [/%PDF/]],
])

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
