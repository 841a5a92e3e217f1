/** Writes server-sent events (WHATWG HTML, section 9.2). */

import type { ServerResponse } from "node:http"
import { Effect, Stream } from "effect"
import { SAFE_HEADERS, writeText } from "./Messages.ts"

export interface ServerSentEvent {
  /** A reconnecting client sends it to continue after this event. */
  readonly id: string | number
  readonly type: string
  /** Sent as JSON, which has no line breaks. */
  readonly data: object
}

/**
 * Writes events until the stream fails or the effect is interrupted. Regular comments show that the connection is
 * alive.
 */
export const write = <E, R>(
  response: ServerResponse,
  events: Stream.Stream<ServerSentEvent, E, R>,
  heartbeatMs: number,
): Effect.Effect<void, E, R> =>
  Effect.suspend(() => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...SAFE_HEADERS })
    const heartbeat = Effect.forever(Effect.delay(writeText(response, ": alive\n\n"), heartbeatMs))
    const told = Stream.runForEachChunk(events, (chunk) => writeText(response, Array.from(chunk, messageOf).join("")))
    return Effect.zipRight(writeText(response, ": connected\n\n"), Effect.raceFirst(told, heartbeat))
  })

const messageOf = ({ id, type, data }: ServerSentEvent): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
