/** How often intervals cover the mean that they are about: simulated comparisons, of which the true mean is known. */
import { setImmediate } from "node:timers/promises"
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { estimate } from "../../../src/projections/comparison/interval/Interval.ts"
import { tango } from "../../../src/projections/comparison/interval/Tango.ts"

type Draw = () => number

/** A distribution of differences, and its mean. */
interface Distribution {
  readonly mean: number
  readonly of: (uniform: Draw) => number | ReadonlyArray<number>
}

const normal = (uniform: Draw): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
const exponential = (uniform: Draw): number => -Math.log(1 - uniform())

/** 1 and −1 with this probability each, otherwise 0. */
const bothWays = (probability: number): Distribution => ({
  mean: 0,
  of: (uniform) => {
    const drawn = uniform()
    return drawn < probability ? 1 : drawn < 2 * probability ? -1 : 0
  },
})

/** Families of one to four, whose differences are mostly that of the family. */
const families = (of: (uniform: Draw) => number, together: (shared: number, own: number, uniform: Draw) => number) => ({
  mean: 0,
  of: (uniform: Draw) => {
    const [shared, size] = [of(uniform), 1 + Math.floor(4 * uniform())]
    return Array.from({ length: size }, () => together(shared, of(uniform), uniform))
  },
})
const outcome = (uniform: Draw): number => {
  const drawn = uniform()
  return drawn < 0.1 ? 1 : drawn < 0.2 ? -1 : 0
}

/** All have the mean 0, so that an interval that excludes 0 is wrong. */
export const DISTRIBUTIONS = {
  normal: { mean: 0, of: normal },
  uniform: { mean: 0, of: (uniform) => uniform() - 0.5 },
  exponential: { mean: 0, of: (uniform) => exponential(uniform) - 1 },
  lognormal: { mean: 0, of: (uniform) => Math.exp(normal(uniform)) - Math.exp(0.5) },
  "0.9 in one of ten, else −0.1": { mean: 0, of: (uniform) => (uniform() < 0.1 ? 0.9 : -0.1) },
  "0.7 in three of ten, else −0.3": { mean: 0, of: (uniform) => (uniform() < 0.3 ? 0.7 : -0.3) },
  "1 and −1 in one of twenty each, else 0": bothWays(0.05),
  "1 and −1 in one of ten each, else 0": bothWays(0.1),
  "1 and −1 in one of five each, else 0": bothWays(0.2),
  "0 in four of ten, else normal": { mean: 0, of: (uniform) => (uniform() < 0.4 ? 0 : normal(uniform)) },
  "families of one to four, normal": families(normal, (shared, own) => shared + own / 2),
  "families of one to four, 1 and −1 in one of ten each, else 0": families(outcome, (shared, own, uniform) =>
    uniform() < 0.8 ? shared : own,
  ),
} satisfies Readonly<Record<string, Distribution>>

export type Name = keyof typeof DISTRIBUTIONS

/** Shares of comparisons: with an interval; of these, with the mean in it; of all, with one that excludes the mean. */
export interface Coverage {
  readonly shown: number
  readonly covered: number
  readonly wrong: number
}

/** Simulates comparisons of so many pairs, or families of pairs, each. The same numbers are drawn in each run. */
export const coverageOf = async (name: Name, pairs: number, comparisons: number, draws: number): Promise<Coverage> => {
  const { mean, of }: Distribution = DISTRIBUTIONS[name]
  const random = xoroshiro128plus(20_261_123 + pairs)
  const uniform = () => uniformFloat64(random)
  let [shown, covered] = [0, 0]
  for (let comparison = 0; comparison < comparisons; comparison++) {
    // Vitest asks now and then whether the test is still there.
    if (comparison % 100 === 99) await setImmediate()
    const groups = Array.from({ length: pairs }, () => [of(uniform)].flat())
    const { interval } = estimate(groups, { seed: comparison, draws })
    if (interval === null) continue
    shown += 1
    if (interval.low <= mean && mean <= interval.high) covered += 1
  }
  return { shown: shown / comparisons, covered: covered / shown, wrong: (shown - covered) / comparisons }
}

/** The intervals of passes of so many pairs, by how many are gained and how many are lost. */
export const passIntervals = (pairs: number) =>
  Array.from({ length: pairs + 1 }, (_, gained) =>
    Array.from({ length: pairs + 1 - gained }, (_, lost) => tango(gained, lost, pairs)),
  )

/** How often these intervals cover the difference of two shares, and exclude 0: exact, over all outcomes. */
export const passCoverageOf = (
  intervals: ReturnType<typeof passIntervals>,
  gain: number,
  loss: number,
): { readonly covered: number; readonly excluded: number } => {
  const pairs = intervals.length - 1
  const log = logFactorials(pairs)
  const [difference, equal] = [gain - loss, Math.log(1 - gain - loss)]
  let [covered, excluded] = [0, 0]
  intervals.forEach((row, gained) => {
    row.forEach(({ low, high }, lost) => {
      const rest = pairs - gained - lost
      const ways = (log[pairs] ?? 0) - (log[gained] ?? 0) - (log[lost] ?? 0) - (log[rest] ?? 0)
      const share = Math.exp(ways + gained * Math.log(gain) + lost * Math.log(loss) + rest * equal)
      if (low <= difference + 1e-12 && difference - 1e-12 <= high) covered += share
      if (low > 0 || high < 0) excluded += share
    })
  })
  return { covered, excluded }
}

const logFactorials = (most: number): ReadonlyArray<number> => {
  const logs = [0]
  for (let of = 1; of <= most; of++) logs.push((logs[of - 1] ?? 0) + Math.log(of))
  return logs
}
