/** The event: its envelope, its id, and the head of a log. */

import { Schema } from "effect"
import { uuidv4, V7Generator } from "uuidv7"
import { JsonObject } from "../../values/Json.ts"
import { isClockTime } from "../../values/Time.ts"

/** An event's place in the log: 1, 2, 3 … without gaps, in commit order. Written `@412`. */
export const Position = Schema.Int.pipe(
  Schema.greaterThanOrEqualTo(1),
  Schema.annotations({ identifier: "Position", description: "Place in the log, 1 or more, without gaps" }),
)

/** Milliseconds since the Unix epoch. For people, never for ordering. */
export const EpochMs = Schema.Int.annotations({ identifier: "EpochMs", description: "Milliseconds since 1970-01-01Z" })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID (RFC 9562) in lower case. New ones are version 7, which sort roughly by time. */
export const EventId = Schema.String.pipe(
  Schema.pattern(UUID),
  Schema.annotations({ identifier: "EventId", description: "UUID in lower case, version 7 if Hindcast made it" }),
)

export const isEventId = (value: unknown): value is string => typeof value === "string" && UUID.test(value)

/**
 * Creates a UUID of version 7. If the machine's clock is out of their range, it is of version 4, and the append then
 * fails because of the clock.
 */
export const newId = (): string => (isClockTime(Date.now()) ? ids.generate().toString() : uuidv4())

/** Random numbers in bulk: asking the system for a few at a time costs more than the rest of an id. */
const random = new Uint32Array(1024)
let used = random.length

const nextUint32 = (): number => {
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  const next = random[used] ?? 0
  // Leaves no id's random numbers in memory.
  random[used++] = 0
  return next
}

const ids = new V7Generator({ nextUint32 })

/**
 * An immutable event: the envelope, and a payload by the vocabulary's schema. Its encoded form equals its decoded form,
 * plain JSON throughout, so `JSON.stringify` stores it and `JSON.parse` reads it.
 */
export const Event = Schema.Struct({
  position: Position,
  id: EventId,
  timeline: Schema.String.annotations({ description: "`main`, or a fork's name" }),
  stream: Schema.String.annotations({ description: "The subject: `task/<id>`, `plugin/<name>`, `kernel` …" }),
  version: Schema.Int.annotations({ description: "Count within the stream and timeline, from 1, without gaps" }),
  type: Schema.String.annotations({ description: "Name in the vocabulary" }),
  schemaVersion: Schema.Int.annotations({ description: "Version of the payload's schema" }),
  taskId: Schema.NullOr(Schema.String).annotations({ description: "The task it belongs to" }),
  causationId: Schema.NullOr(EventId).annotations({ description: "The event that made this one happen" }),
  actor: Schema.String.annotations({
    description: "Who did it: `kernel`, `plugin:<name>@<version>`, `agent:<name>` …",
  }),
  occurredAt: EpochMs.annotations({ description: "The source's clock" }),
  recordedAt: EpochMs.annotations({ description: "The log's clock" }),
  payload: JsonObject,
  personal: Schema.optionalWith(
    Schema.Struct({
      keyId: Schema.String.annotations({ description: "The key that its personal fields are encrypted with" }),
      readable: Schema.Boolean.annotations({
        description: "Whether that key is available; without it, the fields are unreadable",
      }),
    }),
    { exact: true },
  ).annotations({ description: "Only if the payload has encrypted fields" }),
  hash: Schema.String.annotations({ description: "The chain's link: SHA-256, 64 hexadecimal digits" }),
}).annotations({ identifier: "Event" })

export interface Event extends Schema.Schema.Type<typeof Event> {}

/** The end of a log. An empty log's head has position 0 and the hash `Chain.GENESIS`. */
export interface Head {
  readonly position: number
  readonly hash: string
}
