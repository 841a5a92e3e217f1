/** Passes a response body on and records it on the way. */

import type { AnswerBody, AnswerEnd } from "./Exchange.ts"

/**
 * Each piece is passed on before it is recorded. Only the end waits for the log; if recording fails, the body ends with
 * that error.
 *
 * @param signal the program's abort signal
 * @param endOf how a body ended whose stream ended cleanly
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
        // A byte stream is not pulled again until it enqueues something, so skip empty pieces.
        do read = await reader.read()
        while (!read.done && read.value.byteLength === 0)
      } catch (error) {
        await (signal?.aborted === true ? ended("cancelled", error) : ended("cut"))
        throw error
      }
      if (read.done) {
        await ended(await endOf())
        controller.close()
        // Releases a reader that passed its own buffer.
        controller.byobRequest?.respond(0)
        return
      }
      // Copies: `enqueue` transfers the buffer, which may be shared.
      controller.enqueue(new Uint8Array(read.value))
      took(read.value)
    },
    cancel: async (reason) => {
      await Promise.all([ended("cancelled"), reader.cancel(reason)])
    },
  })
}
