/** The conditions that win or lose a scenario. Pure. */

import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { Condition, Scenario } from "./Document.ts"
import * as Expressions from "./Expressions.ts"
import type { Facts } from "./Facts.ts"

/** How a scenario ended, with the condition and the positions of the events that met it. */
export interface ScenarioEnd {
  readonly result: "won" | "lost"
  readonly condition: Condition
  readonly because: ReadonlyArray<number>
  /**
   * The agent that met the condition, in a task with several; undefined if all did, or if the condition concerns no
   * agent.
   */
  readonly agentId?: string
}

/** Judges facts; undefined while the scenario is open. If conditions of both kinds hold, the scenario is won. */
export type Conditions = (facts: Facts) => ScenarioEnd | undefined

/** Compiles the conditions of a decoded scenario. */
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

interface Met {
  readonly at: number
  readonly agentId?: string | undefined
}

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

/** A condition that a named agent, any agent or every agent must meet. */
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

/** Returns the position of the first event at which a rule holds. */
export const heldAt = (source: string): ((facts: Facts) => number | undefined) => {
  const rule = compiled(Expressions.rule(source))
  return ({ contexts }) =>
    contexts.find((context) => {
      const result = rule.evaluate(context)
      return result.kind === "held" && result.value
    })?.event.position
}

/** Unwraps an expression that decoding has already compiled. */
const compiled = <A>(either: Either.Either<A, string>): A =>
  Either.getOrThrowWith(either, (reason) => new Error(reason))
