import { type JsonObject, sha256 } from "../../values/Json.ts"
import type { Event } from "../vocabulary/Event.ts"
import { digestIn } from "./Blob.ts"
import { decryptPayload } from "./PayloadEncryption.ts"
import type { Keys } from "./PersonalDataKeys.ts"

/** A payload as it stands in a log: what the chain covers. */
export interface StoredContent {
  /** The payload as JSON, or sealed, or the name of a blob that is one of the two. */
  readonly payload: string
  readonly keyId: string | null
}

/** What it takes to read stored content. */
export interface PayloadReader {
  /** The text of a blob; undefined where it is not there. */
  readonly blob: (digest: string) => string | undefined
  readonly keys: Keys
}

/** A payload as it is read, and whether that is all of it. */
export interface ReadContent {
  readonly payload: JsonObject
  /** Absent where nothing of it was encrypted. */
  readonly personal: Event["personal"]
}

/** Reads stored content. Throws where it says something that no log says. */
export const read = (
  { blob, keys }: PayloadReader,
  eventId: string,
  { payload, keyId }: StoredContent,
): ReadContent => {
  const text = textOf(blob, payload)
  if (keyId === null) return { payload: parse(text), personal: undefined }
  const key = keys.find(keyId)
  return { payload: decryptPayload(key, eventId, text), personal: { keyId, readable: key !== undefined } }
}

const textOf = (blob: PayloadReader["blob"], payload: string): string => {
  const digest = digestIn(payload)
  if (digest === undefined) return payload
  const text = blob(digest)
  if (text === undefined) throw new Error(`its payload is the blob ${digest}, which is not there`)
  if (sha256(text) !== digest) throw new Error(`its payload is the blob ${digest}, and what is there is another text`)
  return text
}

const parse = (text: string): JsonObject => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`its payload is not JSON (${String(cause)})`)
  }
}
