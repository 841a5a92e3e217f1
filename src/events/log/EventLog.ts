/**
 * The interface of the event log: queries, appends and their errors. Errors are grouped by remedy: retry, rebase, fix
 * the call, or give up. Every backend implements `EventLog`.
 */

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

/** The timeline and spans of a log that is not a view of another timeline. */
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
  /** Makes the append idempotent: a retry with the same id and content returns the earlier event. */
  readonly id?: string
  readonly causationId?: string | null
  /** The source's clock, in epoch milliseconds. Default: the log's clock. */
  readonly occurredAt?: number
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

/** Events for one stream, committed together or not at all. */
export interface AppendRequest {
  /** Default: the log's timeline, which is `main` unless the log is a view of another one. */
  readonly timeline?: string
  readonly stream: string
  readonly taskId?: string | null
  /** `kernel`, `plugin:<name>@<version>`, `agent:<name>`, `human:<name>`, `critic:<name>`, `import:<source>`. */
  readonly actor: string
  /** Default: `Any`. */
  readonly expected?: Expected
  /**
   * If the fence's stream has moved on, nothing is written, and the append fails with a `VersionConflict` of that
   * stream. Default: none.
   */
  readonly fence?: Fence
  /**
   * The person whose personal data the events hold. The fields that their types declare personal are encrypted under
   * this subject's key. The subject is recorded in the log's key file only, never in the log.
   */
  readonly subject?: string
  readonly events: ReadonlyArray<NewEvent>
}

/** The result of an append: the events as stored, and the position of the last one. */
export interface Appended {
  readonly position: number
  /** The stream's version after the append. */
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
  /** With `stream`: only events of a higher version. */
  readonly afterVersion?: number
  /** Only events of this task; null: only events without a task. */
  readonly taskId?: string | null
  readonly types?: ReadonlyArray<string>
}

/** A part of a timeline's history: the events of one timeline up to a position. */
export interface Span {
  readonly timeline: string
  readonly until: number
}

/** The marker that `follow` emits once: every event that was in the log at the start has been emitted. */
export class CaughtUp extends Data.TaggedClass("CaughtUp")<{ readonly position: number }> {}

/** Retry: another process held the log for longer than the busy time-out. */
export class LogBusy extends Data.TaggedError("LogBusy")<{ readonly log: string; readonly waitedMs: number }> {
  override get message() {
    return `${this.log} is busy: another process held it for more than ${this.waitedMs} ms. Nothing was written; try again.`
  }
}

/** Rebase: the stream's version is not the expected one. Holds the events that the caller missed. */
export class VersionConflict extends Data.TaggedError("VersionConflict")<{
  readonly stream: string
  readonly expected: Expected
  /** The stream's version; 0 if it has no event. */
  readonly actual: number
  /** The stream's events after the expected version, up to the actual one; at most the first 1,000. */
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

/** Give up: another kernel took over the log while this one was silent. Appends of this one are refused from now on. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly log: string; readonly owner: string }> {
  override get message() {
    return `${this.log}: "${this.owner}" no longer holds the lease; another kernel took over. Nothing more is executed or recorded here.`
  }
}

/** Fix the call: a part of the request is not a valid event of this log. */
export class InvalidEvent extends Data.TaggedError("InvalidEvent")<{
  readonly stream: string
  /** Index of the event in the request, or null if the request itself is invalid. */
  readonly index: number | null
  readonly reason: string
}> {
  override get message() {
    const where = this.index === null ? "" : `, event ${this.index}`
    return `Append to ${this.stream || "(no stream)"}${where}: ${this.reason}. Nothing was written.`
  }
}

/** Fix the call: the id is in the log already, with other content. */
export class IdReused extends Data.TaggedError("IdReused")<{ readonly id: string; readonly position: number }> {
  override get message() {
    return `Event id ${this.id} stands at @${this.position} with other content. Nothing was written; use a new id for a new event.`
  }
}

/** Give up: the file contains data that no log writes. */
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

/** Give up: the file is not a Hindcast log, or has a format that this version does not know. */
export class LogFormatUnsupported extends Data.TaggedError("LogFormatUnsupported")<{
  readonly log: string
  readonly found: string
}> {
  override get message() {
    return `${this.log} is not a log that this version of Hindcast can open: expected a Hindcast log, found ${this.found}. The file was not changed.`
  }
}

/** Free disk space, then retry. */
export class DiskFull extends Data.TaggedError("DiskFull")<{ readonly log: string }> {
  override get message() {
    return `${this.log}: the disk is full. Nothing of this append was written; make room and try again.`
  }
}

/** Give up: the operating system refused to open, read or write the log. */
export class LogUnavailable extends Data.TaggedError("LogUnavailable")<{
  readonly log: string
  readonly reason: string
}> {
  override get message() {
    return `${this.log} is not available: ${this.reason}`
  }
}

/** Restore the file: it holds archived events, and is missing or cannot be read. */
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

/** Fix the call: the query is not valid. */
export class InvalidQuery extends Data.TaggedError("InvalidQuery")<{ readonly reason: string }> {
  override get message() {
    return `Query: ${this.reason}. Nothing was read.`
  }
}

/** Errors of reading. */
export type LogError = LogBusy | LogCorrupt | LogUnavailable | SegmentUnavailable | InvalidQuery

/** Errors of opening. */
export type OpenError = LogError | LogFormatUnsupported

/** Errors of appending. `LeaseLost` occurs only where a kernel appends. */
export type AppendError = LogError | VersionConflict | InvalidEvent | IdReused | DiskFull | LeaseLost

/**
 * The log: a totally ordered, append-only store of events, and the only thing in Hindcast that writes. Several
 * processes may append to one log at the same time.
 */
export class EventLog extends Context.Tag("hindcast/EventLog")<
  EventLog,
  {
    /** The log's location, for messages: a file's path, or `memory`. */
    readonly name: string
    /** The timeline that this log is bound to: `main`, or another one in a view (see `Timelines.view`). */
    readonly timeline: string
    /** The spans that the timeline's history consists of, oldest first. */
    readonly spans: ReadonlyArray<Span>
    /**
     * Appends events to one stream, all of them or none. Concurrent appends are committed together. A conflict fails
     * only the append that caused it; if its caller retries at once, the retry goes before appends that come later.
     * After it succeeds, the events survive the death of any process.
     */
    readonly append: (request: AppendRequest) => Effect.Effect<Appended, AppendError>
    /** Reads events in order of position, in constant memory. Ends at the head as of the last read. */
    readonly read: (query?: Query) => Stream.Stream<Event, LogError>
    /** Reads at most `limit` events, 1 or more, in order of position. One page of `read`, for folds. */
    readonly readPage: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
    /** The event with this id. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Event>, LogError>
    /** The version of a stream's last event, for `Exact`; 0 if it has none. Default timeline: the log's. */
    readonly versionOf: (stream: string, timeline?: string) => Effect.Effect<number, LogError>
    /** The last position and its hash. */
    readonly head: Effect.Effect<Head, LogError>
    /**
     * Emits the past events, then one `CaughtUp`, then events as this or any other process commits them, without gaps
     * or repeats. Never ends by itself.
     */
    readonly follow: (query?: Omit<Query, "until">) => Stream.Stream<Event | CaughtUp, LogError>
    /**
     * Verifies everything that reads depend on, in constant memory. First the whole chain: the result names the first
     * position that fails and why. It detects every change, removal, insertion and reordering of events, except those
     * that leave a valid chain: removal of the last events, and a log rewritten from some position on. Those need an
     * anchor, see `verifyWith`. Then the indexes and the data beside the events: tables, triggers, pages and indexes,
     * versions, ids, names, large payloads, segments, snapshots. The result lists the checks.
     */
    readonly verify: Effect.Effect<Verification, LogError>
    /** Like `verify`, with options: an anchor, progress reports, or the chain alone. */
    readonly verifyWith: (options: VerifyOptions) => Effect.Effect<Verification, InvalidOptions | LogError>
  }
>() {}
