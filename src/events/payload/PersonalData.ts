/** Personal data in a log, and its erasure by destroying keys (crypto-shredding). */

import { Context, Data, Effect, Option, Schedule } from "effect"
import type { AppendError, DiskFull, EventLog, LogError } from "../log/EventLog.ts"
import type { Snapshots } from "../log/Snapshots.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { DestroyedKey, Keys, Subject } from "./PersonalDataKeys.ts"

export type { Subject } from "./PersonalDataKeys.ts"

/** Fix the call: the subject never had a key, or was shredded before. */
export class NoSuchSubject extends Data.TaggedError("NoSuchSubject")<{
  readonly subject: string
  readonly keys: string
}> {
  override get message() {
    return (
      `No key of subject "${this.subject}" is in ${this.keys}: expected one whose events were appended with this subject, found none. ` +
      "It may have been shredded already; the log's PayloadShredded events say so."
    )
  }
}

/** The subject to shred, the reason to record, and the actor. */
export interface Shredding {
  readonly subject: string
  readonly reason: string
  readonly actor: string
}

/**
 * Personal data in a log. An append with a `subject` encrypts the events' personal fields under the subject's key,
 * outside the log. Destroying the key makes the fields unreadable in every copy of the log, unless the keys were copied
 * too. The chain covers the encrypted text and stays valid.
 *
 * The envelope (names of streams, tasks and actors, times), other fields, and digests, from which somebody can guess a
 * short value, are not encrypted. Keep personal data out of them.
 */
export class PersonalData extends Context.Tag("hindcast/PersonalData")<PersonalData, PersonalData.Service>() {}

/** The type of the service: `PersonalData.Service`. */
export declare namespace PersonalData {
  /** Personal data as every backend provides it. `personalDataSuite` of `hindcast/testing` tests a backend. */
  export interface Service {
    /** Subjects that have keys. */
    readonly subjects: Effect.Effect<ReadonlyArray<Subject>, LogError>
    /**
     * Destroys a subject's key, drops all snapshots, and records it (`PayloadShredded`). From then on, the subject's
     * personal fields read as the replacements that their types declare. It cannot be undone. After a failure or a
     * crash half-way, the key is destroyed; call it again for the same subject to complete the rest.
     */
    readonly shred: (shredding: Shredding) => Effect.Effect<Event, NoSuchSubject | AppendError>
  }
}

/** Alias of `PersonalData.Service` for namespace imports. */
export type Service = PersonalData.Service

/** Retries for five seconds while another process writes to the log. */
const RETRY_WHILE_BUSY = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(100))

/** What shredding needs of the storage of keys. See `Keys`. */
export interface KeyStore {
  /** Location of the keys, for messages. */
  readonly name: string
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, LogError>
  /** Destroys a subject's key. Returns its id, and the id of the event to record this in; undefined if there is no key. */
  readonly destroy: (subject: string) => Effect.Effect<DestroyedKey | undefined, LogError | DiskFull>
  /** Forgets a destroyed key, once the log says that it was destroyed. */
  readonly settle: (keyId: string) => Effect.Effect<void, LogError | DiskFull>
}

/**
 * The store over keys that answer at once.
 *
 * @param attempt runs a call of the key storage, and turns its exceptions into typed errors
 */
export const storeOf = (keys: Keys, attempt: <A>(run: () => A) => Effect.Effect<A, LogError | DiskFull>): KeyStore => ({
  name: keys.name,
  // Reading needs no disk space.
  subjects: Effect.catchTag(
    attempt(() => keys.subjects()),
    "DiskFull",
    (error) => Effect.die(error),
  ),
  destroy: (subject) => attempt(() => keys.destroy(subject)),
  settle: (keyId) => attempt(() => keys.settle(keyId)),
})

/** The stores that shredding uses. */
export interface Stores {
  readonly log: EventLog.Service
  readonly keys: KeyStore
  readonly snapshots: Snapshots.Service
}

/** Builds the service over given stores. */
export const make = ({ log, keys, snapshots }: Stores): PersonalData.Service => ({
  subjects: keys.subjects,
  shred: ({ subject, reason, actor }) =>
    Effect.gen(function* () {
      const destroyed = yield* keys.destroy(subject)
      if (destroyed === undefined) return yield* new NoSuchSubject({ subject, keys: keys.name })
      const { keyId, eventId } = destroyed
      // The snapshots are unreadable already; this frees their space. Unlike `append`, `drop` does not wait, hence the
      // retry.
      yield* Effect.retry(snapshots.drop, { while: ({ _tag }) => _tag === "LogBusy", schedule: RETRY_WHILE_BUSY })
      const event = yield* log
        .append({
          stream: `key/${keyId}`,
          actor,
          events: [{ id: eventId, type: "PayloadShredded", payload: { keyId, reason } }],
        })
        .pipe(
          Effect.map(({ events }) => events[0]),
          // An earlier, incomplete call recorded it with another reason.
          Effect.catchTag("IdReused", () => Effect.map(log.find(eventId), Option.getOrUndefined)),
        )
      yield* keys.settle(keyId)
      return event ?? (yield* Effect.dieMessage("an append answered without events"))
    }),
})
