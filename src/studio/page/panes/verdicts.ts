/** The verdicts of score sets beside each other. */

import { groupBy } from "../../../values/groupBy.ts"
import type { Preview, Verdict, VerdictRow } from "../../wire/Scoring.ts"
import type { RewardRow } from "../../wire/Task.ts"

/** Whether the score sets do not decide alike: another amount, another number of times, undecided, or not asked at all. */
export const differs = ({ verdicts }: VerdictRow): boolean => new Set(verdicts.map(outcomeOf)).size > 1

const outcomeOf = (verdict: Verdict | null): string =>
  verdict === null ? "" : verdict.unscored === null ? `${verdict.times} ${verdict.amount}` : "unscored"

/** The verdicts of each measure, in the order in which measures are first named. */
export const byMeasure = (rows: ReadonlyArray<VerdictRow>): ReadonlyMap<string, ReadonlyArray<VerdictRow>> =>
  groupBy(rows, ({ measure }) => [measure])

/** A reward or punishment as a score set gave it, and as another rubric would. */
export interface BeforeAndAfter extends Pick<VerdictRow, "measure" | "name" | "kind"> {
  /** What it added to the net; null if it was not given. */
  readonly before: number | null
  /** Null if the other rubric does not have it. */
  readonly after: Verdict | null
}

/** The verdicts of a rubric beside the rewards of a score set; those that only the score set has come last. */
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

/** A verdict in words, for the reader who points at it and the one who hears it. */
export const inWords = (verdict: Verdict | null): string => {
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
