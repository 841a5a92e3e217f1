/**
 * Images and other files in a model's input. A reading or a tool's result contains a file as
 * `{ "type": "file", "mediaType": "image/png", "data": "<base64>" }`, alone or nested. Pure.
 */

import type { File } from "../../projections/request/FileParts.ts"

export { type File, nameOf, separated } from "../../projections/request/FileParts.ts"

/** The media types that a provider's models accept; `image/*` means all images. */
export interface FileSupport {
  /** Within the results of tools. */
  readonly inResults: ReadonlyArray<string>
  /** In messages of the user: at least those in results. */
  readonly inMessages: ReadonlyArray<string>
}

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
