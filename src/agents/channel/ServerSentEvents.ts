/** Writes what a channel tells as server-sent events (WHATWG HTML, section 9.2). */

import type { ServerResponse } from "node:http"
import { Effect, Stream } from "effect"
import type { ChannelEvent } from "./ChannelEvent.ts"
import { SAFE_HEADERS } from "./HttpMessages.ts"

/**
 * Writes events until the stream fails or the effect is interrupted. Each has its cursor as its id, so that a client
 * that sends the last id goes on after it. A comment shows, every so often, that the connection lives.
 */
export const write = <E>(
  response: ServerResponse,
  events: Stream.Stream<ChannelEvent, E>,
  heartbeatMs: number,
): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...SAFE_HEADERS })
    const heartbeat = Effect.forever(Effect.delay(writeText(response, ": alive\n\n"), heartbeatMs))
    const told = Stream.runForEachChunk(events, (chunk) => writeText(response, Array.from(chunk, messageOf).join("")))
    return Effect.zipRight(writeText(response, ": connected\n\n"), Effect.raceFirst(told, heartbeat))
  })

/** One event. Its data is JSON, which has no line breaks. */
const messageOf = ({ cursor, ...event }: ChannelEvent): string =>
  `id: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, cursor })}\n\n`

/** Writes text, and waits where the client reads slowly. */
const writeText = (response: ServerResponse, text: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (response.write(text)) return resume(Effect.void)
    const onDrain = () => resume(Effect.void)
    response.once("drain", onDrain)
    return Effect.sync(() => response.off("drain", onDrain))
  })
