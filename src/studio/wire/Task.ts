/** What Studio says of tasks. */

import type { CaptureRow } from "../../projections/state/CaptureSummary.ts"
import type { OwnTime } from "../../values/time/OwnTime.ts"

/** A task in a list. */
export interface TaskRow {
  readonly timeline: string
  readonly id: string
  readonly goal: string
  /** Such as `daredevil@1.0.0`; null if unknown. */
  readonly agent: string | null
  /** `achieved`, `failed`, `abandoned` …; null while it is open. */
  readonly outcome: string | null
  readonly reason: string | null
  /** The position of its opening. */
  readonly from: number
  /** The position of its closing, or of its last event while it is open. */
  readonly to: number
  readonly openedAt: number
  readonly closedAt: number | null
  readonly events: number
  readonly steps: number
  /** By the score set that counts: the official one, else the one made when it closed, else the newest; null if not scored. */
  readonly score: Score | null
  /** Questions to people that wait for an answer in it. */
  readonly waits: number
  /** Its course from opening to end in at most 80 characters, each the most telling kind of its part (`Kind.CODES`). */
  readonly strip: string
}

/** What a task was worth by one score set. */
export interface Score {
  readonly set: string
  readonly earned: number
  readonly lost: number
  readonly net: number
}

/** The order of a list of tasks. `worst`: failed and abandoned tasks first, then by score. */
export type TaskOrder = "worst" | "newest" | "oldest"

/**
 * `GET /api/tasks?timeline=…&where=…&order=…&offset=…&limit=…`: `where` is CEL over `task`, a `TaskRow`, such as
 * `task.outcome == "failed" && task.agent.startsWith("daredevil")`.
 */
export interface TaskList {
  /** How many there are of which these are a part. */
  readonly total: number
  readonly rows: ReadonlyArray<TaskRow>
}

/** `GET /api/groups?timeline=…&where=…&by=agent|outcome|plugin`: the tasks of a list, grouped. */
export interface TaskGroup {
  /** What its tasks have in common; null of tasks whose agent is unknown, or that are open. */
  readonly key: string | null
  readonly tasks: number
  readonly outcomes: { readonly [outcome: string]: number }
  /** The mean net score of those that were scored; null if none was. */
  readonly mean: number | null
  /** Net scores in the order in which the tasks were opened, at most 200 of them, evenly taken. */
  readonly trend: ReadonlyArray<number>
}

/** `GET /api/task?timeline=…&task=…` */
export interface TaskHead extends TaskRow {
  /** What happened, in one sentence: `failed after 6 steps: There is no boiler any more.` */
  readonly sentence: string
  /** The position of the worst moment: the greatest punishment's evidence, else the last failure; null if there is none. */
  readonly worst: number | null
  readonly sets: ReadonlyArray<ScoreSetRow>
  /** Forks of it, and where each left it. */
  readonly forks: ReadonlyArray<{ readonly timeline: string; readonly task: string; readonly position: number }>
  /** Plugins that took part. */
  readonly plugins: ReadonlyArray<string>
  /** Whether a recorder or an import wrote it: then `/api/capture` says what it saw. */
  readonly isCaptured: boolean
}

/** `GET /api/capture?timeline=…&task=…`: what a recorder or an import saw of a task, and what not; none of a task that a kernel ran. */
export type TaskCapture = ReadonlyArray<CaptureRow>

/** A score set that judged a task. */
export interface ScoreSetRow extends Score {
  /** `live`, or what it was called. */
  readonly label: string
  readonly critic: string
  readonly rubric: string
  /** Which rubric: two of one name may differ. */
  readonly rubricDigest: string
  /** Pointers to it, such as `official`. */
  readonly pointers: ReadonlyArray<string>
  /** The position at which it began. */
  readonly position: number
  readonly finished: boolean
}

/** `GET /api/rewards?timeline=…&task=…&set=…`: in the order of the moments that they are about. */
export interface RewardRow {
  /** The position of the event that gives it. */
  readonly position: number
  /** The moment that it is about: the last of its evidence, else its own position. */
  readonly at: number
  readonly because: ReadonlyArray<number>
  readonly kind: "reward" | "punishment"
  /** What it adds to the net: negative of a punishment. */
  readonly amount: number
  /** The moments at which it was earned or lost, and what each adds; together they are the amount. */
  readonly moments: ReadonlyArray<{ readonly at: number; readonly amount: number }>
  readonly measure: string
  /** The rule's name, such as `burst`. */
  readonly name: string
  readonly rationale: string | null
}

/**
 * `GET /api/course?timeline=…&task=…`: every event of a task in a few bytes, in order. Numbers are differences from the one before
 * (the first from 0), so that the text is short.
 */
export interface Course {
  readonly positions: ReadonlyArray<number>
  /** Milliseconds since 1970 by the task's own time: what lay between a recording and its fork is left out. */
  readonly times: ReadonlyArray<number>
  /** One character for each event: `Kind.CODES`. */
  readonly kinds: string
  /** The task's own time after its last event, from which it goes on. Null if there is none. */
  readonly last: OwnTime | null
}
