import * as zlib from "node:zlib"
import * as ColumnBytes from "../src/events/steps/ColumnBytes.ts"

/** How deep things may be packed in one another. */
const MAX_DEPTH = 4

/** What stands in a file that may be a page, a table or an archive: the bytes as they are, and all that is packed in them. */
export const unpacked = (bytes: Uint8Array, depth = 0): string => {
  const found = Buffer.from(bytes)
  const text = found.toString("latin1")
  if (depth >= MAX_DEPTH) return text
  const packed = [...compressedIn(found), ...encodedIn(text)]
  return [text, ...packed.map((part) => unpacked(part, depth + 1))].join("\n")
}

/** The beginnings of what gzip, zlib and ZIP write, each with how many bytes precede the deflated ones. What follows is ignored. */
const COMPRESSED: ReadonlyArray<readonly [Buffer, (bytes: Buffer) => number]> = [
  [Buffer.from([0x1f, 0x8b, 0x08, 0x00]), () => 10],
  ...[0x01, 0x5e, 0x9c, 0xda].map((level) => [Buffer.from([0x78, level]), () => 2] as const),
  [Buffer.from("PK\x03\x04", "latin1"), (bytes) => 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28)],
]

const inflated = (bytes: Buffer): Buffer => zlib.inflateRawSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH })

const compressedIn = function* (bytes: Buffer): Generator<Buffer> {
  // The columns of steps are deflated without a beginning of their own; today only their header, after its size.
  try {
    yield zlib.inflateRawSync(bytes)
  } catch {
    // Nor is anything else here.
  }
  try {
    const { length, dictionary } = { length: bytes.readUInt32LE(), dictionary: ColumnBytes.DICTIONARY }
    yield zlib.inflateRawSync(bytes.subarray(4, 4 + length), { dictionary })
  } catch {
    // Nor is this.
  }
  for (const [magic, headerOf] of COMPRESSED) {
    for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) {
      try {
        const packed = bytes.subarray(at)
        yield inflated(packed.subarray(headerOf(packed)))
      } catch {
        // These bytes only looked like a beginning.
      }
    }
  }
}

/** Texts in base64, of both alphabets. */
const encodedIn = (text: string): ReadonlyArray<Buffer> =>
  (text.match(/[A-Za-z0-9+/_-]{24,}={0,2}/g) ?? []).map((part) => Buffer.from(part, "base64"))
