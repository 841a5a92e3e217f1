/** Passes the body of a response on, piece by piece as it comes. */

import type { AnswerBody, AnswerEnd } from "./Exchange.ts"

/**
 * Passes a body on. A piece is passed on before anything is done with it; only the end of the body waits for its recording,
 * and if that fails, the body ends in its error.
 *
 * @param signal the program's, which may end the body
 * @param endOf how a body ended that came to its end
 */
export const pass = (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | null | undefined,
  { took, ended }: AnswerBody,
  endOf: () => Promise<AnswerEnd> = async () => "clean",
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream({
    type: "bytes",
    pull: async (controller) => {
      let read: Awaited<ReturnType<typeof reader.read>>
      try {
        // A stream that is asked for a piece is not asked again before it has given one: an empty piece is none.
        do read = await reader.read()
        while (!read.done && read.value.byteLength === 0)
      } catch (error) {
        await (signal?.aborted === true ? ended("cancelled", error) : ended("cut"))
        throw error
      }
      if (read.done) {
        await ended(await endOf())
        controller.close()
        // A reader that brought its own buffer waits for it.
        controller.byobRequest?.respond(0)
        return
      }
      // The memory of what is passed on is handed over, and the piece may be a part of a larger memory.
      controller.enqueue(new Uint8Array(read.value))
      took(read.value)
    },
    cancel: async (reason) => {
      await Promise.all([ended("cancelled"), reader.cancel(reason)])
    },
  })
}
