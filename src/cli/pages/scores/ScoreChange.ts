/** Compares each task's score before and after a re-scoring, and formats the differences. */
import type { ScoreSetSummary } from "../../../kernel/scoring/Scoring.ts"
import { type Score, verdictsOf } from "../../../projections/audit/Scores.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import { defined } from "../../../values/defined.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { count, number } from "../../terminal/Text.ts"
import { net, outcome } from "../audit/AuditPage.ts"

/** A reward or punishment whose amount changed. Null means that the scoring lacks it. */
export interface VerdictChange {
  readonly measure: string
  readonly name: string
  readonly kind: "reward" | "punishment"
  readonly before: number | null
  readonly after: number | null
}

export interface ScoreChange {
  readonly taskId: string
  readonly outcome: TaskAudit["outcome"]
  readonly unjudged?: true | undefined
  /** The score from the task's close, if any. */
  readonly before: Score | null
  readonly after: Score | null
  readonly changed: ReadonlyArray<VerdictChange>
}

/** Compares a task's score in the set labelled `live` with its score in the given set. */
export const of = ({ taskId, outcome, unjudged, scores }: TaskAudit, scoreSetId: string): ScoreChange => {
  const before = scores.find(({ label }) => label === "live") ?? null
  const after = scores.find((score) => score.scoreSetId === scoreSetId) ?? null
  const changed = changes(amountsOf(before), amountsOf(after))
  return { taskId, outcome, ...defined({ unjudged }), before, after, changed }
}

type Verdicts = ReadonlyMap<string, Omit<VerdictChange, "before" | "after"> & { readonly amount: number }>

const amountsOf = (score: Score | null): Verdicts =>
  new Map(
    (score === null ? [] : verdictsOf(score)).map(
      ({ measure, name, kind, amount }) =>
        [JSON.stringify([measure, kind, name]), { measure, name, kind, amount }] as const,
    ),
  )

/** A verdict that is 0 or absent in both scorings did not change. */
const changes = (before: Verdicts, after: Verdicts): ReadonlyArray<VerdictChange> =>
  [...new Map([...before, ...after])].flatMap(([key, { measure, name, kind }]) => {
    const [was, is] = [before.get(key)?.amount, after.get(key)?.amount]
    return (was ?? 0) === (is ?? 0) ? [] : [{ measure, name, kind, before: was ?? null, after: is ?? null }]
  })

export const lines = (
  style: Style,
  { label, scoreSetId }: ScoreSetSummary,
  changes: ReadonlyArray<ScoreChange>,
): ReadonlyArray<string> => [
  `Score set ${style.name(oneLine(label))} ${style.dim(scoreSetId)}: ${count(changes.length, "task")}`,
  ...(changes.length === 0
    ? ["No closed task is in this log."]
    : Table.lines(
        style,
        ["task", "outcome", ...Table.right("before", "now"), "what changed"],
        changes.map((change) => [
          style.name(change.taskId),
          outcome(style, Outcome.of(change)),
          change.before === null ? "none" : net(change.before),
          change.after === null ? "none" : style.bold(net(change.after)),
          differences(style, change),
        ]),
      )),
]

const MAX_CHANGES = 4

/** Leaves out undecided verdicts, whose amount is unknown. */
const differences = (style: Style, { changed: all, after }: ScoreChange): string => {
  const unscored = after?.unscored ?? []
  const changed = all.filter(({ measure, name }) => !unscored.some((of) => of.measure === measure && of.name === name))
  const listed = changed.slice(0, MAX_CHANGES).map(({ name, kind, before, after }) => {
    const by = ((after ?? 0) - (before ?? 0)) * (kind === "reward" ? 1 : -1)
    return (by > 0 ? style.good : style.bad)(`${by > 0 ? "+" : "−"}${number(Math.abs(by))} ${oneLine(name)}`)
  })
  const more = changed.length - listed.length
  return [...listed, ...(more > 0 ? [`and ${more} more`] : []), ...notScored(style, unscored)].join(", ")
}

const notScored = (style: Style, unscored: Score["unscored"]): ReadonlyArray<string> =>
  unscored.length === 0 ? [] : [style.warn(`not scored: ${unscored.map(({ name }) => oneLine(name)).join(", ")}`)]
