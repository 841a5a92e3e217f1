/**
 * Validates append requests, which TypeScript cannot check for every caller, and encrypts personal fields before a
 * request is queued.
 */

import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type PayloadCheck, payloadCheck } from "../../values/schema/PayloadCheck.ts"
import { isClockTime, isMoment, iso } from "../../values/Time.ts"
import { type AppendRequest, type Fence, InvalidEvent, MAIN, type NewEvent } from "../log/EventLog.ts"
import { type Blob, blobOf, nameOf } from "../payload/Blob.ts"
import { encryptPayload } from "../payload/PayloadEncryption.ts"
import type { Key, Keys } from "../payload/PersonalDataKeys.ts"
import * as TaskSubjects from "../payload/TaskSubjects.ts"
import * as StepPosition from "../steps/StepPosition.ts"
import { isEventId, newId } from "../vocabulary/Event.ts"
import type { EventType } from "../vocabulary/EventType.ts"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import { checkedJson, copyJson, NonJson } from "./CopiedJson.ts"

export const MAX_EVENTS_PER_APPEND = 10_000

/** In bytes of JSON (UTF-8). */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024

/** In characters: of a timeline, stream, task or actor. */
export const MAX_NAME_LENGTH = 512

export interface ValidatedEvent {
  readonly id: string
  /** True if the caller chose the id and may have appended the event before: the append is idempotent. */
  readonly idGiven: boolean
  readonly type: string
  readonly schemaVersion: number
  readonly causationId: string | null
  readonly occurredAt: number | null
  /** Null for the actor of the append. */
  readonly actor: string | null
  readonly payload: JsonObject
  readonly text: string
  /**
   * The text that the row stores and the hash covers: JSON with encrypted personal fields, or a large payload's blob
   * name.
   */
  readonly stored: string
  readonly blob: Blob | null
  /** The key of encrypted fields, and the payload's text as it reads without that key. */
  readonly encrypted: { readonly keyId: string; readonly textWithoutKey: string } | null
}

export interface ValidatedPart {
  readonly timeline: string
  readonly stream: string
  readonly taskId: string | null
  readonly actor: string
  readonly events: ReadonlyArray<ValidatedEvent>
}

export interface ValidatedAppend extends ValidatedPart {
  readonly expected: NonNullable<AppendRequest["expected"]> | null
  readonly fence: Required<Fence> | null
  /** Events of other streams in the same commit. */
  readonly with: ReadonlyArray<ValidatedPart>
  /** True if the commit must reach the disk (fsync) before it is acknowledged. */
  readonly synced: boolean
}

/**
 * The key that encrypts an event's personal fields. `withheld` if that key is destroyed or missing here, so that the
 * event records replacements; undefined if the fields stay plain.
 */
type Cover = Key | "withheld" | undefined

type Validate = (request: AppendRequest) => Either.Either<ValidatedAppend, InvalidEvent>

/** Creates the validation against a vocabulary. Throws errors of the key storage. */
export const make = (vocabulary: Vocabulary, keys: Keys, subjects = TaskSubjects.none): Validate => {
  const checks = new Map([...vocabulary.types.values()].map((type) => [type.name, payloadCheck(type.payload)]))

  /** Without a subject of their own, events take the key of their task's subject. */
  const inherited = ({ stream, taskId, subjectOfTask }: AppendRequest): Cover => {
    const keyId = subjects(subjectOfTask ?? taskId ?? TaskSubjects.taskOf(stream))
    return keyId === null ? undefined : (keys.find(keyId) ?? "withheld")
  }

  const validate: Validate = (request) => {
    const refuse = (index: number | null, reason: string) =>
      Either.left(
        new InvalidEvent({ stream: typeof request?.stream === "string" ? request.stream : "", index, reason }),
      )

    if (!isObject(request)) return refuse(null, `expected a request, found ${describe(request)}`)
    const now = Date.now()
    if (!isClockTime(now)) return refuse(null, `${IMPOSSIBLE_CLOCK}, found ${iso(now)}`)
    const badName =
      checkName("timeline", request.timeline ?? MAIN) ??
      checkName("stream", request.stream) ??
      checkName("actor", request.actor) ??
      (request.taskId == null ? undefined : checkName("taskId", request.taskId)) ??
      (request.subject === undefined ? undefined : checkName("subject", request.subject)) ??
      (request.subjectOfTask === undefined ? undefined : checkName("subjectOfTask", request.subjectOfTask)) ??
      (request.fence === undefined ? undefined : checkFence(request.fence))
    if (badName !== undefined) return refuse(null, badName)
    const badExpectation = checkExpected(request.expected)
    if (badExpectation !== undefined) return refuse(null, badExpectation)
    if (!Array.isArray(request.events))
      return refuse(null, `events: expected a list of events, found ${describe(request.events)}`)
    if (request.events.length === 0) return refuse(null, "expected at least one event, found none")
    if (request.events.length > MAX_EVENTS_PER_APPEND) {
      return refuse(null, `expected at most ${MAX_EVENTS_PER_APPEND} events, found ${request.events.length}`)
    }

    const nonEvent = request.events.findIndex((event) => !isObject(event))
    if (nonEvent >= 0) return refuse(nonEvent, `expected an event, found ${describe(request.events[nonEvent])}`)

    const types = request.events.map(({ type }) => vocabulary.types.get(type))
    let cover: Cover
    if (request.subject !== undefined) {
      if (!types.some((type) => type !== undefined && Object.keys(type.personal).length > 0)) {
        return refuse(null, "subject: expected an event whose type declares personal fields, found none; leave it out")
      }
      cover = keys.of(request.subject)
      if (cover === undefined) return refuse(null, KEY_DESTROYED)
    } else cover = inherited(request)

    const events: Array<ValidatedEvent> = []
    const givenIds = new Set<string>()
    let synced = false
    for (const [index, event] of request.events.entries()) {
      const type = types[index]
      const check = checks.get(event.type)
      if (type === undefined || check === undefined) {
        return refuse(index, `${describe(event.type)} is not in this log's vocabulary; add it with Vocabulary.extend`)
      }
      const validated = validateEvent(event, type, check, cover, request)
      if (typeof validated === "string") return refuse(index, `${event.type}: ${validated}`)
      if (validated.idGiven) {
        if (givenIds.has(validated.id)) return refuse(index, `id: ${validated.id} is given to two events of one append`)
        givenIds.add(validated.id)
      }
      events.push(validated)
      synced ||= type.synced
    }
    if (request.with !== undefined && !Array.isArray(request.with))
      return refuse(null, `with: expected a list of appends, found ${describe(request.with)}`)
    const notPart = request.with?.find((part) => !isObject(part))
    if (notPart !== undefined) return refuse(null, `with: expected an append, found ${describe(notPart)}`)
    const parts = validateParts(request, validate)
    if (Either.isLeft(parts)) return Either.left(parts.left)
    for (const { id, idGiven } of parts.right.flatMap(({ events }) => events)) {
      if (idGiven && givenIds.has(id)) return refuse(null, `id: ${id} is given to two events of one append`)
      if (idGiven) givenIds.add(id)
    }
    return Either.right({
      timeline: request.timeline ?? MAIN,
      stream: request.stream,
      taskId: request.taskId ?? null,
      actor: request.actor,
      expected: request.expected ?? null,
      fence: request.fence === undefined ? null : { timeline: MAIN, ...request.fence },
      events,
      with: parts.right,
      synced: synced || parts.right.some((part) => part.synced),
    })
  }
  return validate
}

const validateParts = (
  { with: parts, timeline, taskId, subject }: AppendRequest,
  validate: Validate,
): Either.Either<ReadonlyArray<ValidatedAppend>, InvalidEvent> =>
  parts === undefined
    ? NO_PARTS
    : Either.all(
        parts.map((part) => {
          const { stream, actor, events, timeline: own = timeline } = part
          return validate({
            stream,
            actor,
            events,
            taskId: part.taskId ?? null,
            ...defined({ timeline: own }),
            // An append that opens a task for a subject may bring more events of the task.
            ...(subject !== undefined && part.taskId != null && part.taskId === taskId ? { subject } : {}),
          })
        }),
      )

const NO_PARTS = Either.right([])

const IMPOSSIBLE_CLOCK = "this machine's clock is wrong; set it: expected a time from 1970 to 9999"

const KEY_DESTROYED =
  "subject: its key is destroyed, but the event that records this is missing; shred the subject again to complete it"

/** Returns a text about the mistake in an invalid event. */
const validateEvent = (
  event: NewEvent,
  type: EventType,
  check: PayloadCheck,
  cover: Cover,
  { newIds = false, givenAway = false }: Pick<AppendRequest, "newIds" | "givenAway">,
): ValidatedEvent | string => {
  // Copies, so that the caller's later changes do not reach the event.
  const given = givenAway ? checkedJson(event.payload) : copyJson(event.payload)
  if (given instanceof NonJson) return `payload${given.path}: expected JSON, found ${given.found}`
  const mistake = check(given)
  if (mistake !== undefined) return mistake
  if ("schemaVersion" in event && event.schemaVersion !== undefined && event.schemaVersion !== type.version) {
    return `schemaVersion: expected ${type.version}, found ${event.schemaVersion}`
  }
  if (event.id !== undefined && !isEventId(event.id))
    return `id: expected a UUID in lower case, found ${describe(event.id)}`
  if (event.causationId != null && !isEventId(recordedCauseOf(event))) {
    return `causationId: expected the id of an event, found ${describe(event.causationId)}`
  }
  if (event.occurredAt !== undefined && !isMoment(event.occurredAt)) {
    return `occurredAt: expected whole milliseconds since 1970, from the year 0 to 9999, found ${describe(event.occurredAt)}`
  }
  const badActor = event.actor === undefined ? undefined : checkName("actor", event.actor)
  if (badActor !== undefined) return badActor
  const payload = cover === "withheld" ? { ...given, ...replacementsIn(given, type) } : given
  const key = cover === "withheld" ? undefined : cover
  const text = JSON.stringify(payload)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_PAYLOAD_BYTES) return `payload: expected at most ${MAX_PAYLOAD_BYTES} bytes, found ${bytes}`
  const id = event.id ?? newId()
  const encrypted = key === undefined ? undefined : encryptPersonal(key, id, payload, type)
  const whole = encrypted?.text ?? text
  const blob = blobOf(whole)
  return {
    id,
    idGiven: event.id !== undefined && !newIds,
    type: type.name,
    schemaVersion: type.version,
    causationId: recordedCauseOf(event),
    occurredAt: event.occurredAt ?? null,
    actor: event.actor ?? null,
    payload,
    text,
    stored: blob === null ? whole : nameOf(blob),
    blob,
    encrypted:
      encrypted === undefined || key === undefined
        ? null
        : { keyId: key.id, textWithoutKey: JSON.stringify(encrypted.open) },
  }
}

/** Undefined if the payload has no personal fields. */
const encryptPersonal = (key: Key, id: string, payload: JsonObject, type: EventType) => {
  const present = replacementsIn(payload, type)
  return Object.keys(present).length === 0 ? undefined : encryptPayload(key, id, payload, present)
}

const replacementsIn = (payload: JsonObject, { personal }: EventType): JsonObject =>
  Object.fromEntries(Object.entries(personal).filter(([field]) => Object.hasOwn(payload, field)))

const checkFence = (fence: Fence): string | undefined => {
  // Ignoring a malformed fence would leave the append unfenced.
  if (!isObject(fence)) return `fence: expected a stream and its version, found ${describe(fence)}`
  const { timeline = MAIN, stream, version } = fence
  return (
    checkName("fence/timeline", timeline) ??
    checkName("fence/stream", stream) ??
    (Number.isSafeInteger(version) && version >= 0
      ? undefined
      : `fence/version: expected a stream's version (0, 1, 2 …), found ${describe(version)}`)
  )
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

const describe = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

const checkExpected = (expected: AppendRequest["expected"]): string | undefined => {
  if (expected === undefined || expected === null) return undefined
  switch (expected._tag) {
    case "Any":
    case "NoStream":
    case "Exists":
      return undefined
    case "Exact":
      return Number.isSafeInteger(expected.version) && expected.version >= 0
        ? undefined
        : `expected: expected a version, 0 or more, found ${describe(expected.version)}`
    default:
      return `expected: expected Any, NoStream, Exists or Exact(version), found ${describe(expected)}`
  }
}

export const checkName = (what: string, name: unknown): string | undefined => {
  if (typeof name !== "string" || name === "") return `${what}: expected a name, found ${describe(name)}`
  if (name.length > MAX_NAME_LENGTH)
    return `${what}: expected at most ${MAX_NAME_LENGTH} characters, found ${name.length}`
  if (!name.isWellFormed() || name.includes("\0"))
    return `${what}: expected plain text, found control or broken characters`
  return undefined
}

/** The cause as the log records it: of an event within a compact one, the compact one. */
const recordedCauseOf = ({ causationId }: Pick<NewEvent, "causationId">): string | null =>
  StepPosition.holderOf(causationId) ?? causationId ?? null
