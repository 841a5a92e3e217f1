/** The API's questions and orders beyond single tasks. */
import type { ContentDifferences } from "../../projections/timetravel/alignment/ContentDifference.ts"
import type { Json } from "../../values/Json.ts"
import type { Entry, Why } from "./CourseSlice.ts"
import type { CommonScore } from "./Scoring.ts"
import type { SearchCoverage, SearchHit } from "./Search.ts"
import type { RewardRow, TaskHead } from "./Task.ts"

/** `GET /api/locate?moment=…`: a position, an event's id, or a time with its zone. */
export interface Located {
  readonly timeline: string
  readonly position: number
  /** The task of the event there, if any. */
  readonly task: string | null
  /** For a time: how the server understood it. */
  readonly said?: string
}

/**
 * A line of `GET /api/find?timeline=…&task=…&when=CEL`: events at which a predicate becomes true, as lines of JSON
 * (`application/x-ndjson`) until `end`.
 */
export type FindLine =
  | { readonly hit: Hit }
  | { readonly progress: { readonly done: number; readonly of: number } }
  | { readonly problem: string }
  /** `cut`: there are more hits. */
  | { readonly end: true; readonly cut: boolean }

export interface Hit {
  readonly position: number
  readonly timeline: string
  readonly task: string | null
  readonly type: string
  readonly line: string
}

/**
 * `GET /api/search?text=…&task=…&kind=…&order=newest|best&before=N&limit=N`: events on any timeline whose texts have
 * some words, at most 500.
 */
export interface SearchAnswer {
  readonly hits: ReadonlyArray<SearchHit>
  /** The position before which there may be more hits, as `before` of the next request; null at the end. */
  readonly next: number | null
  /** Whether no event had exactly these words, so that the hits have words that begin with them. */
  readonly widened: boolean
  readonly coverage: SearchCoverage
}

/**
 * `GET /api/history?timeline=…&task=…&path=…`: the values that a path had, oldest first; of more than 2,000, the
 * newest.
 */
export interface PathHistory {
  readonly path: string
  readonly values: ReadonlyArray<{
    readonly position: number
    readonly type: string
    readonly actor: string
    /** Absent if the event removed the value. */
    readonly value?: Json
  }>
  readonly cut: boolean
}

/** `GET /api/compare?a=TIMELINE/TASK&b=TIMELINE/TASK&scores=SET`: `scores` is a score set of either. */
export interface Comparison {
  readonly a: TaskHead
  readonly b: TaskHead
  /**
   * Rows of the alignment: kind (`=` the same, `~` changed, `a` or `b` only there), then the positions in `a` and `b`,
   * 0 for none.
   */
  readonly pairs: ReadonlyArray<readonly [kind: "=" | "~" | "a" | "b", a: number, b: number]>
  /** Index of the first row that differs, if any. */
  readonly divergence: number | null
  /** Index of the first row with the first decision that differs, if any. */
  readonly split: number | null
  /** Where the two split, for people. */
  readonly sentence: string
  /** Names that distinguish the two, such as `A (careful)`. */
  readonly labels: readonly [a: string, b: string]
  /** The last position of the shared history, or 0. */
  readonly shared: number
  /** Rubrics by which at least one of the two is scored: those of both first. */
  readonly scores: ReadonlyArray<CommonScore>
  /** The one that both are compared by; null if neither is scored. */
  readonly scored: CommonScore | null
  /** By that one; empty for a task that it does not score. */
  readonly rewards: { readonly a: ReadonlyArray<RewardRow>; readonly b: ReadonlyArray<RewardRow> }
  /** Caveats of the comparison, such as that the rubrics differ. */
  readonly notes: ReadonlyArray<string>
}

/**
 * `GET /api/differences?rows=POSITION-POSITION,…`: the differences between two events, for at most 100 rows, in their
 * order. Leaves out times, ids and other parts that differ between any two runs.
 */
export type RowDifferences = ReadonlyArray<ContentDifferences>

/** `GET /api/questions`: pending questions to people, oldest first. */
export interface Question {
  readonly id: string
  /** The digest of the whole question, which an answer has to name. */
  readonly digest: string
  readonly timeline: string
  readonly task: string | null
  readonly position: number
  /** The actuator or host request, such as `boiler/heat`. */
  readonly what: string
  readonly args: Json
  /** Everything that the person sees, as recorded. */
  readonly shown: Json
  /** The gate rule that asks, as the recorded gate decides; null if the log lacks that gate. */
  readonly rule: string | null
  readonly risk: string | null
  /** A security warning, if any. */
  readonly warning: string | null
  readonly requestedAt: number
  readonly expiresAt: number
  /** The causes of the request, up to the root. */
  readonly why: ReadonlyArray<Pick<Why[number], "position" | "type" | "line" | "inferred" | "placed">>
}

/**
 * `POST /api/answers`. Returns `{ "position": … }`. Status 409 with `error` `AlreadyAnswered`, whose message says by
 * whom, or `OtherQuestion` if the digest differs.
 */
export interface Answer {
  readonly question: string
  readonly digest: string
  readonly approve: boolean
  readonly reason?: string
}

/** `POST /api/forks`. Returns `ForkMade` once the fork's task is open; later events come live. */
export interface ForkOrder {
  readonly timeline: string
  readonly task: string
  /** The fork continues after this position. */
  readonly at: number
  /** One of `LogInfo.agents`. Default: the task's own agent, if it is one of them. */
  readonly agent?: string
  readonly seed?: number
  /** Readings that replace the sensors' first ones, by sensor. */
  readonly readings?: { readonly [sensor: string]: Json }
  /** Whether to continue in worlds that cannot be brought back to the position, in their current state. */
  readonly acceptUnrewound?: boolean
}

export interface ForkMade {
  readonly timeline: string
  readonly task: string
  /** Notes about its worlds, such as that one was recorded under another engine. */
  readonly notes?: ReadonlyArray<string>
}

/** `POST /api/rubrics/check` and `POST /api/rescores`, with `{ "rubric": YAML, "tasks": [{ timeline, task }] }`. */
export interface RescoreOrder {
  readonly rubric: string
  readonly label?: string
  readonly tasks: ReadonlyArray<{ readonly timeline: string; readonly task: string }>
}

/** The result of `POST /api/rescores`: one new score set for each timeline. */
export type Rescored = ReadonlyArray<{ readonly timeline: string; readonly set: string; readonly label: string }>

/** An issue of an edited text, at a line and column counted from 1; null if it concerns the whole text. */
export interface TextIssue {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
}

/** `POST /api/rubrics/check` returns a list of these. */
export type RubricIssue = TextIssue

/**
 * `GET /api/live?after=POSITION`: server-sent events, for `fetch`. The id of each is the last position.
 *
 * - `entries`: `Live`, as events come, without a gap from `after` on.
 * - `questions`: all pending `Question`s, whenever they change.
 * - `indexed`: `{ "indexed": number }`, while the server builds the index.
 * - `problem`: a `Problem`; the stream ends.
 */
export interface Live {
  readonly entries: ReadonlyArray<Entry>
  readonly head: number
}
