/** Reads what was encoded for its way (RFC 9110, section 8.4), so that it is recorded as text. */

import * as zlib from "node:zlib"
import type { AnswerBody } from "../http/Exchange.ts"

/** Node has Zstandard from 22.15 on. */
const createZstd: (() => zlib.Gunzip) | undefined = Reflect.get(zlib, "createZstdDecompress")

/** What came is read at once. That the end is missing is an error. */
const FLUSH = { flush: zlib.constants.Z_SYNC_FLUSH }
const BROTLI_FLUSH = { flush: zlib.constants.BROTLI_OPERATION_FLUSH }

const DECODERS: { readonly [encoding: string]: ((first: number) => zlib.Gunzip) | undefined } = {
  gzip: () => zlib.createGunzip(FLUSH),
  "x-gzip": () => zlib.createGunzip(FLUSH),
  // Some servers leave out the frame of zlib, which has 8 as its method (RFC 1950).
  deflate: (first) => ((first & 15) === 8 ? zlib.createInflate(FLUSH) : zlib.createInflateRaw(FLUSH)),
  br: () => zlib.createBrotliDecompress(BROTLI_FLUSH),
  zstd: createZstd === undefined ? undefined : () => createZstd(),
}

/** Whether a body of this encoding can be read. */
export const canDecode = (encoding: string): boolean => DECODERS[encoding.trim().toLowerCase()] !== undefined

/** An `Accept-Encoding` without the encodings that cannot be read, so that no answer comes in one. */
export const acceptable = (accepted: string): string =>
  accepted
    .split(",")
    .filter((one) => {
      const name = one.split(";")[0]?.trim() ?? ""
      return /^(identity|\*)?$/i.test(name) || canDecode(name)
    })
    .map((one) => one.trim())
    .join(", ") || "identity"

/** Maximum size of a request that is decoded, in bytes: a few kilobytes can stand for gigabytes. */
const MOST_DECODED = 64 * 1024 * 1024

/** The decoded body, as far as it came; the body as it came if it is damaged, of an unknown encoding, or larger than 64 MiB. */
export const decodedBody = async (encoding: string, body: Uint8Array): Promise<Uint8Array> => {
  const reading = readingOf(encoding, body)
  if (reading === undefined) return body
  const pieces: Array<Uint8Array> = []
  let size = 0
  reading.onText((text) => {
    size += text.byteLength
    if (size <= MOST_DECODED) pieces.push(text)
    else reading.stop()
  })
  reading.take(body)
  return (await reading.end()) === "damaged" ? body : Buffer.concat(pieces)
}

/** Takes note of a body that comes encoded as of what it says. */
export const decoding = (encoding: string, answer: AnswerBody): AnswerBody => {
  let reading: Reading | undefined
  return {
    took: (piece) => {
      if (reading === undefined) {
        reading = readingOf(encoding, piece)
        reading?.onText(answer.took)
      }
      reading?.take(piece)
    },
    ended: async (how, abortedBy) => {
      const end = await reading?.end()
      if (how !== "clean") return answer.ended(how, abortedBy)
      // What is damaged is recorded as far as it could be read, and breaks off there: given again as whole, it would be another answer.
      return answer.ended(end === "damaged" ? "cut" : end === "early" ? "unfinished" : how, abortedBy)
    },
  }
}

/** Whether an encoded body is whole, which no client of HTTP that allows for its early end says. */
export const checking = (encoding: string, first: Uint8Array): Pick<Reading, "take" | "end"> | undefined => {
  const reading = readingOf(encoding, first)
  reading?.onText(() => {})
  return reading
}

/** An encoded body that is read. */
interface Reading {
  readonly onText: (take: (text: Uint8Array) => void) => void
  readonly take: (piece: Uint8Array) => void
  /** Reads no more. */
  readonly stop: () => void
  /** Resolves once all is read: `early`: it ended before the encoding did; `damaged`: it is not in its encoding, or was stopped. */
  readonly end: () => Promise<"whole" | "early" | "damaged">
}

const readingOf = (encoding: string, [first = 0]: Uint8Array): Reading | undefined => {
  const decoder = DECODERS[encoding.trim().toLowerCase()]?.(first)
  if (decoder === undefined) return undefined
  const read = new Promise<"whole" | "early" | "damaged">((resolve) => {
    decoder.on("end", () => resolve("whole"))
    decoder.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "Z_BUF_ERROR" ? "early" : "damaged"))
  })
  return {
    onText: (take) => void decoder.on("data", take),
    take: (piece) => {
      if (!decoder.destroyed) decoder.write(piece)
    },
    stop: () => void decoder.destroy(new Error("stopped")),
    end: () => {
      // What was taken is read first: of a piece that is read with an early end, nothing would be told.
      if (!decoder.destroyed) decoder.write(NOTHING, (error) => void (error ?? decoder.end()))
      return read
    },
  }
}

const NOTHING = new Uint8Array()
