/** The difference between the nets of two runs, measure by measure. */
import type { RewardRow } from "../../wire/Task.ts"

/** A bar from one net to another. The first and last bars are the runs' nets, from 0. */
export interface Bar {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Smaller differences come from floating-point sums. */
const LEAST = 1e-9

/** The first run's net, the differences by measure from the greatest on, the second run's net. */
export const barsOf = (
  a: ReadonlyArray<RewardRow>,
  b: ReadonlyArray<RewardRow>,
  names: readonly [a: string, b: string],
): ReadonlyArray<Bar> => {
  const differences = new Map<string, number>()
  for (const [rewards, sign] of [[a, -1] as const, [b, 1] as const])
    for (const { measure, name, amount } of rewards) {
      const key = `${measure} ${name}`
      differences.set(key, (differences.get(key) ?? 0) + sign * amount)
    }
  const bars: Array<Bar> = [{ name: names[0], from: 0, to: netOf(a) }]
  const steps = [...differences].filter(([, amount]) => Math.abs(amount) > LEAST)
  for (const [name, amount] of steps.sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]))) {
    const from = bars.at(-1)?.to ?? 0
    bars.push({ name, from, to: from + amount })
  }
  return [...bars, { name: names[1], from: 0, to: netOf(b) }]
}

const netOf = (rewards: ReadonlyArray<RewardRow>): number => rewards.reduce((sum, { amount }) => sum + amount, 0)
