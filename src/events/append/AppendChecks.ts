/**
 * Checks append requests, which TypeScript cannot check for every caller. This part of the validation needs no keys.
 */

import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type PayloadCheck, payloadCheck } from "../../values/schema/PayloadCheck.ts"
import { isClockTime, isMoment, iso } from "../../values/Time.ts"
import { type AppendRequest, type Fence, InvalidEvent, MAIN, type NewEvent } from "../log/EventLog.ts"
import * as TaskSubjects from "../payload/TaskSubjects.ts"
import * as StepPosition from "../steps/StepPosition.ts"
import { isEventId } from "../vocabulary/Event.ts"
import type { EventType } from "../vocabulary/EventType.ts"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import { checkedJson, copyJson, NonJson } from "./CopiedJson.ts"

export const MAX_EVENTS_PER_APPEND = 10_000

/** In characters: of a timeline, stream, task or actor. */
export const MAX_NAME_LENGTH = 512

/** A valid request whose personal fields are still plain: `seal` needs their key. Nobody else refers to its payloads. */
export interface CheckedAppend {
  readonly timeline: string
  readonly stream: string
  readonly taskId: string | null
  readonly actor: string
  readonly expected: NonNullable<AppendRequest["expected"]> | null
  readonly fence: Required<Fence> | null
  /** True if the commit must reach the disk (fsync) before it is acknowledged. */
  readonly synced: boolean
  readonly events: ReadonlyArray<CheckedEvent>
  readonly with: ReadonlyArray<CheckedAppend>
  /** The owner of the personal fields; null if no event has any, or nobody is named. */
  readonly owner: PersonalOwner | null
}

/** Whose key covers personal fields: a subject that the request names, or the subject for whom a task was opened. */
export type PersonalOwner =
  | { readonly kind: "subject"; readonly subject: string }
  | { readonly kind: "task"; readonly taskId: string }

export interface CheckedEvent {
  /** A copy. */
  readonly event: NewEvent
  /** True if the caller chose the id and may have appended the event before: the append is idempotent. */
  readonly idGiven: boolean
  readonly type: EventType
  /** The payload, a copy unless the caller gave it away. */
  readonly given: JsonObject
}

export type Check = (request: AppendRequest) => Either.Either<CheckedAppend, InvalidEvent>

/** Creates the part of the validation that needs no keys. It copies payloads, so later changes do not reach them. */
export const checkAgainst = (vocabulary: Vocabulary): Check => {
  const checks = new Map([...vocabulary.types.values()].map((type) => [type.name, payloadCheck(type.payload)]))

  const check: Check = (request) => {
    const refuse = (index: number | null, reason: string) =>
      refusal(typeof request?.stream === "string" ? request.stream : "", index, reason)

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
    const hasPersonal = types.some((type) => type !== undefined && Object.keys(type.personal).length > 0)
    if (request.subject !== undefined && !hasPersonal) {
      return refuse(null, "subject: expected an event whose type declares personal fields, found none; leave it out")
    }

    const events: Array<CheckedEvent> = []
    const givenIds = new Set<string>()
    let synced = false
    for (const [index, event] of request.events.entries()) {
      const type = types[index]
      const check = checks.get(event.type)
      if (type === undefined || check === undefined) {
        return refuse(index, `${describe(event.type)} is not in this log's vocabulary; add it with Vocabulary.extend`)
      }
      const checked = checkEvent(event, type, check, request)
      if (typeof checked === "string") return refuse(index, `${event.type}: ${checked}`)
      const { id } = checked.event
      if (id !== undefined && checked.idGiven) {
        if (givenIds.has(id)) return refuse(index, `id: ${id} is given to two events of one append`)
        givenIds.add(id)
      }
      events.push(checked)
      synced ||= type.synced
    }
    if (request.with !== undefined && !Array.isArray(request.with))
      return refuse(null, `with: expected a list of appends, found ${describe(request.with)}`)
    const notPart = request.with?.find((part) => !isObject(part))
    if (notPart !== undefined) return refuse(null, `with: expected an append, found ${describe(notPart)}`)
    const parts = checkParts(request, check)
    if (Either.isLeft(parts)) return Either.left(parts.left)
    for (const { event, idGiven } of parts.right.flatMap(({ events }) => events)) {
      if (event.id === undefined || !idGiven) continue
      if (givenIds.has(event.id)) return refuse(null, `id: ${event.id} is given to two events of one append`)
      givenIds.add(event.id)
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
      owner: hasPersonal ? ownerOf(request, events) : null,
    })
  }
  return check
}

export const refusal = (stream: string, index: number | null, reason: string) =>
  Either.left(new InvalidEvent({ stream, index, reason }))

const ownerOf = (
  { subject, subjectOfTask, taskId, stream }: AppendRequest,
  events: ReadonlyArray<CheckedEvent>,
): PersonalOwner | null => {
  if (subject !== undefined) return { kind: "subject", subject }
  // Most verdicts of rules have none of the fields of their types: looking for a task's subject takes longer than they do.
  if (!events.some(hasPersonalField)) return null
  const task = subjectOfTask ?? taskId ?? TaskSubjects.taskOf(stream)
  return task === null ? null : { kind: "task", taskId: task }
}

const hasPersonalField = ({ type, given }: CheckedEvent): boolean => {
  for (const field in type.personal) if (Object.hasOwn(given, field)) return true
  return false
}

const checkParts = (
  { with: parts, timeline, taskId, subject }: AppendRequest,
  check: Check,
): Either.Either<ReadonlyArray<CheckedAppend>, InvalidEvent> =>
  parts === undefined
    ? NO_PARTS
    : Either.all(
        parts.map((part) => {
          const { stream, actor, events, timeline: own = timeline } = part
          return check({
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

/** Returns a text about the mistake in an invalid event. */
const checkEvent = (
  event: NewEvent,
  type: EventType,
  check: PayloadCheck,
  { newIds = false, givenAway = false }: Pick<AppendRequest, "newIds" | "givenAway">,
): CheckedEvent | string => {
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
  // The envelope's fields are copied, too.
  const { id, causationId, occurredAt, actor } = event
  const copied = { type: type.name, payload: given, ...defined({ id, causationId, occurredAt, actor }) }
  return { event: copied, idGiven: id !== undefined && !newIds, type, given }
}

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
export const recordedCauseOf = ({ causationId }: Pick<NewEvent, "causationId">): string | null =>
  StepPosition.holderOf(causationId) ?? causationId ?? null
