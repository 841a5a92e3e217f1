/** A stretch of history with everything that the page needs to step through it. */
import type { Passage } from "../../projections/explanation/FollowedPassage.ts"
import type { Json } from "../../values/Json.ts"
import type { Kind } from "./Kind.ts"

/** Events per chunk. */
export const CHUNK = 200

/**
 * `GET /api/chunk?timeline=…&task=…&number=…` or `…&at=POSITION`.
 *
 * Chunk `n` of a task has its events from the `n × CHUNK`-th on, counted from 0. Without a task, it has the timeline's
 * events at positions from `n × CHUNK + 1` to `(n + 1) × CHUNK`. So a full chunk changes only if payloads are archived
 * or shredded.
 */
export interface CourseSlice {
  readonly timeline: string
  readonly task: string | null
  readonly number: number
  /** The number of entries, or for a timeline positions, before its first one. */
  readonly offset: number
  /** Whether the chunk cannot get further events. */
  readonly full: boolean
  /** The state before the first entry, limited to `/shared` and the `/tasks/…` of the entries. */
  readonly state: SliceState
  /**
   * For leaves of `state`, by JSON Pointer, the position of the event that last wrote it. A missing leaf is unknown.
   */
  readonly written: { readonly [pointer: string]: number }
  /** The views of plugins with a world in these entries, each with the position from which it holds. */
  readonly views: ReadonlyArray<WorldView>
  readonly entries: ReadonlyArray<Entry>
  /**
   * Changes of `/shared` between the first and the last entry by events that are not entries: in a task's chunk, events
   * of no task. To get the state at an entry, apply all changes at earlier positions, from the entries and from here,
   * in order.
   */
  readonly aside: ReadonlyArray<{ readonly position: number; readonly changes: ReadonlyArray<Change> }>
}

/** A part of the environment's state (`EnvironmentState`), with the same JSON Pointers. */
export interface SliceState {
  readonly shared: Json
  readonly tasks: { readonly [taskId: string]: Json }
}

/** How a plugin draws its world. */
export interface WorldView {
  readonly plugin: string
  readonly from: number
  /** The `view` of its manifest; null if there is none that can be read. */
  readonly view: Json | null
  /** Its drawing code, if any. */
  readonly code: ViewCode | null
}

/** A plugin's own drawing code (`viewHtml` of its manifest). */
export interface ViewCode {
  /** The recorded digest of the plugin's files. */
  readonly digest: string
  /** The address of the frame in which it draws; null if the server does not allow that, or cannot. */
  readonly frame: string | null
  /** One sentence: why it does not draw although the server allows it. */
  readonly problem: string | null
}

export interface Entry {
  readonly position: number
  readonly id: string
  readonly type: string
  readonly kind: Kind
  /** A failure, a denial, or an unknown outcome. */
  readonly bad: boolean
  readonly task: string | null
  readonly timeline: string
  readonly actor: string
  readonly recordedAt: number
  readonly occurredAt: number
  /** Null if there is no cause, or if the log lacks it. */
  readonly cause: Cause | null
  /** A summary on one line, without control characters. */
  readonly line: string
  /** Null if it is longer than `LONGEST_PAYLOAD`: `GET /api/event?position=…` returns it. */
  readonly payload: Json | null
  /** The length of the payload as JSON, in characters. */
  readonly length: number
  /** Names of encrypted fields whose key is missing. */
  readonly unreadable: ReadonlyArray<string>
  /** The changes that it made to the state: JSON Patch with only `add`, `remove` and `replace`, by full pointers. */
  readonly changes: ReadonlyArray<Change>
}

/** The previous event in a chain of causes. */
export interface Cause {
  readonly position: number
  readonly type: string
  readonly line: string
  /** Present if the cause was inferred rather than recorded. */
  readonly inferred?: InferredCause
}

/** Maximum length of a payload in a chunk, in characters of JSON. */
export const LONGEST_PAYLOAD = 16_384

export type Change =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }

/** `GET /api/event?position=…`: one complete event with its envelope. */
export interface WholeEvent extends Entry {
  readonly stream: string
  readonly version: number
  readonly schemaVersion: number
  readonly causationId: string | null
  readonly hash: string
}

/** A short event. */
export type Brief = Pick<Entry, "position" | "type" | "kind" | "bad" | "line" | "actor" | "occurredAt">

/** `GET /api/why?position=…`: the event and its causes up to the root. */
export type Why = ReadonlyArray<
  Brief & {
    /** Present if this cause of the previous event was inferred rather than recorded. */
    readonly inferred?: InferredCause
    /**
     * The inferred parts of the event's place: its task, the event that it continues, and the event that it retries.
     */
    readonly placed?: ReadonlyArray<Placed>
    /** The passage of the conversation that this command or decision of a model follows from. */
    readonly passage?: Passage
  }
>

export interface InferredCause {
  /** The rule, and a sentence about it. */
  readonly rule: string
  readonly says: string
  /** If the rule compares values: JSON Pointers to earlier arguments that occur in the event. */
  readonly from?: ReadonlyArray<string>
}

/** An inferred part of an event's place. */
export interface Placed {
  readonly what: "task" | "after" | "retryOf"
  readonly rule: string
  readonly says: string
}

/**
 * `GET /api/effects?position=…&timeline=…`: at most 200 effects of an event, direct and indirect, in order and with
 * their depth, in the history of that timeline (default: the event's own).
 */
export type Effects = ReadonlyArray<Brief & { readonly depth: number; readonly inferred?: InferredCause }>
