import canonicalize from "canonicalize"
import { Either } from "effect"
import * as Chain from "../integrity/Chain.ts"
import { type Appended, Exact, type Expected, IdReused, type Query, VersionConflict } from "../log/EventLog.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { ValidatedAppend, ValidatedEvent } from "./AppendValidation.ts"

/** What must be known of the log to place a batch: exactly as of `head`. */
export interface LogState {
  readonly head: Head
  /** Last version of a stream, 0 where it has no event; asked only for the streams in the batch. */
  readonly version: (timeline: string, stream: string) => number
  /** The event that has this id, asked only for ids that a caller chose. */
  readonly find: (id: string) => Event | undefined
}

/** What became of one request of a batch. A conflict still lacks the events that were missed: the log knows them. */
export type Placement =
  | { readonly kind: "placed"; readonly events: ReadonlyArray<Event> }
  | { readonly kind: "already there"; readonly events: ReadonlyArray<Event> }
  | { readonly kind: "conflict"; readonly on: Conflicting; readonly expected: Expected; readonly actual: number }
  | { readonly kind: "id reused"; readonly id: string; readonly position: number }

/** The stream that is not where it was expected: the request's own, or that of its fence. */
type Conflicting = Pick<ValidatedAppend, "timeline" | "stream">

/** A batch in its place: what to write, and what to answer to each request, in the order given. */
export interface Sequenced {
  readonly rows: ReadonlyArray<Event>
  /** What was admitted, row by row. */
  readonly admitted: ReadonlyArray<ValidatedEvent>
  readonly placements: ReadonlyArray<Placement>
  readonly head: Head
  /** The last versions of the streams that got events, by `streamKey`. */
  readonly versions: ReadonlyMap<string, number>
}

/** One text for a stream of a timeline. */
export const streamKey = (timeline: string, stream: string): string => `${timeline}\0${stream}`

/**
 * Gives a batch of requests their places: positions, versions, times and hashes, one after another.
 *
 * Pure: a backend calls it, writes the rows, and if another writer was faster throws the result away and calls it again.
 * A request that conflicts takes no place and disturbs no other.
 */
export const sequence = (log: LogState, requests: ReadonlyArray<ValidatedAppend>, now: number): Sequenced => {
  const rows: Array<Event> = []
  const contents: Array<ValidatedEvent> = []
  const versions = new Map<string, number>()
  const placedIds = new Map<string, Event>()
  let head = log.head

  const find = (id: string) => placedIds.get(id) ?? log.find(id)

  const place = (request: ValidatedAppend): Placement => {
    const earlier = findEarlier(request, find)
    if (earlier !== undefined) return earlier
    const { fence, expected } = request
    if (fence !== null) {
      const actual = versions.get(streamKey(fence.timeline, fence.stream)) ?? log.version(fence.timeline, fence.stream)
      if (actual !== fence.version) return { kind: "conflict", on: fence, expected: Exact(fence.version), actual }
    }
    const key = streamKey(request.timeline, request.stream)
    let version = versions.get(key) ?? log.version(request.timeline, request.stream)
    if (expected !== null && !meets(expected, version)) {
      return { kind: "conflict", on: request, expected, actual: version }
    }
    const events: Array<Event> = []
    for (const admitted of request.events) {
      version += 1
      const event = envelope(request, admitted, head, version, now)
      head = { position: event.position, hash: event.hash }
      events.push(event)
      rows.push(event)
      contents.push(admitted)
      if (admitted.idGiven) placedIds.set(event.id, event)
    }
    versions.set(key, version)
    return { kind: "placed", events }
  }

  const placements = requests.map(place)
  return { rows, admitted: contents, placements, head, versions }
}

const meets = (expected: Expected, version: number): boolean => {
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
  request: ValidatedAppend,
  admitted: ValidatedEvent,
  head: Head,
  version: number,
  now: number,
): Event => {
  const event = {
    position: head.position + 1,
    id: admitted.id,
    timeline: request.timeline,
    stream: request.stream,
    version,
    type: admitted.type,
    schemaVersion: admitted.schemaVersion,
    taskId: request.taskId,
    causationId: admitted.causationId,
    actor: request.actor,
    occurredAt: admitted.occurredAt ?? now,
    recordedAt: now,
    payload: admitted.payload,
    hash: "",
  }
  const keyId = admitted.sealed?.keyId ?? null
  event.hash = Chain.link(head.hash, event, admitted.stored, keyId)
  return keyId === null ? event : { ...event, personal: { keyId, readable: true } }
}

/**
 * A retry: every event of the request carries an id that the log has, with the same content. A request of which only a
 * part is in the log, or whose content differs, reuses an id for something else.
 */
const findEarlier = (request: ValidatedAppend, find: (id: string) => Event | undefined): Placement | undefined => {
  if (!request.events.some(({ idGiven }) => idGiven)) return undefined
  const earlier = request.events.map((event) => (event.idGiven ? find(event.id) : undefined))
  const known = earlier.filter((event) => event !== undefined)
  const [first] = known
  if (first === undefined) return undefined
  for (const [index, event] of earlier.entries()) {
    const admitted = request.events[index]
    if (event === undefined || admitted === undefined) continue
    if (!sameContent(request, admitted, event)) return { kind: "id reused", id: event.id, position: event.position }
  }
  return known.length === request.events.length
    ? { kind: "already there", events: known }
    : { kind: "id reused", id: first.id, position: first.position }
}

const sameContent = (request: ValidatedAppend, admitted: ValidatedEvent, event: Event): boolean =>
  event.timeline === request.timeline &&
  event.stream === request.stream &&
  event.type === admitted.type &&
  event.taskId === request.taskId &&
  event.causationId === admitted.causationId &&
  event.actor === request.actor &&
  (admitted.occurredAt === null || event.occurredAt === admitted.occurredAt) &&
  isSameJson(JSON.stringify(event.payload), textAsReadable(admitted, event))

/** A retry may come from a program that made the payload anew, with its keys in another order (RFC 8785 brings both into one). */
const isSameJson = (a: string, b: string): boolean =>
  a === b || canonicalize(JSON.parse(a)) === canonicalize(JSON.parse(b))

/** What is left of an event whose key was destroyed can only be held against what would be left of this one. */
const textAsReadable = ({ text, sealed }: ValidatedEvent, { personal }: Event): string =>
  personal?.readable === false && sealed !== null ? sealed.openText : text

/** Most missed events that a conflict carries. */
const MAX_MISSED = 1000

/** Reads the events that conflicts missed. */
export type ReadMissed = (query: Query, limit: number) => ReadonlyArray<Event>

/**
 * The same for one batch: of the many that may have missed the same events, only the first takes a read of the log. Each is
 * given a copy of its own.
 */
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

/** What a placement means for its caller; a conflict is given the events that it missed, by reading them. */
export const answer = (
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
      // Not what the rest of the batch has added since.
      const count = Math.min(actual - afterVersion, MAX_MISSED)
      const missed = count <= 0 ? [] : read({ timeline, stream, afterVersion }, count)
      return Either.left(new VersionConflict({ stream, expected, actual, missed }))
    }
    case "id reused":
      return Either.left(new IdReused({ id: placement.id, position: placement.position }))
  }
}
