/** Writes a stream as lines of JSON (application/x-ndjson). */

import type { ServerResponse } from "node:http"
import { Effect, Stream } from "effect"
import { writeText } from "./Messages.ts"

/** Writes the lines until the stream ends, at the client's pace. */
export const write = <E, R>(response: ServerResponse, lines: Stream.Stream<object, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" })
    yield* Stream.runForEachChunk(lines, (chunk) =>
      writeText(response, Array.from(chunk, (line) => `${JSON.stringify(line)}\n`).join("")),
    )
    response.end()
  })
