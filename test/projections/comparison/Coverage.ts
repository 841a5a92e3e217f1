/** How often intervals cover the mean that they are about: simulated comparisons, of which the true mean is known. */
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { intervalOf } from "../../../src/projections/comparison/interval/Interval.ts"

type Draw = () => number

/** A distribution of differences, and its mean. */
interface Distribution {
  readonly mean: number
  readonly of: (uniform: Draw) => number
}

const normal = (uniform: Draw): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
const exponential = (uniform: Draw): number => -Math.log(1 - uniform())

export const DISTRIBUTIONS = {
  normal: { mean: 0, of: normal },
  exponential: { mean: 1, of: exponential },
  lognormal: { mean: Math.exp(0.5), of: (uniform) => Math.exp(normal(uniform)) },
  "0.9 in one of ten, else −0.1": { mean: 0, of: (uniform) => (uniform() < 0.1 ? 0.9 : -0.1) },
  "1 in three of ten, else 0": { mean: 0.3, of: (uniform) => (uniform() < 0.3 ? 1 : 0) },
  "0 in four of ten, else normal": { mean: 0, of: (uniform) => (uniform() < 0.4 ? 0 : normal(uniform)) },
} satisfies Readonly<Record<string, Distribution>>

export type Name = keyof typeof DISTRIBUTIONS

/** Of so many comparisons, in how many an interval was shown, and how many of these covered the mean. */
export interface Coverage {
  readonly shown: number
  readonly covered: number
  readonly refused: number
}

/** Simulates comparisons of so many pairs each. The same numbers are drawn in each run. */
export const coverageOf = (name: Name, pairs: number, comparisons: number, draws: number): Coverage => {
  const { mean, of }: Distribution = DISTRIBUTIONS[name]
  const random = xoroshiro128plus(20_261_123 + pairs)
  const uniform = () => uniformFloat64(random)
  let [shown, covered] = [0, 0]
  for (let comparison = 0; comparison < comparisons; comparison++) {
    const groups = Array.from({ length: pairs }, () => [of(uniform)])
    const found = intervalOf(groups, { seed: comparison, draws })
    if (!("method" in found)) continue
    shown += 1
    if (found.low <= mean && mean <= found.high) covered += 1
  }
  return { shown, covered, refused: comparisons - shown }
}
