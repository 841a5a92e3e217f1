/** The conditions of a scenario: when it is won, and when it is lost. Pure. */

import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { Condition, Scenario } from "./Document.ts"
import * as Expressions from "./Expressions.ts"
import type { Facts } from "./Facts.ts"

/** How a scenario ended, by which condition, and the positions of the events that made it true. */
export interface Verdict {
  readonly result: "won" | "lost"
  readonly condition: Condition
  readonly because: ReadonlyArray<number>
  /** The agent that met it, in a task with several; undefined if all did, or it is not about an agent. */
  readonly agentId?: string
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
      const found = met(facts)
      if (found === undefined) continue
      const { at, agentId } = found
      return { result, condition, because: [at], ...defined({ agentId }) }
    }
    return undefined
  }
}

/** How a condition was met: at which event, and by which agent. */
interface Met {
  readonly at: number
  readonly agentId?: string | undefined
}

/** Finds how a condition is met; undefined if it is not. */
const metBy = (condition: Condition): ((facts: Facts) => Met | undefined) => {
  switch (condition.type) {
    case "item_in_inventory":
      return ofAgents(condition, (facts, agentId) => facts.carries(condition.item_name, agentId))
    case "flag_set":
      return ofAgents(condition, (facts, agentId) => facts.flag(condition.flag_name, agentId))
    case "max_steps_reached":
      return (facts) => (facts.steps(condition.agent_id) >= condition.steps ? { at: facts.position } : undefined)
    case "agent_state_condition": {
      const holds = compiled(Expressions.ofAgent(condition.condition))
      return ofAgents(condition, (facts, agentId) => facts.statesOf(agentId).some(holds))
    }
    case "rule": {
      const held = heldAt(condition.rule)
      return (facts) => {
        const at = held(facts)
        return at === undefined ? undefined : { at }
      }
    }
  }
}

/** A condition that the named agent meets, or one of them, or every one. */
const ofAgents =
  (
    { agent_id, every_agent }: { readonly agent_id?: string; readonly every_agent?: boolean },
    holds: (facts: Facts, agentId?: string) => boolean,
  ) =>
  (facts: Facts): Met | undefined => {
    const { agents, position: at } = facts
    if (agents.length === 0 || agent_id !== undefined) {
      const agentId = agents.length === 0 ? undefined : agent_id
      return holds(facts, agent_id) ? { at, agentId } : undefined
    }
    if (every_agent === true) return agents.every((each) => holds(facts, each)) ? { at } : undefined
    const agentId = agents.find((each) => holds(facts, each))
    return agentId !== undefined || holds(facts) ? { at, agentId } : undefined
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
