/** Replays recorded decisions with an agent, and notices where it would have decided otherwise. */

import { Effect } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Agent from "../agents/Agent.ts"
import { between, type Divergence } from "./Divergence.ts"
import type { Request } from "./Request.ts"

/** How an agent would have decided otherwise in its replayed past, which stays as recorded. */
export interface Parted {
  readonly first: Divergence
  /** Rationales do not count. */
  readonly decisions: number
  /** Number of replayed decisions. */
  readonly of: number
}

export interface Led {
  readonly agent: Agent.Agent
  /** The differences so far; null if there are none. */
  readonly parted: () => Parted | null
}

type Decided = Request & { readonly kind: "decide" }

/**
 * Wraps an agent. For each recorded decision, calls `decide` (which advances the agent's memory and random numbers),
 * compares the result, and returns the recorded choice. An agent that advances by itself stays unchanged.
 */
export const replayDecisions = (agent: Agent.Agent, past: ReadonlyArray<Request>): Led => {
  const decisions = past.filter((request): request is Decided => request.kind === "decide")
  const different: Array<Divergence> = []
  const compare = ({ event, decision }: Decided, chosen: Agent.Choice) => {
    const { rationale: _, ...found } = { rationale: undefined, ...chosen }
    const difference = between(event.position, decision.choice, found as JsonObject)
    if (difference !== undefined) different.push(difference)
  }
  return {
    agent: Agent.isGroup(agent) ? replayMembers(agent, decisions, compare) : replayChoices(agent, decisions, compare),
    parted: () => {
      const [first] = different.toSorted((a, b) => a.position - b.position)
      return first === undefined ? null : { first, decisions: different.length, of: decisions.length }
    },
  }
}

type Compare = (recorded: Decided, chosen: Agent.Choice) => void

const replayMembers = (group: Agent.GroupAgent, decisions: ReadonlyArray<Decided>, compare: Compare): Agent.Agent =>
  group.withAgents(
    Object.fromEntries(
      Object.entries(group.agents).map(([name, agent]) => [
        name,
        replayChoices(
          agent,
          decisions.filter(({ decision }) => decision.agentId === name),
          compare,
        ),
      ]),
    ),
  )

const replayChoices = (agent: Agent.Agent, choices: ReadonlyArray<Decided>, compare: Compare): Agent.Agent => {
  if (!("decide" in agent)) return agent
  let next = 0
  return {
    ...agent,
    decide: (view) =>
      Effect.map(Agent.decide(agent, view), (chosen): Agent.Choice => {
        const recorded = choices[next++]
        if (recorded === undefined) return chosen
        compare(recorded, chosen)
        const { choice, rationale } = recorded.decision
        // It was decoded as a choice before it was recorded.
        return {
          ...(choice as JsonObject),
          ...defined({ rationale }),
        } as unknown as Agent.Choice
      }),
  }
}
