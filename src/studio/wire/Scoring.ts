/** What Studio says of verdicts: of score sets beside each other, and of a rubric before it is written. */

/** `GET /api/verdicts?timeline=…&task=…`: the verdicts of the score sets of a task, beside each other. */
export interface VerdictTable {
  /** Ids of the newest 20 score sets that judged the task, in the order in which they began. */
  readonly sets: ReadonlyArray<string>
  /** How many earlier ones were left out. */
  readonly left: number
  /** By measure, in the order in which the sets name them. */
  readonly rows: ReadonlyArray<VerdictRow>
}

/** A reward or punishment, as each of the score sets decided it. */
export interface VerdictRow {
  readonly measure: string
  /** The name within the measure, such as `burst`. */
  readonly name: string
  readonly kind: "reward" | "punishment"
  /** By the sets of the table; null where a set's rubric does not have it. */
  readonly verdicts: ReadonlyArray<Verdict | null>
}

/** What a score set decided about a reward or punishment. */
export interface Verdict {
  /** Null where the score set does not say it. */
  readonly weight: number | null
  /** When it triggers, in words, and the rule that decides; null where the rubric does not say. */
  readonly when: string | null
  readonly rule: string | null
  /** How often it held; 0 if it did not. */
  readonly times: number
  /** What it adds to the net: negative of a punishment. */
  readonly amount: number
  /** The last 20 positions of its evidence, in order. */
  readonly because: ReadonlyArray<number>
  readonly rationale: string | null
  /** Why nothing could decide it; null if something did. */
  readonly unscored: string | null
}

/** `POST /api/rubrics/preview`: what the rules of a rubric would decide about a task. Nothing is written. */
export interface PreviewOrder {
  /** YAML, or JSON. */
  readonly rubric: string
  readonly timeline: string
  readonly task: string
}

/** What a task would be worth. */
export interface Preview {
  readonly earned: number
  readonly lost: number
  readonly net: number
  readonly verdicts: ReadonlyArray<Omit<VerdictRow, "verdicts"> & { readonly verdict: Verdict }>
  /** What would be earned and lost at which positions, in their order; at most 2,000, evenly taken of more. */
  readonly line: ReadonlyArray<{ readonly at: number; readonly net: number }>
}

/** `GET /api/rubric?timeline=…&task=…&set=…`: the rubric of a score set. */
export interface RubricOfSet {
  /** In YAML. */
  readonly text: string
}
