/** The API's answers about tasks. */

import type { WhyFailed } from "../../projections/explanation/FailureChain.ts"
import type { TaskScore as Score, ScoredTask as ScoreSetRow } from "../../projections/report/TaskScores.ts"
import type { CaptureRow } from "../../projections/state/CaptureSummary.ts"
import type { Activity } from "../../projections/summary/Activity.ts"
import type { OwnTime } from "../../values/time/OwnTime.ts"
import type { SearchCoverage, SearchHit } from "./Search.ts"

export type { Activity, Score, ScoreSetRow, WhyFailed }

/** A task in a list. */
export interface TaskRow {
  readonly timeline: string
  readonly id: string
  readonly goal: string
  /** Such as `daredevil@1.0.0`; null if unknown. */
  readonly agent: string | null
  /** `achieved`, `finished` (nobody judged it), `failed`, `abandoned` …; null while it is open. */
  readonly outcome: string | null
  /** The activity of an open task; null if it is closed. */
  readonly activity: Activity | null
  readonly reason: string | null
  readonly from: number
  /** The position of its closing, or of its last event while it is open. */
  readonly to: number
  readonly openedAt: number
  readonly closedAt: number | null
  readonly events: number
  readonly steps: number
  /** From opening to close by the task's own time, in ms, as the audit counts it; null while it is open. */
  readonly durationMs: number | null
  /** Its model calls, as the audit counts them; null while the server is still counting those of the log. */
  readonly models: TaskModels | null
  /** By the chosen scoring, else by the one that counts for it: official, else from its close, else the newest. */
  readonly score: Score | null
  /** Number of pending questions. */
  readonly waits: number
  /** Number of tasks below it: those that it started, and theirs, as `audit --tree` counts them. */
  readonly below: number
  /** Its course in at most 80 characters, each the most telling kind of its part (`Kind.CODES`). */
  readonly strip: string
}

/** A task's model calls. */
export interface TaskModels {
  /** Null if no model was called. */
  readonly use: ModelTotals | null
  /** By `provider/model`, sorted. */
  readonly models: ReadonlyArray<string>
}

/**
 * `GET /api/scorings?timeline=…`: the values that `scores` of other requests takes: pointers first, then labels, newest
 * first.
 */
export interface Scorings {
  readonly rows: ReadonlyArray<{
    readonly name: string
    /** Whether it is a pointer such as `official`, rather than a label. */
    readonly isPointer: boolean
    /** Number of tasks with a finished score by it. */
    readonly tasks: number
  }>
  /** Number of further labels, which are left out. */
  readonly left: number
}

/** `worst`: failed and abandoned tasks first, then by score. */
export type TaskOrder = "worst" | "newest" | "oldest"

/**
 * `GET /api/tasks?timeline=…&where=…&order=…&scores=…&offset=…&limit=…`: `where` is CEL over `task`, a `TaskRow`, such as
 * `task.outcome == "failed" && task.agent.startsWith("daredevil")`.
 */
export interface TaskList {
  /** The number of all such tasks; `rows` is a part of them. */
  readonly total: number
  readonly rows: ReadonlyArray<TaskRow>
  /** The most telling hit of each of these tasks, if the request has `text`; null without. */
  readonly found: {
    readonly hits: ReadonlyArray<SearchHit>
    /** Whether no event had exactly these words, so that the hits have words that begin with them. */
    readonly widened: boolean
    readonly coverage: SearchCoverage
    /** Whether there are older hits that were not looked at. */
    readonly cut: boolean
  } | null
}

/** `GET /api/reasons?timeline=…&tasks=["TASK",…]`: the sentences of at most 100 tasks (`TaskHead.sentence`), in their order. */
export type TaskReasons = ReadonlyArray<{ readonly id: string; readonly sentence: string }>

/** `GET /api/groups?timeline=…&where=…&scores=…&by=agent|outcome|plugin`: the tasks of a list in groups. */
export interface TaskGroup {
  /** The group's common value; null for open tasks, or tasks whose agent is unknown. */
  readonly key: string | null
  readonly tasks: number
  readonly outcomes: { readonly [outcome: string]: number }
  /** The mean net score of its scored tasks, if any. */
  readonly mean: number | null
  /** Net scores in the order of the tasks' openings, thinned out evenly to at most 200. */
  readonly trend: ReadonlyArray<number>
}

/** `GET /api/task?timeline=…&task=…&scores=…` */
export interface TaskHead extends TaskRow {
  /** One sentence about its state, and about its failure if it failed: that of `/api/failure` (`WhyFailed`). */
  readonly sentence: string
  /** The use of language models, as the audit counts it; null if none was called. */
  readonly use: ModelTotals | null
  /** The position of the worst moment: where to look first (`WhyFailed`), else the evidence of the greatest punishment. */
  readonly worst: number | null
  readonly sets: ReadonlyArray<ScoreSetRow>
  readonly forks: ReadonlyArray<{ readonly timeline: string; readonly task: string; readonly position: number }>
  /** Plugins that took part. */
  readonly plugins: ReadonlyArray<string>
  /** Whether a recorder or an import wrote it: then `/api/capture` has details. */
  readonly isCaptured: boolean
  /** Whether the files of its workspace were recorded: then `/api/files` has them. */
  readonly hasFiles: boolean
  /** Whether it was opened for several agents: then `/api/behaviour` tells how they behave together. */
  readonly isOfSeveral: boolean
}

/**
 * `GET /api/tree?timeline=…&task=…`: the task and the tasks below it, as `hindcast audit --tree` adds them up. A child comes
 * before its own children.
 */
export interface TaskTree {
  readonly total: TreeSums
  readonly tasks: ReadonlyArray<TreeRow>
  /** Number of further tasks. The sums count them. */
  readonly left: number
}

export interface TreeRow extends Pick<TaskRow, "goal" | "activity"> {
  readonly task: string
  readonly timeline: string
  /** 0 for the task at the top. */
  readonly depth: number
  readonly agent: string
  /** As `TaskRow.outcome`. */
  readonly outcome: string | null
  readonly reason: string | null
  /** The sums of the task itself. */
  readonly own: TreeSums
  /** The sums of it and the tasks below it. */
  readonly all: TreeSums
}

/** What several tasks used together; null is unknown. */
export interface TreeSums {
  readonly tasks: number
  readonly open: number
  readonly outcomes: { readonly [outcome: string]: number }
  readonly commands: number
  /** Requests to models. */
  readonly calls: number
  readonly tokens: number | null
  readonly knownTokens: number
  /** In US dollars. */
  readonly usd: number | null
  readonly atLeastUsd: number
  /** Of the scores from the tasks' closes; null if none was scored then. */
  readonly rewards: { readonly earned: number; readonly lost: number; readonly net: number } | null
}

/** `GET /api/relatives?timeline=…&task=…`: the task that started a task, and those that it started, such as of sub-agents. */
export interface Relatives {
  readonly parent: Relative | null
  readonly children: ReadonlyArray<Relative>
  /** Number of further children. */
  readonly left: number
}

export interface Relative extends Pick<TaskRow, "goal" | "agent" | "outcome" | "activity"> {
  readonly task: string
  /** The position of the parent's event that started the child, usually a call; null if unknown. */
  readonly call: number | null
  /** Whether only the same prompt tells that the call did. */
  readonly isInferred: boolean
}

/**
 * `GET /api/capture?timeline=…&task=…`: the parts of a task that a recorder or an import saw, and those that it did
 * not; empty for a task that a kernel ran.
 */
export type TaskCapture = ReadonlyArray<CaptureRow>

/** Totals of a task's model calls. */
export interface ModelTotals {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Calls whose tokens are unknown, so that the counts are lower bounds. */
  readonly unmetered: number
  /** In US dollars; `usd` is null if the cost of a call is unknown, and `atLeast` is the known part. */
  readonly cost: { readonly usd: number | null; readonly atLeast: number }
}

/** `GET /api/rewards?timeline=…&task=…&set=…`: ordered by the moments that they are about. */
export interface RewardRow {
  /** The position of the reward event. */
  readonly position: number
  /** The moment that it is about: the last of its evidence, else its own position. */
  readonly at: number
  readonly because: ReadonlyArray<number>
  readonly kind: "reward" | "punishment"
  /** The amount that it adds to the net: negative for a punishment. */
  readonly amount: number
  /** The moments at which it was earned or lost, with the part of each. Together they are the amount. */
  readonly moments: ReadonlyArray<{ readonly at: number; readonly amount: number }>
  readonly measure: string
  /** The rule's name, such as `burst`. */
  readonly name: string
  readonly rationale: string | null
}

/**
 * `GET /api/course?timeline=…&task=…`: every event of a task in order, in a few bytes. Numbers are differences from the
 * previous one (the first from 0), which keeps the text short.
 */
export interface Course {
  readonly positions: ReadonlyArray<number>
  /** Milliseconds since 1970 by the task's own time, which skips the time between a recording and its fork. */
  readonly times: ReadonlyArray<number>
  /** One character for each event: `Kind.CODES`. */
  readonly kinds: string
  /** The role of each event in the conversation, one character for each (`conversation/Role`). */
  readonly roles: string
  /** The task's own time after its last event, if any. */
  readonly last: OwnTime | null
}
