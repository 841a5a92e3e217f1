/** The API's answers about verdicts: of several score sets, and of a rubric before it is recorded. */

import type { CommonScore } from "../../projections/comparison/CommonScores.ts"
import type { ScoredTask } from "../../projections/report/TaskScores.ts"

export type { CommonScore }

/**
 * The name that chooses a score set of a task (`scores` of requests and links): its label, which other tasks have too, if
 * the label names this set; else its id.
 *
 * @param all the task's score sets
 */
export const scoringOf = (
  { set, label }: Pick<ScoredTask, "set" | "label">,
  all: ReadonlyArray<Pick<ScoredTask, "set" | "label" | "finished" | "pointers">>,
): string => {
  const named = all.findLast((row) => row.finished && row.label === label)
  const isPointer = all.some(({ pointers }) => pointers.includes(label))
  return label !== "" && named?.set === set && !isPointer ? label : set
}

/** `GET /api/verdicts?timeline=…&task=…`: the verdicts of a task's score sets, side by side. */
export interface VerdictTable {
  /** Ids of the newest 20 score sets that judged the task, in order of their start. */
  readonly sets: ReadonlyArray<string>
  /** The number of earlier ones left out. */
  readonly left: number
  /** By measure, in the order in which the sets name them. */
  readonly rows: ReadonlyArray<VerdictRow>
}

/** A reward or punishment, as each score set decided it. */
export interface VerdictRow {
  readonly measure: string
  /** The name within the measure, such as `burst`. */
  readonly name: string
  readonly kind: "reward" | "punishment"
  /** In the order of the table's sets; null if a set's rubric lacks it. */
  readonly verdicts: ReadonlyArray<VerdictCell | null>
}

export interface VerdictCell {
  /** Null if the score set does not record it. */
  readonly weight: number | null
  /** When it applies, in words, and the deciding rule, if the rubric has them. */
  readonly when: string | null
  readonly rule: string | null
  /** How often it held. */
  readonly times: number
  /** Its part of the net, negative for a punishment. */
  readonly amount: number
  /** The last 20 positions of its evidence, in order. */
  readonly because: ReadonlyArray<number>
  readonly rationale: string | null
  /** Why nothing could decide it, if so. */
  readonly unscored: string | null
}

/** `POST /api/rubrics/preview`: the verdicts of a rubric's rules about a task. Records nothing. */
export interface PreviewOrder {
  /** YAML or JSON. */
  readonly rubric: string
  readonly timeline: string
  readonly task: string
}

export interface Preview {
  readonly earned: number
  readonly lost: number
  readonly net: number
  readonly verdicts: ReadonlyArray<Omit<VerdictRow, "verdicts"> & { readonly verdict: VerdictCell }>
  /** The net after each position, in order: at most 2,000 points, thinned out evenly. */
  readonly line: ReadonlyArray<{ readonly at: number; readonly net: number }>
}

/** `GET /api/rubric?timeline=…&task=…&set=…`: the rubric of a score set. */
export interface RubricOfSet {
  /** In YAML. */
  readonly text: string
}
