/** Blobs: large payloads, stored outside their events' rows under their digests. */

import { sha256 } from "../../values/Digest.ts"

/** Maximum size of a payload in its event's row, in bytes (UTF-8). Larger ones become blobs. */
export const MAX_INLINE_BYTES = 256 * 1024

/** A large payload, stored once however many events have it. */
export interface Blob {
  /** SHA-256 of the text (UTF-8), 64 hexadecimal digits. */
  readonly digest: string
  readonly text: string
}

/** Returns a blob if the text is too large for a row. */
export const blobOf = (text: string): Blob | null =>
  text.length > MAX_INLINE_BYTES || (text.length > MAX_INLINE_BYTES / 3 && Buffer.byteLength(text) > MAX_INLINE_BYTES)
    ? { digest: sha256(text), text }
    : null

/**
 * The text that the row stores instead of the payload: a JSON string with the digest (payloads are objects). The
 * event's hash covers this text, and so the blob.
 */
export const nameOf = ({ digest }: Blob): string => `"${PREFIX}${digest}"`

/** The digest in a blob's name; undefined if the text is a payload. */
export const digestIn = (text: string): string | undefined =>
  text.charCodeAt(0) === QUOTE ? NAME.exec(text)?.[1] : undefined

const PREFIX = "blob:"
const NAME = /^"blob:([0-9a-f]{64})"$/
const QUOTE = 34
