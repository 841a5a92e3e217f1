/** The API's answer about curricula. */

import type { CriterionVerdict, CurriculumDecision, GuidanceKind } from "../../../events/vocabulary/Worlds.ts"

/** `GET /api/curricula`: the newest runs of curricula, newest first. */
export interface Curricula {
  /** Number of runs in the log. */
  readonly total: number
  readonly runs: ReadonlyArray<CurriculumPath>
}

/** One agent's way through a curriculum. */
export interface CurriculumPath {
  readonly id: string
  /** The event that began it. */
  readonly at: number
  readonly name: string
  readonly version: string
  readonly agent: string
  /** The agent's stage of development; null before it reached one. */
  readonly level: string | null
  readonly levels: ReadonlyArray<{ readonly at: number; readonly to: string }>
  readonly state: "in progress" | "completed" | "failed"
  /** Why it ended so, or null. */
  readonly reason: string | null
  /** Number of attempts. */
  readonly total: number
  /** The newest attempts, oldest first. */
  readonly attempts: ReadonlyArray<CurriculumAttempt>
}

export interface CurriculumAttempt {
  readonly at: number
  readonly stage: string
  /** Its number among the attempts at this stage, from 1. */
  readonly attempt: number
  /** Number of tasks. */
  readonly total: number
  /** The first tasks. */
  readonly tasks: ReadonlyArray<string>
  /** Null while the attempt is under way. */
  readonly decided: {
    readonly at: number
    readonly decision: CurriculumDecision
    /** The next stage; null at the end. */
    readonly to: string | null
    readonly reason: string | null
    /** The criteria in their order, up to the one that decided. */
    readonly verdicts: ReadonlyArray<Pick<CriterionVerdict, "rule" | "result">>
  } | null
  /** A tutor's help; null if none was given. `missing` says why the tutor gave nothing. */
  readonly guidance: {
    readonly at: number
    readonly tutor: string
    readonly gives: GuidanceKind
    readonly content: string | null
    readonly missing: string | null
  } | null
}
