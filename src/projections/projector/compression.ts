/** Compresses the text of stored states with raw DEFLATE (RFC 1951), and verifies the bytes on reading. */

import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import { Option } from "effect"

export interface Compressed {
  readonly bytes: Uint8Array
  /** SHA-256 of the compressed bytes, as hex. */
  readonly digest: string
}

export const compress = (text: string): Compressed => {
  const bytes = zlib.deflateRawSync(text, FASTEST)
  return { bytes, digest: digestOf(bytes) }
}

/** States repeat their keys, so the fastest level finds nearly all redundancy. */
const FASTEST = { level: zlib.constants.Z_BEST_SPEED }

/** The text; none if the bytes do not have this digest or are not DEFLATE. */
export const decompress = (bytes: Uint8Array, digest: string): Option.Option<string> => {
  if (digestOf(bytes) !== digest) return Option.none()
  try {
    return Option.some(zlib.inflateRawSync(bytes, INFLATE_OPTIONS).toString())
  } catch {
    return Option.none() // Not valid DEFLATE.
  }
}

/** Output buffer size: nearly every chunk fits, and need not be assembled from buffers of 16 KiB. */
const INFLATE_OPTIONS = { chunkSize: 128 * 1024 }

const digestOf = (bytes: Uint8Array): string => crypto.hash("sha256", bytes, "hex")
