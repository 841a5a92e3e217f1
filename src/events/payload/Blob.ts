import { sha256 } from "../../values/Json.ts"

/** Most bytes (UTF-8) of a payload that stands in its event's row; a larger one becomes a blob. */
export const MAX_INLINE_BYTES = 256 * 1024

/** A large payload, stored once under the digest of its text however many events have it. */
export interface Blob {
  /** SHA-256 of the text (UTF-8), 64 hexadecimal digits. */
  readonly digest: string
  readonly text: string
}

/** The blob of a text that is too large for a row. */
export const blobOf = (text: string): Blob | null =>
  text.length > MAX_INLINE_BYTES || (text.length > MAX_INLINE_BYTES / 3 && Buffer.byteLength(text) > MAX_INLINE_BYTES)
    ? { digest: sha256(text), text }
    : null

/**
 * What stands in the row instead, and what the chain covers: JSON text, which no payload is, with the digest in it. So the
 * chain covers the blob too.
 */
export const nameOf = ({ digest }: Blob): string => `"${PREFIX}${digest}"`

/** The digest in such a name; undefined where the text is a payload itself. */
export const digestIn = (text: string): string | undefined =>
  text.charCodeAt(0) === QUOTE ? NAME.exec(text)?.[1] : undefined

const PREFIX = "blob:"
const NAME = /^"blob:([0-9a-f]{64})"$/
const QUOTE = 34
