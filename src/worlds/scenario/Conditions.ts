/** The conditions of a scenario: when it is won, and when it is lost. Pure. */

import { Either } from "effect"
import type { Condition, Scenario } from "./Document.ts"
import * as Expressions from "./Expressions.ts"
import type { Facts } from "./Facts.ts"

/** How a scenario ended, by which condition, and the positions of the events that made it true. */
export interface Verdict {
  readonly result: "won" | "lost"
  readonly condition: Condition
  readonly because: ReadonlyArray<number>
}

/** The conditions of a scenario, compiled. Undefined: it is open. If it is both won and lost, it is won. */
export type Conditions = (facts: Facts) => Verdict | undefined

/** Compiles the conditions of a scenario that was decoded. */
export const of = ({ win_conditions, lose_conditions = [] }: Scenario): Conditions => {
  const all = [
    ...win_conditions.map((condition) => ({ result: "won" as const, condition, met: metBy(condition) })),
    ...lose_conditions.map((condition) => ({ result: "lost" as const, condition, met: metBy(condition) })),
  ]
  return (facts) => {
    for (const { result, condition, met } of all) {
      const at = met(facts)
      if (at !== undefined) return { result, condition, because: [at] }
    }
    return undefined
  }
}

/** The position of the event at which a condition was found to be met; undefined if it is not. */
const metBy = (condition: Condition): ((facts: Facts) => number | undefined) => {
  switch (condition.type) {
    case "item_in_inventory":
      return (facts) => (facts.carries(condition.item_name, condition.agent_id) ? facts.position : undefined)
    case "flag_set":
      return (facts) => (facts.flag(condition.flag_name, condition.agent_id) ? facts.position : undefined)
    case "max_steps_reached":
      return (facts) => (facts.steps >= condition.steps ? facts.position : undefined)
    case "agent_state_condition": {
      const holds = compiled(Expressions.ofAgent(condition.condition))
      return (facts) => (holds(facts.stateOf(condition.agent_id)) ? facts.position : undefined)
    }
    case "rule":
      return heldAt(condition.rule)
  }
}

/** The position of the first of the events at which a rule holds. */
export const heldAt = (source: string): ((facts: Facts) => number | undefined) => {
  const rule = compiled(Expressions.rule(source))
  return ({ contexts }) =>
    contexts.find((context) => {
      const result = rule.evaluate(context)
      return result.kind === "held" && result.value
    })?.event.position
}

/** The expressions of a scenario that was decoded compile. */
const compiled = <A>(either: Either.Either<A, string>): A =>
  Either.getOrThrowWith(either, (reason) => new Error(reason))
