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
    return new Response(body.pipeThrough(limiter(ok ? LARGEST_BODY : LARGEST_ERROR)), {
      status: Math.min(status, LARGEST_STATUS),
      statusText,
      headers,
    })
  }

const LINE_FEED = 10

const limiter = (largest: number): TransformStream<Uint8Array, Uint8Array> => {
  let [body, line] = [0, 0]
  return new TransformStream({
    transform: (chunk, controller) => {
      body += chunk.length
      if (body > largest) throw new AnswerTooLong("its body", largest, "bytes")
      const end = chunk.lastIndexOf(LINE_FEED)
      line = end === -1 ? line + chunk.length : chunk.length - end - 1
      if (line > LARGEST_LINE) throw new AnswerTooLong("a line of it", LARGEST_LINE, "bytes")
      controller.enqueue(chunk)
    },
  })
}
