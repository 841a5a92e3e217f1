import { type DecidedBy, type Score, verdictsOf } from "../audit/Scores.ts"
import * as Sum from "../audit/Sum.ts"
import { BoundedMap, OTHERS } from "./BoundedMap.ts"

/** What one reward or punishment came to, over all tasks. */
export interface RewardReport {
  readonly measure: string
  readonly kind: "reward" | "punishment"
  readonly name: string
  /** Tasks that it was given in. */
  readonly tasks: number
  readonly times: number
  /** Its sum over all tasks, exact to 1e-9; a punishment's is positive, and taken off. */
  readonly amount: number
}

/** Rewards, and punishments, that are told apart. */
const MAX_NAMES = 100

/** What earned and lost, from tasks' scores. */
export class Rewards {
  readonly #rewards = ofKind("reward")
  readonly #punishments = ofKind("punishment")

  take(score: Score): void {
    for (const verdict of verdictsOf(score)) {
      add(verdict.kind === "reward" ? this.#rewards : this.#punishments, verdict)
    }
  }

  /** Rewards before punishments, of either the largest first. */
  report(): ReadonlyArray<RewardReport> {
    return [this.#rewards, this.#punishments].flatMap((kind) =>
      kind
        .values()
        .map(({ amount, ...given }) => ({ ...given, amount: Sum.value(amount) }))
        .sort((a, b) => b.amount - a.amount),
    )
  }
}

const ofKind = (kind: "reward" | "punishment") =>
  new BoundedMap(MAX_NAMES, (key) => {
    const [measure = "", name = ""] = key === OTHERS ? [OTHERS] : namesOf(key)
    return { measure, kind, name, tasks: 0, times: 0, amount: Sum.zero }
  })

const add = (rewards: ReturnType<typeof ofKind>, { measure, name, times, amount }: DecidedBy): void => {
  const reward = rewards.get(keyOf(measure, name))
  if (times === 0) return
  reward.tasks += 1
  reward.times += times
  reward.amount = Sum.add(reward.amount, amount)
}

/** Names are any text: JSON keeps two of them apart in one key. */
const keyOf = (measure: string, name: string): string => JSON.stringify([measure, name])
const namesOf = (key: string): ReadonlyArray<string> => JSON.parse(key)
