/** An append: the request, the expected version of the stream, and the result. */

import { Effect } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { CoreName, PayloadOf } from "../vocabulary/Vocabulary.ts"

/**
 * The expected state of the stream:
 * - `Any`: any state;
 * - `NoStream`: no event yet;
 * - `Exists`: at least one event;
 * - `Exact(version)`: the last event has this version.
 */
export type ExpectedVersion =
  | { readonly _tag: "Any" }
  | { readonly _tag: "NoStream" }
  | { readonly _tag: "Exists" }
  | { readonly _tag: "Exact"; readonly version: number }

/** Expects nothing of the stream; the default. */
export const Any: ExpectedVersion = { _tag: "Any" }
/** Expects an empty stream. */
export const NoStream: ExpectedVersion = { _tag: "NoStream" }
/** Expects at least one event. */
export const Exists: ExpectedVersion = { _tag: "Exists" }
/** Expects this version of the last event: 1 for a stream's first event, 0 for an empty stream. */
export const Exact = (version: number): ExpectedVersion => ({ _tag: "Exact", version })

/** Optional fields of every new event. */
interface NewEventFields {
  /** Makes the append idempotent: a retry with the same id and content returns the earlier event. */
  readonly id?: string
  readonly causationId?: string | null
  /** The source's clock, in epoch milliseconds. Default: the log's clock. */
  readonly occurredAt?: number
  /** Default: the actor of the append. */
  readonly actor?: string
}

/** A new core event; the log adds position, version, time and hash. */
export type CoreNewEvent = {
  [Name in CoreName]: NewEventFields & { readonly type: Name; readonly payload: PayloadOf<Name> }
}[CoreName]

/** A new event of the core vocabulary or of the program's. */
export type NewEvent =
  | CoreNewEvent
  | (NewEventFields & { readonly type: string; readonly payload: JsonObject; readonly schemaVersion?: number })

/**
 * A condition on another stream: it must still be at this version. A kernel fences its appends with the stream to which
 * the next kernel appends when it takes over.
 */
export interface Fence {
  /** Default: `main`, also in a view of another timeline. */
  readonly timeline?: string
  readonly stream: string
  readonly version: number
}

/** Events for another stream in the same commit, without an expected version. */
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
  /** Default: the log's timeline, `main` unless the log is a view of another. */
  readonly timeline?: string
  readonly stream: string
  readonly taskId?: string | null
  /** `kernel`, `plugin:<name>@<version>`, `agent:<name>`, `human:<name>`, `critic:<name>`, `import:<source>`. */
  readonly actor: string
  /** Default: `Any`. */
  readonly expected?: ExpectedVersion
  /**
   * If the fence's stream has moved on, the append writes nothing and fails with that stream's `VersionConflict`.
   * Default: none.
   */
  readonly fence?: Fence
  /**
   * The person whose data the events contain. Fields that their types declare personal are encrypted under this
   * subject's key, which only the log's key file names, never the log. Default: the subject of the events' task, if its
   * `TaskOpened` named one. If that subject's key is destroyed or missing here, the fields are recorded as their
   * replacements.
   */
  readonly subject?: string
  /** The task whose subject owns the data, if it is not the events' own task. */
  readonly subjectOfTask?: string
  readonly events: ReadonlyArray<NewEvent>
  /**
   * True if `newId` made the ids for this append, so the log need not look for an earlier append with them. Default:
   * false.
   */
  readonly newIds?: boolean
  /**
   * True if nobody changes any part of the payloads from now on. The log then does not copy them, and the result's
   * events share them. Default: false.
   */
  readonly givenAway?: boolean
  /**
   * Events for other streams, placed after these, in this order and in the same commit. The result does not list them.
   * Default: none.
   */
  readonly with?: ReadonlyArray<AppendPart>
}

/** The events as stored, and the position of the last one. */
export interface Appended {
  readonly position: number
  /** The stream's version after the append. */
  readonly version: number
  readonly events: ReadonlyArray<Event>
}

/** The first event of an append, which has at least one. */
export const firstEvent = ({ events: [first] }: Pick<Appended, "events">): Effect.Effect<Event> =>
  first === undefined ? Effect.dieMessage("an append answered without events") : Effect.succeed(first)
