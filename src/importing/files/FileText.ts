/** Reads a file's text as UTF-8, unpacking gzip and Zstandard, and converting UTF-16. */

import * as fs from "node:fs/promises"
import { pipeline, Readable } from "node:stream"
import * as zlib from "node:zlib"
import { Decompress } from "fzstd"

export type Packing = "gzip" | "Zstandard" | "UTF-16"

/** Magic numbers. */
const MARKS: ReadonlyArray<{ readonly packing: Packing; readonly bytes: ReadonlyArray<number>; readonly le?: true }> = [
  { packing: "gzip", bytes: [0x1f, 0x8b, 0x08] },
  { packing: "Zstandard", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { packing: "UTF-16", bytes: [0xff, 0xfe], le: true },
  { packing: "UTF-16", bytes: [0xfe, 0xff] },
]

const MARK_BYTES = 64

const STEP_BYTES = 1024 * 1024

/** Near the end of a file. */
const SMALLEST_STEP_BYTES = 4 * 1024

/** Bytes of Zstandard unpacked at once: four of them may expand to 128 KiB. */
const ZSTD_STEP_BYTES = 1024

/** Maximum unpacked size, in bytes. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024 * 1024

/** The file name without `.gz` or `.zst`. */
export const unpackedName = (name: string): string => name.replace(/\.(?:gz|zst)$/i, "")

const markOf = (head: Buffer) => {
  // UTF-32's mark begins like that of UTF-16.
  const isUtf32 = head.length >= 4 && head.readUInt32LE(0) === 0xfeff
  if (isUtf32) return undefined
  return MARKS.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte)) ?? unmarkedOf(head)
}

/** UTF-16 without a mark, as JSON beginning with ASCII: every second byte is zero. */
const unmarkedOf = (head: Buffer): (typeof MARKS)[number] | undefined => {
  const bytes = head.subarray(0, MARK_BYTES)
  if (bytes.length < 4) return undefined
  const isZero = (parity: number) => bytes.every((byte, index) => index % 2 !== parity || byte === 0)
  const [even, odd] = [isZero(0), isZero(1)]
  return even === odd ? undefined : { packing: "UTF-16", bytes: [], ...(odd ? { le: true } : {}) }
}

/** Yields the first bytes of a file's text in buffers that are not reused. Throws if a packed file is damaged. */
export async function* piecesOf(
  file: string,
  bytes: number,
  onPacking: (packing: Packing) => void = () => {},
): AsyncGenerator<Buffer> {
  const handle = await fs.open(file, "r")
  try {
    const head = Buffer.alloc(MARK_BYTES)
    const { bytesRead } = await handle.read(head, 0, MARK_BYTES, 0)
    const mark = markOf(head.subarray(0, bytesRead))
    if (mark === undefined) yield* plainPiecesOf(handle, bytes)
    else {
      onPacking(mark.packing)
      yield* unpackedPiecesOf(plainPiecesOf(handle, Number.POSITIVE_INFINITY), mark, bytes)
    }
  } finally {
    await handle.close()
  }
}

async function* unpackedPiecesOf(all: AsyncGenerator<Buffer>, mark: (typeof MARKS)[number], bytes: number) {
  const { packing, le = false } = mark
  const text = packing === "gzip" ? gunzipped(all) : packing === "Zstandard" ? unzstd(all) : fromUtf16(all, le)
  let left = bytes
  let total = 0
  try {
    for await (const chunk of text) {
      total += chunk.length
      if (total > MAX_UNPACKED_BYTES) throw new Error(`it holds more than ${MAX_UNPACKED_BYTES} bytes`)
      yield chunk.length <= left ? chunk : chunk.subarray(0, left)
      left -= chunk.length
      if (left <= 0) return
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`a file packed with ${packing} that is cut off or damaged: ${reason}`, { cause })
  } finally {
    await all.return(undefined)
  }
}

async function* gunzipped(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  // The reader gets the error.
  yield* pipeline(Readable.from(chunks), zlib.createGunzip(), () => {})
}

async function* unzstd(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let parts: Array<Buffer> = []
  let hasEnded = false
  const decompress = new Decompress((part, isLast) => {
    if (part.length > 0) parts.push(Buffer.from(part))
    hasEnded = isLast === true
  })
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; from += ZSTD_STEP_BYTES) {
      decompress.push(chunk.subarray(from, from + ZSTD_STEP_BYTES))
      yield* parts
      parts = []
    }
  decompress.push(new Uint8Array(0), true)
  yield* parts
  if (!hasEnded) throw new Error("its end is missing")
}

async function* fromUtf16(chunks: AsyncGenerator<Buffer>, isLittleEndian: boolean): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(isLittleEndian ? "utf-16le" : "utf-16be")
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** Buffers are no larger than the rest of the file; otherwise many small files would allocate large ones. */
async function* plainPiecesOf(handle: fs.FileHandle, bytes: number): AsyncGenerator<Buffer> {
  const { size } = await handle.stat()
  let position = 0
  while (position < bytes) {
    const left = Math.max(SMALLEST_STEP_BYTES, size - position)
    const buffer = Buffer.allocUnsafe(Math.min(STEP_BYTES, left, bytes - position))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
