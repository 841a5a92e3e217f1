/** Reads what was encoded for its way (RFC 9110, section 8.4), so that it is recorded as text. */

import * as zlib from "node:zlib"
import type { AnswerBody } from "../http/Exchange.ts"

/** Node has Zstandard from 22.15 on. */
const createZstd: (() => zlib.Gunzip) | undefined = Reflect.get(zlib, "createZstdDecompress")

const FLUSH = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }
const BROTLI_FLUSH = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
}

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

/** The decoded body; the body as it came if it is damaged, of an unknown encoding, or larger than 64 MiB. */
export const decodedBody = (encoding: string, body: Uint8Array): Promise<Uint8Array> => {
  const decoder = decoderOf(encoding, body)
  if (decoder === undefined) return Promise.resolve(body)
  return new Promise((resolve) => {
    const pieces: Array<Buffer> = []
    let size = 0
    decoder.on("data", (piece: Buffer) => {
      size += piece.byteLength
      if (size <= MOST_DECODED) pieces.push(piece)
      else decoder.destroy(new Error("too large"))
    })
    decoder.on("end", () => resolve(Buffer.concat(pieces)))
    decoder.on("error", () => resolve(body))
    decoder.end(body)
  })
}

/** Takes note of a body that comes encoded as of what it says. */
export const decoding = (encoding: string, answer: AnswerBody): AnswerBody => {
  let decoder: zlib.Gunzip | undefined
  let read = Promise.resolve()
  let isDamaged = false
  return {
    took: (piece) => {
      if (decoder === undefined) {
        const begun = decoderOf(encoding, piece)
        if (begun === undefined) return
        decoder = begun
        begun.on("data", (text: Buffer) => answer.took(text))
        // What is damaged is recorded as far as it could be read, and breaks off there: given again as whole, it would be another answer.
        begun.on("error", () => {
          isDamaged = true
        })
        read = new Promise((resolve) => begun.on("end", resolve).on("error", () => resolve()))
      }
      if (!decoder.destroyed) decoder.write(piece)
    },
    ended: async (how, abortedBy) => {
      if (decoder !== undefined && !decoder.destroyed) decoder.end()
      await read
      await answer.ended(isDamaged && how === "clean" ? "cut" : how, abortedBy)
    },
  }
}

const decoderOf = (encoding: string, [first = 0]: Uint8Array) => DECODERS[encoding.trim().toLowerCase()]?.(first)
