/**
 * Validates append requests: checks them (`AppendChecks`), and encrypts personal fields before a request is queued.
 */

import { Either } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import type { AppendRequest, Fence, InvalidEvent } from "../log/EventLog.ts"
import { type Blob, blobOf, nameOf } from "../payload/Blob.ts"
import { encryptPayload } from "../payload/PayloadEncryption.ts"
import type { Key, Keys } from "../payload/PersonalDataKeys.ts"
import * as TaskSubjects from "../payload/TaskSubjects.ts"
import { newId } from "../vocabulary/Event.ts"
import type { EventType } from "../vocabulary/EventType.ts"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import {
  type CheckedAppend,
  type CheckedEvent,
  checkAgainst,
  type PersonalOwner,
  recordedCauseOf,
  refusal,
} from "./AppendChecks.ts"

export {
  type CheckedAppend,
  checkAgainst,
  MAX_EVENTS_PER_APPEND,
  MAX_NAME_LENGTH,
  type PersonalOwner,
} from "./AppendChecks.ts"

/** In bytes of JSON (UTF-8). */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024

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
export type Cover = Key | "withheld" | undefined

/** Finds the cover of an owner's fields; `destroyed` if the append must be refused. */
export type CoverOf = (owner: PersonalOwner) => Cover | "destroyed"

type Validate = (request: AppendRequest) => Either.Either<ValidatedAppend, InvalidEvent>

/** Creates the validation against a vocabulary. Throws errors of the key storage. */
export const make = (vocabulary: Vocabulary, keys: Keys, subjects = TaskSubjects.none): Validate => {
  const check = checkAgainst(vocabulary)
  const coverOf: CoverOf = (owner) => {
    if (owner.kind === "subject") return keys.of(owner.subject) ?? "destroyed"
    // Without a subject of their own, events take the key of their task's subject.
    const keyId = subjects(owner.taskId)
    return keyId === null ? undefined : (keys.find(keyId) ?? "withheld")
  }
  return (request) => Either.flatMap(check(request), (checked) => seal(checked, coverOf))
}

/** Encrypts the personal fields of a checked request, and makes the texts that the log stores. */
export const seal = (checked: CheckedAppend, coverOf: CoverOf): Either.Either<ValidatedAppend, InvalidEvent> => {
  const { owner, events: given, with: parts, ...request } = checked
  const cover = owner === null ? undefined : coverOf(owner)
  if (cover === "destroyed") return refusal(request.stream, null, KEY_DESTROYED)
  const events: Array<ValidatedEvent> = []
  for (const [index, event] of given.entries()) {
    const sealed = sealEvent(event, cover)
    if (typeof sealed === "string") return refusal(request.stream, index, `${event.type.name}: ${sealed}`)
    events.push(sealed)
  }
  if (parts.length === 0) return Either.right({ ...request, events, with: NONE })
  return Either.map(Either.all(parts.map((part) => seal(part, coverOf))), (sealed) => ({
    ...request,
    events,
    with: sealed,
  }))
}

const NONE: ReadonlyArray<ValidatedAppend> = []

const KEY_DESTROYED =
  "subject: its key is destroyed, but the event that records this is missing; shred the subject again to complete it"

/** Returns a text about the mistake in an event that cannot be stored. */
const sealEvent = ({ event, idGiven, type, given }: CheckedEvent, cover: Cover): ValidatedEvent | string => {
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
    idGiven,
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
