/**
 * The interface of the event log: queries, appends (`AppendRequest`) and their errors (`LogErrors`). Every backend
 * implements `EventLog`.
 */

import { Context, Data, type Effect, type Option, type Stream } from "effect"
import type { InvalidOptions } from "../../values/Options.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { Appended, AppendRequest } from "./AppendRequest.ts"
import type { AppendError, LogError } from "./LogErrors.ts"
import type { LogFile } from "./LogFile.ts"
import type { Ownership } from "./Ownership.ts"
import type { Verification, VerifyOptions } from "./Verification.ts"

export type { Head } from "../vocabulary/Event.ts"
export {
  Any,
  type Appended,
  type AppendPart,
  type AppendRequest,
  type CoreNewEvent,
  Exact,
  Exists,
  type ExpectedVersion,
  type Fence,
  type NewEvent,
  NoStream,
} from "./AppendRequest.ts"
export {
  type AppendError,
  DiskFull,
  IdReused,
  InvalidEvent,
  InvalidQuery,
  LeaseLost,
  LogBusy,
  LogCorrupt,
  type LogError,
  LogFormatUnsupported,
  LogUnavailable,
  type OpenError,
  SegmentUnavailable,
  VersionConflict,
} from "./LogErrors.ts"
export { type TamperKind, Verification, VerifyOptions } from "./Verification.ts"

/** The timeline that every log has. */
export const MAIN = "main"

/** The timeline and spans of a log that is not a view of another timeline. */
export const ON_MAIN = { timeline: MAIN, spans: [{ timeline: MAIN, until: Number.MAX_SAFE_INTEGER }] } as const

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
  /** Only events that happened at exactly this time, by the source's clock. No index has it: bound the range. */
  readonly occurredAt?: number
}

/** An event of which is told that it was committed: what queries filter by. */
export type Committed = Pick<Event, "position" | "timeline" | "stream" | "version" | "taskId" | "type" | "occurredAt">

/** A part of a timeline's history: the events of one timeline up to a position. */
export interface Span {
  readonly timeline: string
  readonly until: number
}

/** The marker that `follow` emits once: every event that was in the log at the start has been emitted. */
export class CaughtUp extends Data.TaggedClass("CaughtUp")<{ readonly position: number }> {}

/**
 * The log: a totally ordered, append-only store of events, and the only thing in Hindcast that writes. Several
 * processes may append to one log at the same time.
 */
export class EventLog extends Context.Tag("hindcast/EventLog")<EventLog, EventLog.Service>() {}

/** The type of the service: `EventLog.Service`. */
export declare namespace EventLog {
  /** What a backend provides, and proves by `suite` of `hindcast/testing`. */
  export interface Service {
    /** The log's location, for messages: a file's path, or `memory`. */
    readonly name: string
    /** The file that threads can read the same events from. Absent for a log in memory, or with event types of its own. */
    readonly file?: LogFile
    /** Who wrote the log. Absent for a log in memory, which nobody else can write. */
    readonly ownership?: Ownership
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
     * Calls a function after each commit, until the returned function is called: with what was committed, in order, without
     * gaps or repeats; with nothing where it is not known what, so that who is told has to read. Commits of other processes are
     * told of when a read of this process finds them, at the latest 50 ms after they were made. The function must be short
     * and not throw.
     */
    readonly onCommit: (told: (events?: ReadonlyArray<Committed>) => void) => () => void
    /**
     * Whether the log may have an event that a query selects, answered from memory: false only if it has none. It looks at
     * `after`, `stream` and `types`, and sees what a read of the same turn of the event loop would see. Absent for a log that has no such memory.
     */
    readonly mayHave?: (query: Query) => boolean
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
}

/** `EventLog.Service`, under a shorter name where this module is imported as a namespace. */
export type Service = EventLog.Service
