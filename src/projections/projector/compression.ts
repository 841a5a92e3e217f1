import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import { Option } from "effect"

/** Text made small, by raw DEFLATE (RFC 1951), and its name. */
export interface Compressed {
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes. */
  readonly digest: string
}

/** Makes text small. */
export const compress = (text: string): Compressed => {
  const bytes = zlib.deflateRawSync(text, FASTEST)
  return { bytes, digest: digestOf(bytes) }
}

/** States repeat their keys over and over: the fastest level finds nearly all there is to find. */
const FASTEST = { level: zlib.constants.Z_BEST_SPEED }

/** The text again, where these are the bytes of this digest. */
export const decompress = (bytes: Uint8Array, digest: string): Option.Option<string> => {
  if (digestOf(bytes) !== digest) return Option.none()
  try {
    return Option.some(zlib.inflateRawSync(bytes, IN_ONE_GO).toString())
  } catch {
    return Option.none() // Not what was packed.
  }
}

/** Room for what comes out: nearly every page fits, and is not put together from pieces of 16 KiB. */
const IN_ONE_GO = { chunkSize: 128 * 1024 }

const digestOf = (bytes: Uint8Array): string => crypto.hash("sha256", bytes, "hex")
