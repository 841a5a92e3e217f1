/** What several runs say about who scores higher, with as much certainty as they allow. Pure. */

import { count, number } from "../../../values/Formats.ts"
import * as Sum from "../../../values/Sum.ts"
import * as Interval from "../../comparison/interval/Interval.ts"
import { holm } from "../../comparison/trend/Holm.ts"

/** The scores of runs that belong together, such as those of one model; null for a run without a score. */
export interface ScoredGroup {
  readonly label: string
  readonly scores: ReadonlyArray<number | null>
}

/** How a group's scores differ from those of the first group. */
export interface GroupDifference {
  /** Pairs of runs, in their order, of which both are scored. */
  readonly pairs: number
  readonly higher: number
  readonly same: number
  readonly lower: number
  /** The mean of its scores minus the first group's; null without a pair. */
  readonly mean: number | null
  /** 95 % interval of that mean over further runs like these; null if `noInterval` says why. */
  readonly interval: Interval.Interval | null
  readonly noInterval: string | null
  /** Corrected for the number of compared groups (Holm); null without an interval. */
  readonly p: number | null
  /** The same as a sentence for people. */
  readonly sentence: string
}

/** Seed of the random numbers of intervals. */
const SEED = 1

/** Compares each group after the first with it. Pairs the first runs of both, the second ones, and so on. */
export const of = (groups: ReadonlyArray<ScoredGroup>): ReadonlyArray<GroupDifference> => {
  const [first, ...others] = groups
  if (first === undefined) return []
  const estimated = others.map((group) => {
    const differences = group.scores.flatMap((score, index) => {
      const base = first.scores[index]
      return score === null || base == null ? [] : [Sum.round(score - base)]
    })
    return {
      group,
      differences,
      estimate: Interval.estimate(
        differences.map((one) => [one]),
        { seed: SEED },
      ),
    }
  })
  const adjusted = holm(estimated.map(({ estimate }) => estimate.p?.value ?? 1))
  return estimated.map(({ group, differences, estimate }, index) => {
    const of = {
      pairs: differences.length,
      higher: differences.filter((one) => one > 0).length,
      same: differences.filter((one) => one === 0).length,
      lower: differences.filter((one) => one < 0).length,
      mean: differences.length === 0 ? null : Sum.round(Sum.of(differences) / differences.length),
      interval: estimate.interval,
      noInterval: differences.length === 0 ? "No pair of runs is scored." : (estimate.noInterval?.explanation ?? null),
      p: estimate.p === null ? null : (adjusted[index] ?? 1),
    }
    return { ...of, sentence: sentence(group.label, first.label, of, others.length, estimate.noInterval?.reason) }
  })
}

const sentence = (
  label: string,
  first: string,
  of: Omit<GroupDifference, "sentence">,
  comparisons: number,
  refusal: Interval.Refusal["reason"] | undefined,
): string => {
  const { pairs, mean, interval, p } = of
  if (pairs === 0 || mean === null) return `${label} and ${first} have no scores to compare.`
  const tally = tallied(label, first, of)
  if (interval === null || p === null)
    return refusal === "few" ? `${tally}; that is too few to tell.` : `${tally}. ${of.noInterval ?? ""}`.trim()
  const range = `95 % interval ${number(interval.low)} to ${number(interval.high)}`
  const among = comparisons === 1 ? "" : ` among ${comparisons} comparisons`
  const by = `by ${number(Math.abs(mean))} on average (${range}, ${count(pairs, "pair")})`
  return p < 0.05
    ? `${label} scored ${mean > 0 ? "higher" : "lower"} than ${first} ${by}.`
    : `${tally}, ${by}, which may be chance${among}.`
}

/** `B scored higher than A in 2 of 3, the same in 1`. */
const tallied = (label: string, first: string, { pairs, higher, same, lower }: Omit<GroupDifference, "sentence">) => {
  if (same === pairs) return `${label} scored the same as ${first} in ${pairs} of ${pairs}`
  const leads = higher >= lower
  const [most, least] = leads ? [higher, lower] : [lower, higher]
  return [
    `${label} scored ${leads ? "higher" : "lower"} than ${first} in ${most} of ${pairs}`,
    ...(same > 0 ? [`the same in ${same}`] : []),
    ...(least > 0 ? [`${leads ? "lower" : "higher"} in ${least}`] : []),
  ].join(", ")
}
