/** Blobs: large payloads, stored outside their events' rows under their digest. */

import { sha256 } from "../../values/Digest.ts"

/** Largest payload that is stored in its event's row, in bytes (UTF-8). A larger one becomes a blob. */
export const MAX_INLINE_BYTES = 256 * 1024

/** A large payload. It is stored once under its digest, however many events have it. */
export interface Blob {
  /** SHA-256 of the text (UTF-8), 64 hexadecimal digits. */
  readonly digest: string
  readonly text: string
}

/** The blob for a text that is too large for a row; null if it is not. */
export const blobOf = (text: string): Blob | null =>
  text.length > MAX_INLINE_BYTES || (text.length > MAX_INLINE_BYTES / 3 && Buffer.byteLength(text) > MAX_INLINE_BYTES)
    ? { digest: sha256(text), text }
    : null

/**
 * The name that the row stores instead of the payload: JSON text (a string, which no payload is) that contains the
 * digest. The hash of the event covers the name, and so the blob.
 */
export const nameOf = ({ digest }: Blob): string => `"${PREFIX}${digest}"`

/** The digest in a blob's name; undefined if the text is a payload itself. */
export const digestIn = (text: string): string | undefined =>
  text.charCodeAt(0) === QUOTE ? NAME.exec(text)?.[1] : undefined

const PREFIX = "blob:"
const NAME = /^"blob:([0-9a-f]{64})"$/
const QUOTE = 34
