/** Bounds what one answer of a server may be: a stream that does not end would take all of the program's memory. */

import type { Fetch } from "../Fetch.ts"

/** Longest answer, in characters: several times what any model writes, and less than an event holds. */
export const LONGEST_ANSWER = 4 * 1024 * 1024

/** Largest line of a stream, in bytes. Providers' packages keep a line until it is whole. */
const LARGEST_LINE = 16 * 1024 * 1024

/** Largest body of an answer, in bytes: a stream has some hundred bytes for each word. */
const LARGEST_BODY = 512 * 1024 * 1024

/** Largest body of an answer that is an error, in bytes. */
const LARGEST_ERROR = 1024 * 1024

/** Servers may send a larger status, but none can be made (Fetch, §5.5). Each is an error of the server. */
const LARGEST_STATUS = 599

/** The server sent more than an answer can be. `Failure.classify` knows it by its name. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong"
  constructor(what: string, limit: number, unit: string) {
    super(`The answer is too long: ${what} has more than ${limit} ${unit}; limit it by maxOutputTokens`)
  }
}

/** A `fetch` whose answers break off with `AnswerTooLong` where their bodies are too large. */
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
