/** Compares the verdicts of score sets. */

import { groupBy } from "../../../values/groupBy.ts"
import type { Preview, VerdictCell, VerdictRow } from "../../wire/Scoring.ts"
import type { RewardRow } from "../../wire/Task.ts"

/** Whether the score sets differ: in amount or count, or because one is undecided or lacks the verdict. */
export const differs = ({ verdicts }: VerdictRow): boolean => new Set(verdicts.map(outcomeOf)).size > 1

const outcomeOf = (verdict: VerdictCell | null): string =>
  verdict === null ? "" : verdict.unscored === null ? `${verdict.times} ${verdict.amount}` : "unscored"

export const byMeasure = (rows: ReadonlyArray<VerdictRow>): ReadonlyMap<string, ReadonlyArray<VerdictRow>> =>
  groupBy(rows, ({ measure }) => [measure])

/** A reward or punishment by a score set, and by another rubric. */
export interface BeforeAndAfter extends Pick<VerdictRow, "measure" | "name" | "kind"> {
  /** Its part of the net; null if it was not given. */
  readonly before: number | null
  /** Null if the other rubric lacks it. */
  readonly after: VerdictCell | null
}

/** A rubric's verdicts next to a score set's rewards. Verdicts that only the score set has come last. */
export const besideRewards = (
  rewards: ReadonlyArray<RewardRow>,
  verdicts: Preview["verdicts"],
): ReadonlyArray<BeforeAndAfter> => {
  const keyOf = ({ measure, name, kind }: Pick<VerdictRow, "measure" | "name" | "kind">) =>
    JSON.stringify([measure, kind, name])
  const rows = new Map<string, BeforeAndAfter>()
  for (const { verdict, ...named } of verdicts) rows.set(keyOf(named), { ...named, before: null, after: verdict })
  for (const { measure, name, kind, amount } of rewards) {
    const known = rows.get(keyOf({ measure, name, kind }))
    rows.set(keyOf({ measure, name, kind }), {
      measure,
      name,
      kind,
      after: null,
      ...known,
      before: (known?.before ?? 0) + amount,
    })
  }
  return [...rows.values()]
}

/** A verdict in words, for tooltips and screen readers. */
export const inWords = (verdict: VerdictCell | null): string => {
  if (verdict === null) return "not in its rubric"
  const { weight, when, rule, times, unscored, rationale } = verdict
  const decided = unscored !== null ? `undecided: ${unscored}` : times === 0 ? "did not hold" : `held ${timesOf(times)}`
  return [
    decided,
    ...(weight === null ? [] : [`weight ${weight}`]),
    ...(when === null ? [] : [when]),
    ...(rule === null ? [] : [`rule: ${rule}`]),
    ...(rationale === null ? [] : [rationale]),
  ].join("\n")
}

const timesOf = (times: number): string => (times === 1 ? "once" : `${times} times`)
