import * as crypto from "node:crypto"
import type { NewEvent } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import type { CoreName, PayloadOf } from "../../src/events/vocabulary/Vocabulary.ts"
import { fold, type Projection } from "../../src/projections/fold/Projection.ts"

/** What a test says of an event beside its type and payload; the rest is filled in. */
export type Envelope = Partial<Omit<Event, "type" | "payload">>

/** An event before it has a place. */
export interface Unplaced {
  readonly type: string
  readonly payload: Event["payload"]
  readonly envelope: Envelope
}

/** A core event. */
export const event = <Name extends CoreName>(
  type: Name,
  payload: PayloadOf<Name>,
  envelope: Envelope = {},
): Unplaced => ({
  type,
  payload,
  envelope,
})

/** An event of a type that no fold here knows. */
export const unknownEvent = (envelope: Envelope = {}): Unplaced => ({
  type: "acme/Unheard",
  payload: { a: 1 },
  envelope,
})

/** The same events, all of one task. */
export const inTask = (taskId: string, events: ReadonlyArray<Unplaced>): ReadonlyArray<Unplaced> =>
  events.map((each) => ({ ...each, envelope: { taskId, ...each.envelope } }))

/** When the first event is recorded; each later one follows after a second. */
export const START = Date.UTC(2026, 0, 1)

/** Gives events their places, from 1 on, as an otherwise empty log would. Confirmations have a stream each. */
export const place = (events: ReadonlyArray<Unplaced>): ReadonlyArray<Event> => {
  const versions = new Map<string, number>()
  return events.map(({ type, payload, envelope }, index) => ({
    position: index + 1,
    id: idOf(index + 1),
    timeline: "main",
    ...placeInStream(versions, envelope.stream ?? streamOf(payload)),
    type,
    schemaVersion: 1,
    taskId: null,
    causationId: null,
    actor: "test",
    occurredAt: START + index * 1_000,
    recordedAt: START + index * 1_000,
    payload: deepFreeze(payload),
    hash: "0".repeat(64),
    ...envelope,
  }))
}

const placeInStream = (versions: Map<string, number>, stream: string) => {
  const version = (versions.get(stream) ?? 0) + 1
  versions.set(stream, version)
  return { stream, version }
}

const streamOf = ({ confirmationId }: Event["payload"]): string =>
  typeof confirmationId === "string" ? `confirmation/${confirmationId}` : "test"

/** The id that `place` gives to the event at a position. */
export const idOf = (position: number): string => `00000000-0000-7000-8000-${String(position).padStart(12, "0")}`

/** Given these events, then this is the state of a projection. */
export const given = <S>(projection: Projection<S>, events: ReadonlyArray<Unplaced>): S =>
  fold(projection, place(events))

/** As requests to a log, one for each event. */
export const requestOf = ({ type, payload, envelope }: Unplaced) => ({
  stream:
    typeof payload.confirmationId === "string" || envelope.taskId == null
      ? streamOf(payload)
      : `task/${envelope.taskId}`,
  actor: envelope.actor ?? "test",
  taskId: envelope.taskId ?? null,
  ...(envelope.timeline === undefined ? {} : { timeline: envelope.timeline }),
  events: [
    {
      type,
      payload,
      ...(envelope.id === undefined ? {} : { id: envelope.id }),
      ...(envelope.causationId === undefined ? {} : { causationId: envelope.causationId }),
    } satisfies NewEvent,
  ],
})

/** A digest of the right shape. */
export const sha = (text: string): string => crypto.hash("sha256", text, "hex")

/** The value, with everything in it made immutable, so that a fold that changes its input throws. */
export const deepFreeze = <Value>(value: Value): Value => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
