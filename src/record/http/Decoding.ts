/** Decodes compressed bodies (RFC 9110, section 8.4), so that they are recorded as text. */

import * as zlib from "node:zlib"
import type { AnswerBody } from "../http/Exchange.ts"

/** Node has Zstandard from 22.15 on. */
const createZstd: (() => zlib.Gunzip) | undefined = Reflect.get(zlib, "createZstdDecompress")

/** Decodes data as it arrives. A missing end is an error. */
const FLUSH = { flush: zlib.constants.Z_SYNC_FLUSH }
const BROTLI_FLUSH = { flush: zlib.constants.BROTLI_OPERATION_FLUSH }

const DECODERS: { readonly [encoding: string]: ((first: number) => zlib.Gunzip) | undefined } = {
  gzip: () => zlib.createGunzip(FLUSH),
  "x-gzip": () => zlib.createGunzip(FLUSH),
  // Some servers omit the zlib header, whose method is 8 (RFC 1950).
  deflate: (first) => ((first & 15) === 8 ? zlib.createInflate(FLUSH) : zlib.createInflateRaw(FLUSH)),
  br: () => zlib.createBrotliDecompress(BROTLI_FLUSH),
  zstd: createZstd === undefined ? undefined : () => createZstd(),
}

export const canDecode = (encoding: string): boolean => DECODERS[encoding.trim().toLowerCase()] !== undefined

export const acceptable = (accepted: string): string =>
  accepted
    .split(",")
    .filter((one) => {
      const name = one.split(";")[0]?.trim() ?? ""
      return /^(identity|\*)?$/i.test(name) || canDecode(name)
    })
    .map((one) => one.trim())
    .join(", ") || "identity"

/** Maximum size of a decoded request, in bytes: a few kilobytes can expand to gigabytes. */
const MOST_DECODED = 64 * 1024 * 1024

/**
 * Decodes a body as far as it arrived. Returns it unchanged if it is damaged, in an unknown encoding, or above 64 MiB.
 */
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

/** Wraps a recorder of a body so that it receives decoded pieces. */
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
      // Damaged data is recorded up to the damage and marked as cut: replayed as whole, it would be another answer.
      return answer.ended(end === "damaged" ? "cut" : end === "early" ? "unfinished" : how, abortedBy)
    },
  }
}

/** Checks whether a compressed body is complete. HTTP clients that tolerate an early end do not report it. */
export const checking = (encoding: string, first: Uint8Array): Pick<Reading, "take" | "end"> | undefined => {
  const reading = readingOf(encoding, first)
  reading?.onText(() => {})
  return reading
}

interface Reading {
  readonly onText: (take: (text: Uint8Array) => void) => void
  readonly take: (piece: Uint8Array) => void
  readonly stop: () => void
  /** Resolves when all is decoded. `early`: the data ended before its encoding did; `damaged`: invalid, or stopped. */
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
      // Flushes first: zlib drops output of a piece that it reads together with an early end.
      if (!decoder.destroyed) decoder.write(NOTHING, (error) => void (error ?? decoder.end()))
      return read
    },
  }
}

const NOTHING = new Uint8Array()
