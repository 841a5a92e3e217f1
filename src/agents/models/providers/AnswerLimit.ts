/** Bounds the answers of a server: a stream without end would take all of the program's memory. */

import type { Fetch } from "../Fetch.ts"

/** Maximum length of an answer, in characters: several times any model's output, and less than an event holds. */
export const LONGEST_ANSWER = 4 * 1024 * 1024

/** Maximum line of a stream, in bytes. Providers' packages keep a line until it is whole. */
const LARGEST_LINE = 16 * 1024 * 1024

/** Maximum body of an answer, in bytes: a stream has some hundred bytes for each word. */
const LARGEST_BODY = 512 * 1024 * 1024

const LARGEST_ERROR = 1024 * 1024

/**
 * No `Response` can have a larger status (Fetch, §5.5), though servers may send one. Each is an error of the server.
 */
const LARGEST_STATUS = 599

/** The answer exceeds a limit. `Failure.classify` knows this error by its name. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong"
  constructor(what: string, limit: number, unit: string) {
    super(`The answer is too long: ${what} has more than ${limit} ${unit}; limit it by maxOutputTokens`)
  }
}

/** A `fetch` whose answers break off with `AnswerTooLong` if their bodies are too large. */
export const bounded =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const { body, status, statusText, headers, ok } = response
    if (body === null) return response
    return new Response(limited(body, ok ? LARGEST_BODY : LARGEST_ERROR), {
      status: Math.min(status, LARGEST_STATUS),
      statusText,
      headers,
    })
  }

const LINE_FEED = 10

/** Hot path: a reading stream passes a piece on in fewer steps than a transforming one. */
const limited = (source: ReadableStream<Uint8Array>, largest: number): ReadableStream<Uint8Array> => {
  let [body, line] = [0, 0]
  const problemIn = (chunk: Uint8Array): AnswerTooLong | undefined => {
    body += chunk.length
    if (body > largest) return new AnswerTooLong("its body", largest, "bytes")
    const end = chunk.lastIndexOf(LINE_FEED)
    line = end === -1 ? line + chunk.length : chunk.length - end - 1
    return line > LARGEST_LINE ? new AnswerTooLong("a line of it", LARGEST_LINE, "bytes") : undefined
  }
  const reader = source.getReader()
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        const problem = problemIn(value)
        if (problem === undefined) return controller.enqueue(value)
        controller.error(problem)
        // The answer has failed already, so the result of the cancellation does not matter.
        reader.cancel(problem).catch(() => {})
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
