import { Context, Data, Effect, Option, Schedule } from "effect"
import type { AppendError, DiskFull, EventLog, LogError } from "../log/EventLog.ts"
import type { Snapshots } from "../log/Snapshots.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { Keys, Subject } from "./PersonalDataKeys.ts"

export type { Subject } from "./PersonalDataKeys.ts"

/** Fix the call: no key was ever made for this subject, or it was shredded before. */
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

/** Whose data, on whose word, and why. */
export interface Shredding {
  readonly subject: string
  readonly reason: string
  readonly actor: string
}

/**
 * The personal data in a log. Events that are appended with a `subject` have their personal fields encrypted under a key
 * of that subject, which is kept apart from the log. Destroying the key makes them unreadable wherever the log was copied
 * to without its keys, while the chain still verifies: it covers what is encrypted.
 *
 * Not encrypted are the envelope (names of streams, tasks and actors, times), the fields that a type does not declare
 * personal, and digests, from which a short value can be guessed: keep personal data out of these.
 */
export class PersonalData extends Context.Tag("hindcast/PersonalData")<
  PersonalData,
  {
    /** Those whose keys are kept. */
    readonly subjects: Effect.Effect<ReadonlyArray<Subject>, LogError>
    /**
     * Destroys a subject's key, drops all snapshots, and records it (`PayloadShredded`): from then on its personal fields
     * read as what their types declare instead. Cannot be undone. If it fails half-way, or the process dies, the key is
     * destroyed, and shredding the same subject again does what is left.
     */
    readonly shred: (shredding: Shredding) => Effect.Effect<Event, NoSuchSubject | AppendError>
  }
>() {}

/** How long another process may keep the log from losing its snapshots: five seconds. */
const UNTIL_FREE = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(100))

/** What shredding works on. `attempt` runs what may throw what the keys' storage throws. */
export interface Stores {
  readonly log: typeof EventLog.Service
  readonly keys: Keys
  readonly snapshots: typeof Snapshots.Service
  readonly attempt: <A>(run: () => A) => Effect.Effect<A, LogError | DiskFull>
}

export const make = ({ log, keys, snapshots, attempt }: Stores): typeof PersonalData.Service => ({
  // Reading fills no disk.
  subjects: Effect.catchTag(
    attempt(() => keys.subjects()),
    "DiskFull",
    (error) => Effect.die(error),
  ),
  shred: ({ subject, reason, actor }) =>
    Effect.gen(function* () {
      const destroyed = yield* attempt(() => keys.destroy(subject))
      if (destroyed === undefined) return yield* new NoSuchSubject({ subject, keys: keys.name })
      const { keyId, eventId } = destroyed
      // Nobody can read them any more; this gives back their space. It does not wait by itself, and appending does.
      yield* Effect.retry(snapshots.drop, { while: ({ _tag }) => _tag === "LogBusy", schedule: UNTIL_FREE })
      const event = yield* log
        .append({
          stream: `key/${keyId}`,
          actor,
          events: [{ id: eventId, type: "PayloadShredded", payload: { keyId, reason } }],
        })
        .pipe(
          Effect.map(({ events }) => events[0]),
          // Recorded before, in other words, by a call that did not come to its end.
          Effect.catchTag("IdReused", () => Effect.map(log.find(eventId), Option.getOrUndefined)),
        )
      yield* attempt(() => keys.settle(keyId))
      return event ?? (yield* Effect.dieMessage("an append answered without events"))
    }),
})
