import { Context, Data, type Effect, type Option, type Stream } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import type { InvalidOptions } from "../../values/Options.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { CoreName, PayloadOf } from "../vocabulary/Vocabulary.ts"
import type { Verification, VerifyOptions } from "./Verification.ts"

export type { Head } from "../vocabulary/Event.ts"
export { type TamperKind, Verification, VerifyOptions } from "./Verification.ts"

/** The timeline that every log has. */
export const MAIN = "main"

/** What every log stands for by itself. */
export const ON_MAIN = { timeline: MAIN, spans: [{ timeline: MAIN, until: Number.MAX_SAFE_INTEGER }] } as const

/**
 * What an append expects of its stream:
 * - `Any`: nothing;
 * - `NoStream`: that it has no event yet;
 * - `Exists`: that it has at least one;
 * - `Exact(version)`: that its last event has this version.
 */
export type Expected =
  | { readonly _tag: "Any" }
  | { readonly _tag: "NoStream" }
  | { readonly _tag: "Exists" }
  | { readonly _tag: "Exact"; readonly version: number }

export const Any: Expected = { _tag: "Any" }
export const NoStream: Expected = { _tag: "NoStream" }
export const Exists: Expected = { _tag: "Exists" }
export const Exact = (version: number): Expected => ({ _tag: "Exact", version })

interface NewEventFields {
  /** Makes the append idempotent: a retry with the same id and content answers with the earlier event. */
  readonly id?: string
  readonly causationId?: string | null
  /** The source's clock, in epoch milliseconds; the log's clock where absent. */
  readonly occurredAt?: number
}

/** A core event as its author gives it; the log adds position, version, time and hash. */
export type CoreNewEvent = {
  [Name in CoreName]: NewEventFields & { readonly type: Name; readonly payload: PayloadOf<Name> }
}[CoreName]

/** An event as its author gives it, of the core vocabulary or of a program's own. */
export type NewEvent =
  | CoreNewEvent
  | (NewEventFields & { readonly type: string; readonly payload: JsonObject; readonly schemaVersion?: number })

/**
 * What an append depends on beside its own stream: another stream that must still stand at this version. A kernel fences
 * its appends by the stream in which the next one says that it took over.
 */
export interface Fence {
  /** Default: `main`, also in a view of another timeline. */
  readonly timeline?: string
  readonly stream: string
  readonly version: number
}

/** Events for one stream, committed together or not at all. */
export interface AppendRequest {
  /** Default: the log's, which is `main` unless it is a view of another one. */
  readonly timeline?: string
  readonly stream: string
  readonly taskId?: string | null
  /** `kernel`, `plugin:<name>@<version>`, `agent:<name>`, `human:<name>`, `critic:<name>`, `import:<source>`. */
  readonly actor: string
  /** Default: `Any`. */
  readonly expected?: Expected
  /** Where the fence's stream has gone on, nothing is written: a `VersionConflict` of that stream. Default: none. */
  readonly fence?: Fence
  /**
   * Whose personal data the events hold: the fields that their types declare personal are encrypted under this subject's
   * key. Who it is stands in the log's key file and nowhere in the log.
   */
  readonly subject?: string
  readonly events: ReadonlyArray<NewEvent>
}

/** What an append answers: the events as they stand in the log, and the place of the last one. */
export interface Appended {
  readonly position: number
  /** The stream's version after it. */
  readonly version: number
  readonly events: ReadonlyArray<Event>
}

/** Which events to read, in order of position. Absent fields do not filter. */
export interface Query {
  /** Only events after this position. Default: 0, the beginning. */
  readonly after?: number
  /** Only events up to and including this position. */
  readonly until?: number
  readonly timeline?: string
  readonly stream?: string
  /** With `stream`: only events whose version in it is higher. */
  readonly afterVersion?: number
  /** Only events of this task; null: only those that belong to none. */
  readonly taskId?: string | null
  readonly types?: ReadonlyArray<string>
}

/** A part of a timeline's history: the events of one timeline up to a position. */
export interface Span {
  readonly timeline: string
  readonly until: number
}

/** The one marker in what `follow` emits: everything that was in the log at the start has been seen. */
export class CaughtUp extends Data.TaggedClass("CaughtUp")<{ readonly position: number }> {}

/** Retry: another process held the log for longer than the busy time-out. */
export class LogBusy extends Data.TaggedError("LogBusy")<{ readonly log: string; readonly waitedMs: number }> {
  override get message() {
    return `${this.log} is busy: another process held it for more than ${this.waitedMs} ms. Nothing was written; try again.`
  }
}

/** Rebase: the stream is not where the caller expected it; the events that the caller missed are here. */
export class VersionConflict extends Data.TaggedError("VersionConflict")<{
  readonly stream: string
  readonly expected: Expected
  /** The stream's version; 0 where it has no event. */
  readonly actual: number
  /** The stream's events after the version expected and up to the actual one; the first 1,000 of them. */
  readonly missed: ReadonlyArray<Event>
}> {
  override get message() {
    return (
      `Stream ${this.stream}: expected ${describeExpected(this.expected)}, found ${this.actual === 0 ? "no event" : `version ${this.actual}`}. ` +
      "Nothing was written; take the missed events into account and append again."
    )
  }
}

const describeExpected = (expected: Expected): string => {
  switch (expected._tag) {
    case "Any":
      return "any version"
    case "NoStream":
      return "no event"
    case "Exists":
      return "at least one event"
    case "Exact":
      return `version ${expected.version}`
  }
}

/** Give up: another kernel took over the log while this one was silent, and what this one appends is not taken any more. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly log: string; readonly owner: string }> {
  override get message() {
    return `${this.log}: "${this.owner}" no longer holds the lease; another kernel took over. Nothing more is executed or recorded here.`
  }
}

/** Fix the call: something in the request is not an event of this log. */
export class InvalidEvent extends Data.TaggedError("InvalidEvent")<{
  readonly stream: string
  /** Index of the event in the request, or null where the request itself is at fault. */
  readonly index: number | null
  readonly reason: string
}> {
  override get message() {
    const where = this.index === null ? "" : `, event ${this.index}`
    return `Append to ${this.stream || "(no stream)"}${where}: ${this.reason}. Nothing was written.`
  }
}

/** Fix the call: this id is in the log already, with other content. */
export class IdReused extends Data.TaggedError("IdReused")<{ readonly id: string; readonly position: number }> {
  override get message() {
    return `Event id ${this.id} stands at @${this.position} with other content. Nothing was written; use a new id for a new event.`
  }
}

/** Give up: the file says something that no log says. */
export class LogCorrupt extends Data.TaggedError("LogCorrupt")<{
  readonly log: string
  readonly position: number | null
  readonly reason: string
}> {
  override get message() {
    const where = this.position === null ? "" : ` at @${this.position}`
    return `${this.log} is damaged${where}: ${this.reason}. \`hindcast log doctor\` says what is damaged, \`hindcast log verify\` how far it is sound; then restore a copy.`
  }
}

/** Give up: the file is not a Hindcast log, or of a format that this version does not know. */
export class LogFormatUnsupported extends Data.TaggedError("LogFormatUnsupported")<{
  readonly log: string
  readonly found: string
}> {
  override get message() {
    return `${this.log} is not a log that this version of Hindcast can open: expected a Hindcast log, found ${this.found}. The file was not changed.`
  }
}

/** Give up until there is room. */
export class DiskFull extends Data.TaggedError("DiskFull")<{ readonly log: string }> {
  override get message() {
    return `${this.log}: the disk is full. Nothing of this append was written; make room and try again.`
  }
}

/** Give up: the log cannot be opened, read or written for a reason that the operating system gave. */
export class LogUnavailable extends Data.TaggedError("LogUnavailable")<{
  readonly log: string
  readonly reason: string
}> {
  override get message() {
    return `${this.log} is not available: ${this.reason}`
  }
}

/** Put it back: events that were archived are in a file that is not there, or cannot be read. */
export class SegmentUnavailable extends Data.TaggedError("SegmentUnavailable")<{
  readonly log: string
  readonly first: number
  readonly last: number
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return (
      `${this.log}: the events from @${this.first} to @${this.last} were archived in ${this.file}: ${this.reason}. ` +
      `Put the file back, or read only what comes after @${this.last}.`
    )
  }
}

/** Fix the call: this is no query. */
export class InvalidQuery extends Data.TaggedError("InvalidQuery")<{ readonly reason: string }> {
  override get message() {
    return `Query: ${this.reason}. Nothing was read.`
  }
}

/** What can go wrong when reading. */
export type LogError = LogBusy | LogCorrupt | LogUnavailable | SegmentUnavailable | InvalidQuery

/** What can go wrong when opening. */
export type OpenError = LogError | LogFormatUnsupported

/** What can go wrong when appending; `LeaseLost` only where a kernel appends. */
export type AppendError = LogError | VersionConflict | InvalidEvent | IdReused | DiskFull | LeaseLost

/**
 * The log: a totally ordered, append-only store of events, and the only thing in Hindcast that writes.
 * Several processes may append to one log at the same time.
 */
export class EventLog extends Context.Tag("hindcast/EventLog")<
  EventLog,
  {
    /** Where the log is, for messages: a file's path, or `memory`. */
    readonly name: string
    /** The timeline that this log stands for: `main`, or another in a view of it (see `Timelines.view`). */
    readonly timeline: string
    /** What that timeline's history is made of, oldest first. */
    readonly spans: ReadonlyArray<Span>
    /**
     * Appends events to one stream; all of them or none. Appends under way at the same time are committed together;
     * a conflict fails only the append that caused it, and whoever tries again then is ahead of those that come anew. Once it succeeds, the events survive the death of any process.
     */
    readonly append: (request: AppendRequest) => Effect.Effect<Appended, AppendError>
    /** Reads events in order of position, in constant memory. Ends at the head as it stood when reading got there. */
    readonly read: (query?: Query) => Stream.Stream<Event, LogError>
    /** Reads at most `limit` events, 1 or more, in order of position: one step of `read`, for folds. */
    readonly readPage: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
    /** One event by its id. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Event>, LogError>
    /** The version of a stream's last event, 0 where it has none: what `Exact` is to expect. Default timeline: the log's. */
    readonly versionOf: (stream: string, timeline?: string) => Effect.Effect<number, LogError>
    /** The last position, and its hash. */
    readonly head: Effect.Effect<Head, LogError>
    /**
     * History, then one `CaughtUp`, then events as they are committed by this or any other process, without a gap and
     * without a repeat. Never ends by itself.
     */
    readonly follow: (query?: Omit<Query, "until">) => Stream.Stream<Event | CaughtUp, LogError>
    /**
     * Looks at everything that answers are made from, in constant memory. It walks the whole chain, and names the first position
     * that fails, and why: every change, removal, insertion and exchange of events is found, except what leaves a chain that
     * holds in itself: events removed from the log's end, or a log written anew from some position on. Those show against an
     * anchor: see `verifyWith`. Then it looks at what events are found by and at what is kept beside them: tables, triggers, pages
     * and indexes, versions, ids, names, large payloads, segments, snapshots. The answer says what was looked at.
     */
    readonly verify: Effect.Effect<Verification, LogError>
    /** The same, held against an anchor, with progress told, or of the chain alone. */
    readonly verifyWith: (options: VerifyOptions) => Effect.Effect<Verification, InvalidOptions | LogError>
  }
>() {}
