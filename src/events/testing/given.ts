/** Fixtures of the conformance suite: requests, ids, and short forms for reading. */

import { Effect, Stream } from "effect"
import type { AppendRequest, EventLog, LogError, Query } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"

/** One test on a new, empty log. `timeout` is in milliseconds. */
export type Test = (behaviour: string, body: Effect.Effect<void, unknown, EventLog>, timeout?: number) => void

/** Two ids for callers that choose their own. */
export const ID_1 = "01890a5d-ac96-774b-bcce-b302099a8057"
export const ID_2 = "01890a5d-ac96-774b-bcce-b302099a8058"

/** A request that appends notes with these texts to one stream. */
export const note = (stream: string, texts: ReadonlyArray<string>): AppendRequest => ({
  stream,
  actor: "human:test",
  events: texts.map((text) => ({ type: "NoteAdded" as const, payload: { about: stream, text } })),
})

/** A request that appends `count` notes, numbered from 1. */
export const notes = (stream: string, count: number): AppendRequest =>
  note(
    stream,
    Array.from({ length: count }, (_, index) => String(index + 1)),
  )

/** The request with these ids for its events. */
export const withIds = (request: AppendRequest, ids: ReadonlyArray<string>): AppendRequest => ({
  ...request,
  events: request.events.map((event, index) => ({ ...event, id: ids[index] ?? "" })),
})

/** All events of a query. */
export const readAll = (log: EventLog.Service, query?: Query): Effect.Effect<ReadonlyArray<Event>, LogError> =>
  Effect.map(Stream.runCollect(log.read(query)), (events) => [...events])

/** The text of a note. */
export const textOf = (event: Event) => event.payload.text

/** An event's position and hash. The hash covers everything else. */
export const identity = ({ position, hash }: Event): string => `${position} ${hash}`
