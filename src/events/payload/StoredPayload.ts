/** Decodes stored payloads: resolves blobs and decrypts personal fields. */

import { sha256 } from "../../values/Digest.ts"
import { isTooDeep, type JsonObject, MAX_DEPTH } from "../../values/Json.ts"
import type { Event } from "../vocabulary/Event.ts"
import { digestIn } from "./Blob.ts"
import { decryptPayload } from "./PayloadEncryption.ts"
import type { Keys } from "./PersonalDataKeys.ts"

/** A payload as stored and covered by the hash. */
export interface StoredContent {
  /** JSON, JSON with encrypted fields, or the name of a blob that holds one of the two. */
  readonly payload: string
  readonly keyId: string | null
}

/**
 * Maximum size of a stored payload, in bytes: four times `MAX_PAYLOAD_BYTES`, because encrypted fields take more. A
 * larger one in a foreign log is refused before it takes memory.
 */
export const MAX_STORED_BYTES = 32 * 1024 * 1024

/** Reason for refusing a text of so many bytes. */
export const tooLong = (bytes: number): string =>
  `its payload has ${bytes} bytes, and no log writes one of more than ${MAX_STORED_BYTES}`

export interface PayloadReader {
  readonly blob: (digest: string) => string | undefined
  readonly keys: Pick<Keys, "find">
}

export interface ReadContent {
  readonly payload: JsonObject
  /** Whether personal fields were decrypted. Absent if none was encrypted. */
  readonly personal: Event["personal"]
}

/** Decodes a stored payload. Throws if no log writes it. */
export const read = (
  { blob, keys }: PayloadReader,
  eventId: string,
  { payload, keyId }: StoredContent,
): ReadContent => {
  const text = textOf(blob, payload)
  if (hasManyLevels(text) && isTooDeep(parse(text))) {
    throw new Error(`its payload is nested more than ${MAX_DEPTH} levels deep, which no log writes`)
  }
  if (keyId === null) return { payload: parse(text), personal: undefined }
  const key = keys.find(keyId)
  return { payload: decryptPayload(key, eventId, text), personal: { keyId, readable: key !== undefined } }
}

const textOf = (blob: PayloadReader["blob"], payload: string): string => {
  const digest = digestIn(payload)
  if (digest === undefined) return payload
  const text = blob(digest)
  if (text === undefined) throw new Error(`its payload is the blob ${digest}, which is missing`)
  if (sha256(text) !== digest) throw new Error(`its payload is the blob ${digest}, which was changed`)
  return text
}

/** Counts opening brackets, cheaply, to find texts that may be nested too deep. Most texts are short. */
const hasManyLevels = (text: string): boolean => {
  if (text.length <= 2 * MAX_DEPTH) return false
  let found = 0
  for (const opening of "[{") {
    for (let at = text.indexOf(opening); at >= 0 && found <= MAX_DEPTH; at = text.indexOf(opening, at + 1)) found += 1
  }
  return found > MAX_DEPTH
}

const parse = (text: string): JsonObject => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`its payload is not JSON (${String(cause)})`)
  }
}
