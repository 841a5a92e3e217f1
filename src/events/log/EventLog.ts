/**
 * The event log's interface, which every backend implements: queries, appends (`AppendRequest`) and errors
 * (`LogErrors`).
 */

import { Context, Data, type Effect, type Option, type Stream } from "effect"
import type { InvalidOptions } from "../../values/Options.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { WordIndex } from "../words/WordIndex.ts"
import type { Appended, AppendRequest } from "./AppendRequest.ts"
import type { AppendError, LogError } from "./LogErrors.ts"
import type { LogFile } from "./LogFile.ts"
import type { Ownership } from "./Ownership.ts"
import type { TaskPart } from "./TaskPart.ts"
import type { ChainRange, Verification, VerifyOptions } from "./Verification.ts"

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
export type { TaskPart } from "./TaskPart.ts"
export { ChainRange, type TamperKind, Verification, VerifyOptions } from "./Verification.ts"

/** The timeline that every log has. */
export const MAIN = "main"

/** Timeline and spans of a log that is no view of a fork. */
export const ON_MAIN = { timeline: MAIN, spans: [{ timeline: MAIN, until: Number.MAX_SAFE_INTEGER }] } as const

/** Selects events, in order of position. Absent fields do not filter. */
export interface Query {
  /** Only events after this position. Default: 0, the beginning. */
  readonly after?: number
  /** Only events up to and including this position. */
  readonly until?: number
  readonly timeline?: string
  readonly stream?: string
  /** With `stream`: only events of a higher version. */
  readonly afterVersion?: number
  /** Only events of this task; null for events without a task. */
  readonly taskId?: string | null
  readonly types?: ReadonlyArray<string>
  /** Only events of the tasks of this part; events without a task belong to the first one. See `TaskPart`. */
  readonly part?: TaskPart
  /** Only events that happened at exactly this time by the source's clock. No index covers it: bound the range. */
  readonly occurredAt?: number
  /**
   * Leaves out events whose payload names another plugin in `plugin`, where the log can do so before it decodes them.
   * Check each event of the result.
   */
  readonly plugin?: string
  /**
   * True to read events as the log stores them: a compact one (`StepsRecorded`) without the events of its steps. Default:
   * false.
   */
  readonly whole?: boolean
  /**
   * True to read the steps of a compact event (`StepsRecorded`) in short: instead of all steps before the last selected
   * one, the changes that they make together and the last readings. Default: false.
   */
  readonly condensed?: boolean
  /** Of the events that a compact event stands for, only those of these types. Default: all. */
  readonly stepTypes?: ReadonlyArray<string>
}

/** The fields of a committed event that queries filter by. */
export type Committed = Pick<Event, "position" | "timeline" | "stream" | "version" | "taskId" | "type" | "occurredAt">

/** The events of one timeline up to a position, as part of a history. */
export interface Span {
  readonly timeline: string
  readonly until: number
}

/** `follow` emits this marker once, after every event that was in the log at its start. */
export class CaughtUp extends Data.TaggedClass("CaughtUp")<{ readonly position: number }> {}

/** A process's knowledge of a log after a look. */
export interface Glance {
  readonly head: Head
  /** As `epoch` of `Snapshots`. */
  readonly epoch: string
  /** False only if the log has no event for the query up to `head`. Considers what `mayHave` of the log considers. */
  readonly mayHave: (query: Query) => boolean
}

/**
 * The log: a totally ordered, append-only store of events, and the only thing in Hindcast that writes. Several
 * processes may append at the same time.
 */
export class EventLog extends Context.Tag("hindcast/EventLog")<EventLog, EventLog.Service>() {}

/** The type of the service: `EventLog.Service`. */
export declare namespace EventLog {
  /** The log as every backend provides it. `suite` of `hindcast/testing` tests a backend. */
  export interface Service {
    /** The log's location, for messages: a file's path, or `memory`. */
    readonly name: string
    /** The file, for threads that read the same events. Absent for a log in memory or with event types of its own. */
    readonly file?: LogFile
    /**
     * The index of words that the log's store keeps, in a version of the words: for a search. Absent for a log in a file, in
     * memory, or with event types of its own.
     */
    readonly wordIndex?: (version: number) => WordIndex
    /** Who wrote the log. Absent in memory, where nobody else can write. */
    readonly ownership?: Ownership
    /** The timeline that this log is bound to: `main`, or another one in a view (see `Timelines.view`). */
    readonly timeline: string
    /** The spans of the timeline's history, oldest first. */
    readonly spans: ReadonlyArray<Span>
    /**
     * Appends events to one stream, all of them or none. Concurrent appends commit together. A conflict fails only its
     * own append; an immediate retry goes before later appends. Acknowledged events survive the death of any process.
     */
    readonly append: (request: AppendRequest) => Effect.Effect<Appended, AppendError>
    /** Reads events in order of position, in constant memory. Ends at the head as of the last read. */
    readonly read: (query?: Query) => Stream.Stream<Event, LogError>
    /** Reads at most `limit` events, 1 or more: one page of `read`, for folds. */
    readonly readPage: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
    /** Finds an event by id. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Event>, LogError>
    /** The version of a stream's last event, for `Exact`; 0 if it has none. Default timeline: the log's. */
    readonly versionOf: (stream: string, timeline?: string) => Effect.Effect<number, LogError>
    /** The last position and its hash. */
    readonly head: Effect.Effect<Head, LogError>
    /**
     * Emits past events, then one `CaughtUp`, then events as this or any other process commits them, without gaps or
     * repeats. Never ends by itself.
     */
    readonly follow: (query?: Omit<Query, "until">) => Stream.Stream<Event | CaughtUp, LogError>
    /**
     * Calls `listener` after each commit, until the caller runs the returned function. It receives the committed
     * events, in order, without gaps or repeats, or nothing if they must be read. It learns of other processes' commits
     * when this process reads, at the latest after 50 ms. It must be short and not throw.
     */
    readonly onCommit: (listener: (events?: ReadonlyArray<Committed>) => void) => () => void
    /**
     * False only if the log has no event for the query, by memory alone. Considers `after`, `stream` and `types`, and
     * agrees with a read in the same turn of the event loop. Absent for a log without such a memory.
     */
    readonly mayHave?: (query: Query) => boolean
    /**
     * Brings this process's memory of the log up to date, by one small read that all who ask at the same time share. The
     * answer includes every event committed before the call. Absent for a log that knows this without a round trip.
     */
    readonly glance?: Effect.Effect<Glance, LogError>
    /**
     * Verifies everything that reads depend on, in constant memory. The chain comes first: the result names the first
     * position that fails, and why. Detects every change, removal, insertion and reordering of events, except those
     * that leave a valid chain: a cut end, and a log rewritten from some position on. Those need an anchor, see
     * `verifyWith`. Then come tables, triggers, pages and indexes, versions, ids, names, large payloads, segments and
     * snapshots. The result lists the checks.
     */
    readonly verify: Effect.Effect<Verification, LogError>
    /** Like `verify`, with an anchor, progress reports, or the chain alone. */
    readonly verifyWith: (options: VerifyOptions) => Effect.Effect<Verification, InvalidOptions | LogError>
    /**
     * Walks a part of the chain, so that several processes can share a verification. Emits the head stored before the
     * range, then the head after each page. Ends early at the first event that does not continue the chain, and is
     * empty if the event before the range is missing. A range proves nothing alone: join the ranges from the beginning,
     * each at the head that the one before reached, and give the last head to `verifyWith` as `verified`.
     */
    readonly verifyRange: (range: ChainRange) => Stream.Stream<Head, InvalidOptions | LogError>
  }
}

/** Alias of `EventLog.Service` for namespace imports. */
export type Service = EventLog.Service
