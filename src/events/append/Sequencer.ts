/**
 * Sequences a batch of appends, a pure function for all backends: checks expected versions and retries, and assigns
 * positions, versions, times and hashes.
 */

import canonicalize from "canonicalize"
import { Either } from "effect"
import * as Chain from "../integrity/Chain.ts"
import { type Appended, Exact, type ExpectedVersion, IdReused, type Query, VersionConflict } from "../log/EventLog.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { ValidatedAppend, ValidatedEvent, ValidatedPart } from "./AppendValidation.ts"

export interface LogState {
  readonly head: Head
  /** The last version of a stream, 0 if empty. Called only for streams of the batch and its fences. */
  readonly version: (timeline: string, stream: string) => number
  /** The event with this id. Called only for ids that a caller chose. */
  readonly find: (id: string) => Event | undefined
}

/** The result of one request. A conflict has no missed events yet; `toResult` reads them. */
export type Placement =
  | { readonly kind: "placed"; readonly events: ReadonlyArray<Event> }
  | { readonly kind: "already there"; readonly events: ReadonlyArray<Event> }
  | {
      readonly kind: "conflict"
      readonly on: ConflictingStream
      readonly expected: ExpectedVersion
      readonly actual: number
    }
  | { readonly kind: "id reused"; readonly id: string; readonly position: number }

/** The stream in conflict: the request's own, or its fence's. */
type ConflictingStream = Pick<ValidatedAppend, "timeline" | "stream">

/** The rows to write, and the placement of each request, in the given order. */
export interface Sequenced {
  readonly rows: ReadonlyArray<Event>
  /** By row. */
  readonly validated: ReadonlyArray<ValidatedEvent>
  readonly placements: ReadonlyArray<Placement>
  readonly head: Head
  /** The last versions of streams with new events, by `streamKey`. */
  readonly versions: ReadonlyMap<string, number>
}

export const streamKey = (timeline: string, stream: string): string => `${timeline}\0${stream}`

/**
 * Sequences a batch, request by request. A conflict gets no positions and does not affect other requests. If another
 * process appended first, the backend sequences the batch again.
 */
export const sequence = (log: LogState, requests: ReadonlyArray<ValidatedAppend>, now: number): Sequenced => {
  const rows: Array<Event> = []
  const validatedEvents: Array<ValidatedEvent> = []
  const versions = new Map<string, number>()
  const placedIds = new Map<string, Event>()
  let head = log.head

  const find = (id: string) => placedIds.get(id) ?? log.find(id)

  const place = (request: ValidatedAppend): Placement => {
    const earlier = findEarlier(request, find) ?? reusedIn(request.with, find)
    if (earlier !== undefined) return earlier
    const { fence, expected } = request
    if (fence !== null) {
      const actual = versions.get(streamKey(fence.timeline, fence.stream)) ?? log.version(fence.timeline, fence.stream)
      if (actual !== fence.version) return { kind: "conflict", on: fence, expected: Exact(fence.version), actual }
    }
    const version = versionOf(request)
    if (expected !== null && !meets(expected, version)) {
      return { kind: "conflict", on: request, expected, actual: version }
    }
    const events = placeEvents(request)
    for (const part of request.with) placeEvents(part)
    return { kind: "placed", events }
  }

  const versionOf = ({ timeline, stream }: ValidatedPart) =>
    versions.get(streamKey(timeline, stream)) ?? log.version(timeline, stream)

  const placeEvents = (part: ValidatedPart): ReadonlyArray<Event> => {
    let version = versionOf(part)
    const events: Array<Event> = []
    for (const validated of part.events) {
      version += 1
      const event = envelope(part, validated, head, version, now)
      head = { position: event.position, hash: event.hash }
      events.push(event)
      rows.push(event)
      validatedEvents.push(validated)
      if (validated.idGiven) placedIds.set(event.id, event)
    }
    versions.set(streamKey(part.timeline, part.stream), version)
    return events
  }

  const placements = requests.map(place)
  return { rows, validated: validatedEvents, placements, head, versions }
}

const meets = (expected: ExpectedVersion, version: number): boolean => {
  switch (expected._tag) {
    case "Any":
      return true
    case "NoStream":
      return version === 0
    case "Exists":
      return version > 0
    case "Exact":
      return version === expected.version
  }
}

const envelope = (
  request: ValidatedPart,
  validated: ValidatedEvent,
  head: Head,
  version: number,
  now: number,
): Event => {
  const event = {
    position: head.position + 1,
    id: validated.id,
    timeline: request.timeline,
    stream: request.stream,
    version,
    type: validated.type,
    schemaVersion: validated.schemaVersion,
    taskId: request.taskId,
    causationId: validated.causationId,
    actor: validated.actor ?? request.actor,
    occurredAt: validated.occurredAt ?? now,
    recordedAt: now,
    payload: validated.payload,
    hash: "",
  }
  const keyId = validated.encrypted?.keyId ?? null
  event.hash = Chain.link(head.hash, event, validated.stored, keyId)
  return keyId === null ? event : { ...event, personal: { keyId, readable: true } }
}

/**
 * Detects a retry: the log contains the ids of all events of the request, with the same content. If it contains only
 * some, or the content differs, an id was reused.
 */
const findEarlier = (request: ValidatedAppend, find: (id: string) => Event | undefined): Placement | undefined => {
  if (!request.events.some(({ idGiven }) => idGiven)) return undefined
  const earlier = request.events.map((event) => (event.idGiven ? find(event.id) : undefined))
  const known = earlier.filter((event) => event !== undefined)
  const [first] = known
  if (first === undefined) return undefined
  for (const [index, event] of earlier.entries()) {
    const validated = request.events[index]
    if (event === undefined || validated === undefined) continue
    if (!sameContent(request, validated, event)) return { kind: "id reused", id: event.id, position: event.position }
  }
  return known.length === request.events.length
    ? { kind: "already there", events: known }
    : { kind: "id reused", id: first.id, position: first.position }
}

/** Finds an id of a part's events in the log, although the request's own events are new. */
const reusedIn = (
  parts: ReadonlyArray<ValidatedPart>,
  find: (id: string) => Event | undefined,
): Placement | undefined => {
  if (parts.length === 0) return undefined
  for (const { id, idGiven } of parts.flatMap(({ events }) => events)) {
    const event = idGiven ? find(id) : undefined
    if (event !== undefined) return { kind: "id reused", id, position: event.position }
  }
  return undefined
}

const sameContent = (request: ValidatedAppend, validated: ValidatedEvent, event: Event): boolean =>
  event.timeline === request.timeline &&
  event.stream === request.stream &&
  event.type === validated.type &&
  event.taskId === request.taskId &&
  event.causationId === validated.causationId &&
  event.actor === (validated.actor ?? request.actor) &&
  (validated.occurredAt === null || event.occurredAt === validated.occurredAt) &&
  isSameJson(JSON.stringify(event.payload), textAsReadable(validated, event))

/**
 * A retrying program may build the payload with keys in another order, so differing texts are compared in canonical
 * form (RFC 8785).
 */
const isSameJson = (a: string, b: string): boolean =>
  a === b || canonicalize(JSON.parse(a)) === canonicalize(JSON.parse(b))

/** If the key is destroyed, the stored event has lost its personal fields; compare without them. */
const textAsReadable = ({ text, encrypted }: ValidatedEvent, { personal }: Event): string =>
  personal?.readable === false && encrypted !== null ? encrypted.textWithoutKey : text

const MAX_MISSED = 1000

export type ReadMissed = (query: Query, limit: number) => ReadonlyArray<Event>

/** Caches `read` for one batch, because many conflicts may miss the same events. Each caller gets a copy. */
export const readingOnce = (read: ReadMissed): ReadMissed => {
  const known = new Map<string, ReadonlyArray<Event>>()
  return (query, limit) => {
    const key = JSON.stringify([query, limit])
    const before = known.get(key)
    if (before !== undefined) return structuredClone(before)
    const events = read(query, limit)
    known.set(key, events)
    return events
  }
}

/** Reads the missed events of a conflict. */
export const toResult = (
  placement: Placement | undefined,
  read: ReadMissed,
): Either.Either<Appended, VersionConflict | IdReused> => {
  switch (placement?.kind) {
    case undefined:
      throw new Error("a request of the batch was not placed")
    case "placed":
    case "already there": {
      const { events } = placement
      const last = events.at(-1)
      if (last === undefined) throw new Error("an append was placed without events")
      return Either.right({ position: last.position, version: last.version, events })
    }
    case "conflict": {
      const { on, expected, actual } = placement
      const { timeline, stream } = on
      const afterVersion = expected._tag === "Exact" ? expected.version : 0
      // Excludes events that the rest of the batch has appended since.
      const count = Math.min(actual - afterVersion, MAX_MISSED)
      const missed = count <= 0 ? [] : read({ timeline, stream, afterVersion }, count)
      return Either.left(new VersionConflict({ stream, expected, actual, missed }))
    }
    case "id reused":
      return Either.left(new IdReused({ id: placement.id, position: placement.position }))
  }
}
