/** Reads a request's body, in bounded memory. */

import type { IncomingMessage } from "node:http"
import { promisify } from "node:util"
import * as zlib from "node:zlib"

/** Maximum size of a body in bytes, as sent and decompressed: 64 MiB. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

export type ReadBody =
  | {
      readonly kind: "read"
      readonly raw: Buffer
      readonly bytes: Buffer
    }
  | {
      readonly kind: "refused"
      readonly status: 400 | 413 | 415 | 429
      readonly expected: string
      readonly found: string
    }

/** Bounds the bytes of all bodies in progress. */
export class BodyBudget {
  readonly #most: number
  #used = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Takes bytes; returns whether they fit. */
  take(bytes: number): boolean {
    this.#used += bytes
    return this.#used <= this.#most
  }

  giveBack(bytes: number): void {
    this.#used -= bytes
  }
}

const TOO_LARGE = {
  kind: "refused",
  status: 413,
  expected: `a body of at most ${MAX_BODY_BYTES} bytes, also decompressed`,
  found: "more",
} as const

/** @returns the body as sent and decompressed; `release` gives its bytes back to the budget */
export const readBody = async (
  request: IncomingMessage,
  budget: BodyBudget,
): Promise<{ readonly body: ReadBody; readonly release: () => void }> => {
  let taken = 0
  const take = (bytes: number) => {
    taken += bytes
    return budget.take(bytes)
  }
  const release = () => {
    budget.giveBack(taken)
    taken = 0
  }
  const body = await read(request, take)
  if (body.kind === "refused") release()
  return { body, release }
}

const BUSY = {
  kind: "refused",
  status: 429,
  expected: "fewer bytes at once",
  found: "more than this process holds in memory",
} as const

const read = async (request: IncomingMessage, take: (bytes: number) => boolean): Promise<ReadBody> => {
  const encoding = String(request.headers["content-encoding"] ?? "identity")
    .trim()
    .toLowerCase()
  const decompress = DECOMPRESSORS.get(encoding)
  if (decompress === undefined)
    return { kind: "refused", status: 415, expected: "a content encoding of gzip, deflate or none", found: encoding }
  const pieces: Array<Buffer> = []
  let size = 0
  let refused: ReadBody | undefined
  try {
    for await (const piece of request) {
      // The rest after a refusal is read and dropped, so that the client gets the answer.
      if (refused !== undefined) continue
      size += piece.length
      if (size > MAX_BODY_BYTES) refused = TOO_LARGE
      else if (!take(piece.length)) refused = BUSY
      if (refused === undefined) pieces.push(piece)
      else pieces.length = 0
    }
  } catch {
    return { kind: "refused", status: 400, expected: "a complete body", found: "a truncated one" }
  }
  if (refused !== undefined) return refused
  const raw = Buffer.concat(pieces)
  try {
    const bytes = await decompress(raw)
    return bytes === raw || take(bytes.length) ? { kind: "read", raw, bytes } : BUSY
  } catch (cause) {
    const isLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
    return isLarge
      ? TOO_LARGE
      : { kind: "refused", status: 400, expected: `a body in ${encoding}`, found: "other bytes" }
  }
}

const LIMIT = { maxOutputLength: MAX_BODY_BYTES }

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)

const DECOMPRESSORS: ReadonlyMap<string, (raw: Buffer) => Promise<Buffer>> = new Map([
  ["identity", (raw) => Promise.resolve(raw)],
  ["gzip", (raw) => gunzip(raw, LIMIT)],
  ["deflate", (raw) => inflate(raw, LIMIT)],
])
