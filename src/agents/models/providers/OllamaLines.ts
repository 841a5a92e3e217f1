/**
 * Checks the lines of Ollama's answers before its package reads them. The package skips a line that it cannot read, so
 * that an answer with a hole would look whole, and a server's error like an answer that broke off.
 */

import { Schema } from "effect"
import { parseJson } from "../../../values/Json.ts"
import { fieldOf, textOf } from "../../../values/JsonObjects.ts"
import type { Fetch } from "../Fetch.ts"

/** A line is not a piece of an answer. `Failure.classify` knows this error by its name. */
class LineUnreadable extends Error {
  override readonly name = "LineUnreadable"
  constructor(line: string) {
    super(`expected a piece of an answer as JSON, found ${JSON.stringify(line.slice(0, MOST_SHOWN))}`)
  }
}

const MOST_SHOWN = 200

/** A `fetch` whose answers break off at an invalid line, or at the server's error. */
export const checked =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const { body, status, statusText, headers, ok } = response
    if (body === null || !ok) return response
    return new Response(body.pipeThrough(checking()), { status, statusText, headers })
  }

const checking = (): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder()
  let pending: Array<string> = []
  return new TransformStream({
    transform: (chunk, controller) => {
      const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n")
      pending.push(first)
      for (const text of others) {
        check(pending.join(""))
        pending = [text]
      }
      controller.enqueue(chunk)
    },
  })
}

const check = (line: string): void => {
  if (line.trim() === "") return
  const piece = parsed(line)
  const error = textOf(fieldOf(piece, "error"))
  if (error !== undefined) throw { message: error }
  if (!isPiece(piece)) throw new LineUnreadable(line)
}

const isPiece = Schema.is(
  Schema.Struct({
    model: Schema.String,
    created_at: Schema.String,
    done: Schema.Boolean,
    message: Schema.Struct({
      content: Schema.String,
      role: Schema.String,
      thinking: Schema.optional(Schema.String),
      tool_calls: Schema.optional(
        Schema.NullOr(
          Schema.Array(
            Schema.Struct({
              function: Schema.Struct({
                name: Schema.String,
                arguments: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
              }),
              id: Schema.optional(Schema.String),
            }),
          ),
        ),
      ),
    }),
    done_reason: Schema.optional(Schema.String),
    eval_count: Schema.optional(Schema.Number),
    prompt_eval_count: Schema.optional(Schema.Number),
  }),
)

const parsed = (line: string): unknown => {
  try {
    return parseJson(line)
  } catch {
    throw new LineUnreadable(line)
  }
}
