/** Passes the body of a response on, piece by piece as it comes, and keeps it. */

import type { Chunk } from "../../agents/models/Cassette.ts"
import { chunkOf } from "../../agents/models/Cassette.ts"
import { MOST_KEPT } from "./HttpMessage.ts"

/** A body as far as the program got it. */
export interface KeptBody {
  readonly chunks: ReadonlyArray<Chunk>
  readonly end: "clean" | "cut" | "cancelled" | "open"
  /** What the program's signal ended it with. */
  readonly abortedBy?: unknown
  readonly isTooLarge: boolean
}

/** A body that is passed on. */
export interface PassedBody {
  readonly stream: ReadableStream<Uint8Array>
  /** Keeps a body that is still open as far as it came. */
  readonly leave: () => Promise<void>
}

/**
 * Passes a body on. A piece is passed on before anything is done with it; only the end of the body waits for `keep`.
 *
 * @param signal the program's, which may end the body
 * @param keep called once, when the body ends, however it ends. If it fails, the body ends in its error.
 */
export const pass = (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | null | undefined,
  keep: (kept: KeptBody) => Promise<void>,
): PassedBody => {
  const [reader, startedAt] = [body.getReader(), performance.now()]
  const chunks: Array<Chunk> = []
  let size = 0
  let ended: Promise<void> | undefined
  const end = (how: KeptBody["end"], more: Pick<KeptBody, "abortedBy"> = {}) => {
    ended ??= keep({ chunks, end: how, isTooLarge: size > MOST_KEPT, ...more })
    return ended
  }
  const take = (piece: Uint8Array) => {
    size += piece.byteLength
    if (size <= MOST_KEPT) chunks.push(chunkOf(Math.round(performance.now() - startedAt), piece))
    else chunks.length = 0
  }
  const stream = new ReadableStream({
    type: "bytes",
    pull: async (controller) => {
      let read: Awaited<ReturnType<typeof reader.read>>
      try {
        // A stream that is asked for a piece is not asked again before it has given one: an empty piece is none.
        do read = await reader.read()
        while (!read.done && read.value.byteLength === 0)
      } catch (error) {
        await (signal?.aborted === true ? end("cancelled", { abortedBy: error }) : end("cut"))
        throw error
      }
      if (read.done) {
        await end("clean")
        controller.close()
        // A reader that brought its own buffer waits for it.
        controller.byobRequest?.respond(0)
        return
      }
      // The memory of what is passed on is handed over, and the piece may be a part of a larger memory.
      controller.enqueue(new Uint8Array(read.value))
      take(read.value)
    },
    cancel: async (reason) => {
      await Promise.all([end("cancelled"), reader.cancel(reason)])
    },
  })
  return { stream, leave: () => end("open") }
}
