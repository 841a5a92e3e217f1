/** An append to the log: the new events, what is expected of their stream, and what the log answers. */

import { Effect } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { CoreName, PayloadOf } from "../vocabulary/Vocabulary.ts"

/**
 * What an append expects of its stream:
 * - `Any`: nothing;
 * - `NoStream`: that it has no event yet;
 * - `Exists`: that it has at least one;
 * - `Exact(version)`: that its last event has this version.
 */
export type ExpectedVersion =
  | { readonly _tag: "Any" }
  | { readonly _tag: "NoStream" }
  | { readonly _tag: "Exists" }
  | { readonly _tag: "Exact"; readonly version: number }

/** Nothing is expected of the stream: the default. */
export const Any: ExpectedVersion = { _tag: "Any" }
/** The stream has no event yet. */
export const NoStream: ExpectedVersion = { _tag: "NoStream" }
/** The stream has at least one event. */
export const Exists: ExpectedVersion = { _tag: "Exists" }
/** The stream's last event has this version: 1 for its first event, 0 for a stream without events. */
export const Exact = (version: number): ExpectedVersion => ({ _tag: "Exact", version })

/** The optional fields of every new event. */
interface NewEventFields {
  /** Makes the append idempotent: a retry with the same id and content returns the earlier event. */
  readonly id?: string
  readonly causationId?: string | null
  /** The source's clock, in epoch milliseconds. Default: the log's clock. */
  readonly occurredAt?: number
  /** Who tells of it. Default: the actor of the append. */
  readonly actor?: string
}

/** A core event as the caller gives it; the log adds position, version, time and hash. */
export type CoreNewEvent = {
  [Name in CoreName]: NewEventFields & { readonly type: Name; readonly payload: PayloadOf<Name> }
}[CoreName]

/** An event as the caller gives it, of the core vocabulary or of the program's vocabulary. */
export type NewEvent =
  | CoreNewEvent
  | (NewEventFields & { readonly type: string; readonly payload: JsonObject; readonly schemaVersion?: number })

/**
 * A second condition of an append, on a stream other than its own: that stream must still be at this version. A kernel
 * fences its appends with the stream to which another kernel appends when it takes over.
 */
export interface Fence {
  /** Default: `main`, also in a view of another timeline. */
  readonly timeline?: string
  readonly stream: string
  readonly version: number
}

/** Events for another stream that an append brings with it. Nothing is expected of that stream. */
export interface AppendPart {
  /** Default: the timeline of the append. */
  readonly timeline?: string
  readonly stream: string
  readonly taskId?: string | null
  readonly actor: string
  readonly events: ReadonlyArray<NewEvent>
}

/** Events for one stream, committed together or not at all. */
export interface AppendRequest {
  /** Default: the log's timeline, which is `main` unless the log is a view of another one. */
  readonly timeline?: string
  readonly stream: string
  readonly taskId?: string | null
  /** `kernel`, `plugin:<name>@<version>`, `agent:<name>`, `human:<name>`, `critic:<name>`, `import:<source>`. */
  readonly actor: string
  /** Default: `Any`. */
  readonly expected?: ExpectedVersion
  /**
   * If the fence's stream has moved on, nothing is written, and the append fails with a `VersionConflict` of that
   * stream. Default: none.
   */
  readonly fence?: Fence
  /**
   * The person whose personal data the events hold. The fields that their types declare personal are encrypted under
   * this subject's key. The subject is recorded in the log's key file only, never in the log. Default: the subject of the
   * task that the events belong to, if its `TaskOpened` was appended with one. If that subject's key was destroyed, or is
   * not here, the fields are recorded as their replacements.
   */
  readonly subject?: string
  /** The task whose subject's data the events hold, where they do not belong to it. Default: the events' own task. */
  readonly subjectOfTask?: string
  readonly events: ReadonlyArray<NewEvent>
  /**
   * Whether the ids of the events were made for this append, by `newId`: the log then does not look for an earlier append
   * with the same ids. Default: false.
   */
  readonly newIds?: boolean
  /**
   * Whether the payloads are given away: nobody changes them, or what they hold, after this. The log then makes no copy of them, and the
   * events of the result have them themselves. Default: false.
   */
  readonly givenAway?: boolean
  /**
   * Events for other streams, placed after these and in this order. They are committed if these are, in the same
   * commit. The result does not list them. Default: none.
   */
  readonly with?: ReadonlyArray<AppendPart>
}

/** The result of an append: the events as stored, and the position of the last one. */
export interface Appended {
  readonly position: number
  /** The stream's version after the append. */
  readonly version: number
  readonly events: ReadonlyArray<Event>
}

/** The first event of an append. There is one: an append without events is refused. */
export const firstEvent = ({ events: [first] }: Pick<Appended, "events">): Effect.Effect<Event> =>
  first === undefined ? Effect.dieMessage("an append answered without events") : Effect.succeed(first)
