/** A stretch of history with all that is needed to step through it without another question. */
import type { Json } from "../../values/Json.ts"
import type { Kind } from "./Kind.ts"

/** Events in a chunk. */
export const CHUNK = 200

/**
 * `GET /api/chunk?timeline=…&task=…&number=…` or `…&at=POSITION`.
 *
 * Of a task, chunk `n` has its events from the `n × CHUNK`-th on (counted from 0); without a task, the events of the timeline at
 * positions from `n × CHUNK + 1` to `(n + 1) × CHUNK`. So a chunk that is full never changes, except that payloads are archived
 * or shredded.
 */
export interface Chunk {
  readonly timeline: string
  readonly task: string | null
  readonly number: number
  /** How many entries come before its first one in the task; of a timeline, positions. */
  readonly offset: number
  /** Whether more events can never come into it. */
  readonly full: boolean
  /** The state before the first entry, limited to what the entries concern: `/shared` and `/tasks/…` of their tasks. */
  readonly state: ChunkState
  /** Who wrote what: the position of the event that last wrote a leaf of `state`, by its JSON Pointer. What is missing was not looked for. */
  readonly written: { readonly [pointer: string]: number }
  /** The views of plugins that draw a world in these entries, with the position from which each holds. */
  readonly views: ReadonlyArray<WorldView>
  readonly entries: ReadonlyArray<Entry>
  /**
   * Changes of `/shared` between the first entry and the last by events that are no entries of it: of a task's chunk, those of no
   * task. To stand at an entry's position, apply what is at earlier positions, of the entries and of these, in order.
   */
  readonly aside: ReadonlyArray<{ readonly position: number; readonly changes: ReadonlyArray<Change> }>
}

/** A part of the environment's state (`EnvironmentState`), with the same JSON Pointers. */
export interface ChunkState {
  readonly shared: Json
  readonly tasks: { readonly [taskId: string]: Json }
}

/** How a plugin draws its world. */
export interface WorldView {
  readonly plugin: string
  readonly from: number
  /** The `view` of its manifest; null where it has none that can be read. */
  readonly view: Json | null
  /** Its drawing code; null where it brings none. */
  readonly code: ViewCode | null
}

/** A plugin's own drawing code (`viewHtml` of its manifest). */
export interface ViewCode {
  /** The digest of the plugin's files, as recorded. */
  readonly digest: string
  /** The address of the frame in which it draws; null if the server was not started to allow that, or cannot. */
  readonly frame: string | null
  /** Why it does not draw although the server was started to let it: a sentence. */
  readonly problem: string | null
}

/** One event. */
export interface Entry {
  readonly position: number
  readonly id: string
  readonly type: string
  readonly kind: Kind
  /** A failure, a denial, an unknown outcome. */
  readonly bad: boolean
  readonly task: string | null
  readonly timeline: string
  readonly actor: string
  readonly recordedAt: number
  readonly occurredAt: number
  /** The event that made it happen: its position, type and line; null if none, or if it is not in the log. */
  readonly cause: Cause | null
  /** What happened in one line, without control characters. */
  readonly line: string
  /** The payload; null where it is longer than `LONGEST_PAYLOAD`: `GET /api/event?position=…` has the whole. */
  readonly payload: Json | null
  /** The length of the payload as JSON, in characters. */
  readonly length: number
  /** Which fields are encrypted and cannot be read, if any. */
  readonly unreadable: ReadonlyArray<string>
  /** The changes that it made to the state: JSON Patch with `add`, `remove` and `replace` alone, by full pointers. */
  readonly changes: ReadonlyArray<Change>
}

/** The event before in a chain of causes. */
export interface Cause {
  readonly position: number
  readonly type: string
  readonly line: string
  /** How it was found, where that was not recorded. */
  readonly inferred?: InferredCause
}

/** Longest payload in a chunk, in characters of JSON. */
export const LONGEST_PAYLOAD = 16_384

/** One change of the state. */
export type Change =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }

/** `GET /api/event?position=…`: one event whole, with its envelope. */
export interface WholeEvent extends Entry {
  readonly stream: string
  readonly version: number
  readonly schemaVersion: number
  readonly causationId: string | null
  readonly hash: string
}

/** An event in few words. */
export type Brief = Pick<Entry, "position" | "type" | "kind" | "bad" | "line" | "actor" | "recordedAt">

/** `GET /api/why?position=…`: the event and its causes up to the root. */
export type Why = ReadonlyArray<
  Brief & {
    /** How it was found to be the cause of the event before it: absent where that was recorded. */
    readonly inferred?: InferredCause
    /** Of the event itself, what was inferred of its place: its task, what it continues, whose further attempt it is. */
    readonly placed?: ReadonlyArray<Placed>
  }
>

/** How a cause was inferred. */
export interface InferredCause {
  /** The rule, and a sentence that says what it is. */
  readonly rule: string
  readonly says: string
  /** JSON Pointers of the arguments before it that occur in it, where the rule compares values. */
  readonly from?: ReadonlyArray<string>
}

/** What was inferred of an event's place. */
export interface Placed {
  readonly what: "task" | "after" | "retryOf"
  readonly rule: string
  readonly says: string
}

/**
 * `GET /api/effects?position=…&timeline=…`: what it caused in the history of that timeline (default: its own), and what that
 * caused, in order, with its depth; at most 200.
 */
export type Effects = ReadonlyArray<Brief & { readonly depth: number; readonly inferred?: InferredCause }>
