/** The errors of the event log, by remedy: retry, rebase, fix the call, or give up. */

import { Data } from "effect"
import { quoteWord } from "../../values/ShellWord.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { ExpectedVersion } from "./AppendRequest.ts"
import { isAddress } from "./ServerUrl.ts"

/** Retry: another process held the log for longer than the busy time-out. */
export class LogBusy extends Data.TaggedError("LogBusy")<{ readonly log: string; readonly waitedMs: number }> {
  override get message() {
    return `${this.log} is busy: another process held it for more than ${this.waitedMs} ms. Nothing was written; try again.`
  }
}

/** Rebase: the stream has another version than expected. Holds the events that the caller missed. */
export class VersionConflict extends Data.TaggedError("VersionConflict")<{
  readonly stream: string
  readonly expected: ExpectedVersion
  /** The stream's version; 0 if it has no event. */
  readonly actual: number
  /** The stream's events after the expected version, at most the first 1,000. */
  readonly missed: ReadonlyArray<Event>
}> {
  override get message() {
    return (
      `Stream ${this.stream}: expected ${describeExpected(this.expected)}, found ${this.actual === 0 ? "no event" : `version ${this.actual}`}. ` +
      "Nothing was written; take the missed events into account and append again."
    )
  }
}

const describeExpected = (expected: ExpectedVersion): string => {
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

/**
 * Give up: another kernel or runner took over while this one was silent, or this one suspended the task. All later
 * appends fail.
 */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{
  readonly log: string
  readonly owner: string
  /** The task that the kernel left open for a later one. */
  readonly suspended?: string
  /** The queued task that the owner, a runner, no longer has a claim on. */
  readonly claimed?: string
}> {
  override get message() {
    if (this.claimed !== undefined) {
      return `Task ${this.claimed}: runner "${this.owner}" no longer has its claim; another runner continues the task. Nothing more is executed or recorded in it here.`
    }
    if (this.suspended !== undefined) {
      return `Task ${this.suspended} was suspended: it stays open in ${this.log}, and nothing more is executed or recorded in it here. A kernel with \`onOpenTasks: "resume"\` continues it.`
    }
    return `${this.log}: "${this.owner}" no longer holds the lease; another kernel took over. Nothing more is executed or recorded here.`
  }
}

/** Fix the call: a part of the request is no valid event of this log. */
export class InvalidEvent extends Data.TaggedError("InvalidEvent")<{
  readonly stream: string
  /** Index of the event in the request; null if the request itself is invalid. */
  readonly index: number | null
  readonly reason: string
}> {
  override get message() {
    const where = this.index === null ? "" : `, event ${this.index}`
    return `Append to ${this.stream || "(no stream)"}${where}: ${this.reason}. Nothing was written.`
  }
}

/** Fix the call: the log has this id with other content. */
export class IdReused extends Data.TaggedError("IdReused")<{ readonly id: string; readonly position: number }> {
  override get message() {
    return `Event id ${this.id} is already used at @${this.position} with other content. Nothing was written; use a new id for a new event.`
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
    // The log may be another than the command's: a backup, or the source of a copy.
    const log = `--log ${quoteWord(this.log)}`
    return `${this.log} is damaged${where}: ${this.reason}. ${
      isAddress(this.log)
        ? `Run \`hindcast log verify ${log}\` to see what is damaged.`
        : `Run \`hindcast log doctor ${log}\` to see what is damaged, which events are intact, and what to do.`
    }`
  }
}

/** Give up: the file is no Hindcast log, or its format is unknown to this version. */
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
  /** True if there is no such file. */
  readonly missing?: boolean
}> {
  override get message() {
    return `${this.log} is not available: ${this.reason}`
  }
}

/** Restore the file: it holds archived events, and is missing or unreadable. */
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
      `Put the file back, or read only events after @${this.last}.`
    )
  }
}

/** Fix the call: the query is invalid. */
export class InvalidQuery extends Data.TaggedError("InvalidQuery")<{ readonly reason: string }> {
  override get message() {
    return `Query: ${this.reason}. Nothing was read.`
  }
}

/** Errors of reading. */
export type LogError = LogBusy | LogCorrupt | LogUnavailable | SegmentUnavailable | InvalidQuery

/** Errors of opening. */
export type OpenError = LogError | LogFormatUnsupported

/** Errors of appending. Only a kernel's appends fail with `LeaseLost`. */
export type AppendError = LogError | VersionConflict | InvalidEvent | IdReused | DiskFull | LeaseLost
