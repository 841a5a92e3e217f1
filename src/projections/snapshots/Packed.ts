import * as zlib from "node:zlib"
import { Option } from "effect"
import { sha256 } from "../../events/Json.ts"

/** Makes text small, by raw DEFLATE (RFC 1951). */
export const pack = (text: string): Uint8Array => zlib.deflateRawSync(text, FASTEST)

/** States repeat their keys over and over: the fastest level finds nearly all there is to find. */
const FASTEST = { level: zlib.constants.Z_BEST_SPEED }

/** The text again, where it is the one of this digest (SHA-256). */
export const unpack = (packed: Uint8Array, digest: string): Option.Option<string> => {
  try {
    const text = zlib.inflateRawSync(packed).toString()
    return sha256(text) === digest ? Option.some(text) : Option.none()
  } catch {
    return Option.none() // Not what was packed.
  }
}
