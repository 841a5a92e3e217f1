/** Logs that `hindcast demo --tasks` makes, event by event. */
import { Effect, Stream } from "effect"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"

/** All events of a log. */
export const everything = (filename: string): Promise<ReadonlyArray<Event>> =>
  Effect.flatMap(EventLog, (log) => Stream.runCollect(log.read())).pipe(
    Effect.map((events) => [...events]),
    Effect.provide(layerSqlite({ filename, readonly: true })),
    Effect.runPromise,
  )

/** The events of a log that are otherwise in another, but for ids, times, processes and paths; and those that one of them has alone. */
export const differing = (events: ReadonlyArray<Event>, others: ReadonlyArray<Event>): ReadonlyArray<Event> => [
  ...events.filter((event, index) => {
    const other = others[index]
    return other === undefined || withoutChance(event) !== withoutChance(other)
  }),
  ...others.slice(events.length),
]

/** What an event says, without what differs from one time to another. */
const withoutChance = ({ position, type, stream, version, taskId, actor, payload }: Event): string =>
  JSON.stringify({ position, type, stream, version, taskId, actor, payload })
    .replaceAll(/[^",=]+\.db(?=\.plugins|\.workspace)/g, "")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\/\d+)?/g, "")
    .replaceAll(/"(pid|latencyMs|waitedMs|expiresAt|changedSince|requestId|shownDigest)":[^,}]+/g, "")
