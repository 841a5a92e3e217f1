/**
 * A response that is given again, and whose encoding broke off. A `fetch` reads such a body as if it were whole; what another client makes
 * of it is the client's own: it gets the body encoded again, without its end.
 */

import * as zlib from "node:zlib"

const encodings = new WeakMap<Response, string>()

/** Notes in which encoding the body of a response broke off. */
export const note = (response: Response, encoding: string | undefined): Response => {
  if (encoding !== undefined) encodings.set(response, encoding)
  return response
}

/** What a client is sent of a response. */
interface Sent {
  /** The headers that say how the body is encoded; none where it is not. */
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The body of a response as its server sent it. */
export const sent = async (response: Response): Promise<Sent> => {
  const encoding = encodings.get(response)
  const encode = ENCODERS[encoding?.trim().toLowerCase() ?? ""]
  if (encoding === undefined || encode === undefined) return { headers: [], body: response.body ?? [] }
  const text = new Uint8Array(await response.arrayBuffer())
  return { headers: [["content-encoding", encoding]], body: [encode(text)] }
}

const BEGUN = { finishFlush: zlib.constants.Z_SYNC_FLUSH }

/** Encoded without an end. */
const ENCODERS: { readonly [encoding: string]: ((text: Uint8Array) => Uint8Array) | undefined } = {
  gzip: (text) => zlib.gzipSync(text, BEGUN),
  "x-gzip": (text) => zlib.gzipSync(text, BEGUN),
  deflate: (text) => zlib.deflateSync(text, BEGUN),
  br: (text) => zlib.brotliCompressSync(text, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
}
