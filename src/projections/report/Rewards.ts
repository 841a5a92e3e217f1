/** The part of a log report about rewards and punishments. */

import * as Sum from "../../values/Sum.ts"
import { type MeasureVerdict, type Score, verdictsOf } from "../audit/Scores.ts"
import { BoundedMap, OTHERS } from "./BoundedMap.ts"

/** One reward or punishment, over all tasks. */
export interface RewardReport {
  readonly measure: string
  readonly kind: "reward" | "punishment"
  readonly name: string
  /** Tasks in which it was given. */
  readonly tasks: number
  readonly times: number
  /** Its sum over all tasks, exact to 1e-9. A punishment's amount is positive, and reduces the score. */
  readonly amount: number
}

/** Maximum number of rewards, and of punishments, with their own entry; the others share one. */
const MAX_NAMES = 100

export class Rewards {
  readonly #rewards = ofKind("reward")
  readonly #punishments = ofKind("punishment")

  add(score: Score): void {
    for (const verdict of verdictsOf(score)) {
      add(verdict.kind === "reward" ? this.#rewards : this.#punishments, verdict)
    }
  }

  /** Rewards before punishments, each by descending amount. */
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

const add = (rewards: ReturnType<typeof ofKind>, { measure, name, times, amount }: MeasureVerdict): void => {
  const reward = rewards.get(keyOf(measure, name))
  if (times === 0) return
  reward.tasks += 1
  reward.times += times
  reward.amount = Sum.add(reward.amount, amount)
}

/** Names can be any text; JSON encodes both in one unambiguous key. */
const keyOf = (measure: string, name: string): string => JSON.stringify([measure, name])
const namesOf = (key: string): ReadonlyArray<string> => JSON.parse(key)
