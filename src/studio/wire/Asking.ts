/** Questions that Studio asks of the log, and that the log asks of people. */
import type { Json } from "../../values/Json.ts"
import type { Entry, Why } from "./Chunk.ts"
import type { RewardRow, TaskHead } from "./Task.ts"

/** `GET /api/locate?moment=…`: a position, an id of an event, or a time with its zone. */
export interface Located {
  readonly timeline: string
  readonly position: number
  /** The task of the event there; null if it belongs to none. */
  readonly task: string | null
  /** Of a time: how it was understood. */
  readonly said?: string
}

/**
 * A line of `GET /api/find?timeline=…&task=…&when=CEL` (where a predicate becomes true) and of `GET /api/search?text=…` (payloads
 * that contain a text, whatever its case). Both answer with lines of JSON (`application/x-ndjson`) as they find, until `end`.
 */
export type FindLine =
  | { readonly hit: Hit }
  | { readonly progress: { readonly done: number; readonly of: number } }
  | { readonly problem: string }
  /** `cut`: there are more hits than were shown. */
  | { readonly end: true; readonly cut: boolean }

/** An event that was found. */
export interface Hit {
  readonly position: number
  readonly timeline: string
  readonly task: string | null
  readonly type: string
  readonly line: string
}

/** `GET /api/history?timeline=…&task=…&path=…`: every value that a path had, oldest first, at most 2,000; the newest are kept. */
export interface PathHistory {
  readonly path: string
  readonly values: ReadonlyArray<{
    readonly position: number
    readonly type: string
    readonly actor: string
    /** Absent where the event removed it. */
    readonly value?: Json
  }>
  readonly cut: boolean
}

/** `GET /api/compare?a=TIMELINE/TASK&b=TIMELINE/TASK&scoresA=…&scoresB=…` */
export interface Comparison {
  readonly a: TaskHead
  readonly b: TaskHead
  /** Rows of the alignment: kind (`=` the same, `~` changed, `a` or `b` only there), the position in `a`, the position in `b`; 0 for none. */
  readonly pairs: ReadonlyArray<readonly [kind: "=" | "~" | "a" | "b", a: number, b: number]>
  /** Index of the first row that is not the same; null if they are equal. */
  readonly divergence: number | null
  /** The last position of the history that both share; 0 if they share none. */
  readonly shared: number
  readonly rewards: { readonly a: ReadonlyArray<RewardRow>; readonly b: ReadonlyArray<RewardRow> }
  /** What is to be known before the two are held against each other, such as that their rubrics differ. */
  readonly notes: ReadonlyArray<string>
}

/** `GET /api/questions`: what waits for a person, oldest first. */
export interface Question {
  readonly id: string
  /** What an answer has to name: the digest of all that is asked. */
  readonly digest: string
  readonly timeline: string
  readonly task: string | null
  /** The position of the request. */
  readonly position: number
  /** What would be done: an actuator or a request to the host, such as `boiler/heat`. */
  readonly what: string
  readonly args: Json
  /** All that the person is shown, as it was recorded. */
  readonly shown: Json
  /** The gate's rule that asks: of a command, as the recorded gate decides about it; null if the log does not have that gate. */
  readonly rule: string | null
  readonly risk: string | null
  /** What is dangerous about it; null if nothing is said. */
  readonly warning: string | null
  readonly requestedAt: number
  readonly expiresAt: number
  /** The causes of the request, up to the root. */
  readonly why: ReadonlyArray<Pick<Why[number], "position" | "type" | "line" | "inferred" | "placed">>
}

/**
 * `POST /api/answers`. Answered with `{ "position": … }`, or with status 409 and `error` `AlreadyAnswered`, whose message says by whom,
 * or `OtherQuestion` if the digest is another.
 */
export interface Answer {
  readonly question: string
  readonly digest: string
  readonly approve: boolean
  readonly reason?: string
}

/** `POST /api/forks`. Answered with `ForkMade` when the fork's task has been opened; the rest of its course comes live. */
export interface ForkOrder {
  readonly timeline: string
  readonly task: string
  /** The fork goes on after this position. */
  readonly at: number
  /** One of `LogInfo.agents`; absent: the agent that the task had, if it is one of them. */
  readonly agent?: string
  readonly seed?: number
  /** Values of readings that are set before the agent goes on, by sensor. */
  readonly readings?: { readonly [sensor: string]: Json }
  /** Whether to go on in worlds that cannot be brought back to the position, as they are now. */
  readonly acceptUnrewound?: boolean
}

export interface ForkMade {
  readonly timeline: string
  readonly task: string
  /** What is to be known of its worlds, such as that one was recorded under another engine. Absent where nothing is. */
  readonly notes?: ReadonlyArray<string>
}

/** `POST /api/rubrics/check` and `POST /api/rescores`, with `{ "rubric": YAML, "tasks": [{ timeline, task }] }`. */
export interface RescoreOrder {
  readonly rubric: string
  readonly label?: string
  readonly tasks: ReadonlyArray<{ readonly timeline: string; readonly task: string }>
}

/** The answer of `POST /api/rescores`: the score sets that were made, one for each timeline. */
export type Rescored = ReadonlyArray<{ readonly timeline: string; readonly set: string; readonly label: string }>

/** What is wrong with a text that is edited, at a line and column counted from 1; null where it concerns all of it. */
export interface TextIssue {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
}

/** `POST /api/rubrics/check` answers with a list of these, empty if nothing is wrong. */
export type RubricIssue = TextIssue

/**
 * `GET /api/live?after=POSITION`: server-sent events, read by `fetch`. Each has the last position as its id.
 *
 * - `entries`: `Live`, as events come, without a gap from `after` on.
 * - `questions`: all `Question`s that wait, whenever that changed.
 * - `indexed`: `{ "indexed": number }`, while the index is built.
 * - `problem`: a `Problem`; the stream ends.
 */
export interface Live {
  readonly entries: ReadonlyArray<Entry>
  readonly head: number
}
