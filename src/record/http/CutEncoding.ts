/**
 * Replays responses whose compressed body ended early. `fetch` reads such a body as if it were whole; other clients may
 * fail, so they get it compressed again, without its end.
 */

import * as zlib from "node:zlib"

const encodings = new WeakMap<Response, string>()

/** Remembers the encoding in which a response's body broke off. */
export const note = (response: Response, encoding: string | undefined): Response => {
  if (encoding !== undefined) encodings.set(response, encoding)
  return response
}

interface Sent {
  /** The `content-encoding` header; none for a plain body. */
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The body as the server sent it. */
export const sent = async (response: Response): Promise<Sent> => {
  const encoding = encodings.get(response)
  const encode = ENCODERS[encoding?.trim().toLowerCase() ?? ""]
  if (encoding === undefined || encode === undefined) return { headers: [], body: response.body ?? [] }
  const text = new Uint8Array(await response.arrayBuffer())
  return { headers: [["content-encoding", encoding]], body: [encode(text)] }
}

const BEGUN = { finishFlush: zlib.constants.Z_SYNC_FLUSH }

/** Encoders that write no end. */
const ENCODERS: { readonly [encoding: string]: ((text: Uint8Array) => Uint8Array) | undefined } = {
  gzip: (text) => zlib.gzipSync(text, BEGUN),
  "x-gzip": (text) => zlib.gzipSync(text, BEGUN),
  deflate: (text) => zlib.deflateSync(text, BEGUN),
  br: (text) => zlib.brotliCompressSync(text, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
}
