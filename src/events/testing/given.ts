/** Fixtures of the conformance suite: requests, ids, and short forms for reads. */

import { Effect, Stream } from "effect"
import type { AppendRequest, EventLog, LogError, Query } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"

/** A test on a new, empty log. `timeout` is in milliseconds. */
export type Test = (behaviour: string, body: Effect.Effect<void, unknown, EventLog>, timeout?: number) => void

/** For callers that choose their own ids. */
export const ID_1 = "01890a5d-ac96-774b-bcce-b302099a8057"
export const ID_2 = "01890a5d-ac96-774b-bcce-b302099a8058"

/** An append of notes with these texts to one stream. */
export const note = (stream: string, texts: ReadonlyArray<string>): AppendRequest => ({
  stream,
  actor: "human:test",
  events: texts.map((text) => ({ type: "NoteAdded" as const, payload: { about: stream, text } })),
})

/** An append of `count` notes, numbered from 1. */
export const notes = (stream: string, count: number): AppendRequest =>
  note(
    stream,
    Array.from({ length: count }, (_, index) => String(index + 1)),
  )

export const withIds = (request: AppendRequest, ids: ReadonlyArray<string>): AppendRequest => ({
  ...request,
  events: request.events.map((event, index) => ({ ...event, id: ids[index] ?? "" })),
})

export const readAll = (log: EventLog.Service, query?: Query): Effect.Effect<ReadonlyArray<Event>, LogError> =>
  Effect.map(Stream.runCollect(log.read(query)), (events) => [...events])

export const textOf = (event: Event) => event.payload.text

/** The hash covers everything else. */
export const identity = ({ position, hash }: Event): string => `${position} ${hash}`
