/** The agents of the generated history. */
import { Deferred, Effect } from "effect"
import type * as Agent from "../../../kernel/agents/Agent.ts"
import type { DecidingAgent } from "../../../kernel/agents/Agent.ts"
import { inPackage } from "../../command/PackageFiles.ts"
import * as AgentModule from "../../task/AgentModule.ts"
import { apprentice } from "./agents/apprentice.ts"
import { careful } from "./agents/careful.ts"
import { clerk } from "./agents/clerk.ts"
import { glass } from "./agents/glass.ts"
import { hothead } from "./agents/hothead.ts"
import { daredevil, sleeper, stoker } from "./agents/stoker.ts"

const makers = { careful, clerk, daredevil, glass, hothead, sleeper, stoker } as const

/** The agents that are loaded from the package's examples. */
const EXAMPLES = ["knows-the-way", "wanderer"] as const

/** The names of all agents. */
export type AgentName = keyof typeof makers | (typeof EXAMPLES)[number] | "apprentice" | "ponderer"

/**
 * Creates the agents for one kernel.
 *
 * @param pondering completes when the ponderer starts its endless decision
 */
export const assemble = (pondering: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const learner = apprentice()
    const examples = yield* Effect.forEach(EXAMPLES, (name) =>
      Effect.map(
        AgentModule.load(inPackage("examples", "agents", `${name}.mjs`)),
        (agent): readonly [string, Agent.Agent] => [name, agent],
      ),
    )
    const others = Object.entries(makers).map(([name, make]): readonly [string, Agent.Agent] => [name, make()])
    const agents = new Map<string, Agent.Agent>([
      ...examples,
      ...others,
      ["apprentice", learner],
      ["ponderer", ponderer(pondering)],
    ])
    return { apprentice: learner, agents }
  })

/** A careful agent whose decision at the sixth step never completes. */
const ponderer = (pondering: Deferred.Deferred<void>): DecidingAgent => {
  const agent = careful()
  return {
    ...agent,
    decide: (view) =>
      view.step < 5 ? agent.decide(view) : Effect.zipRight(Deferred.succeed(pondering, undefined), Effect.never),
  }
}
