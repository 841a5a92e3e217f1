/** The agents of the season. */
import { pathToFileURL } from "node:url"
import { Deferred, Effect } from "effect"
import { Agent } from "hindcast"
import { inPackage } from "../PackageFiles.ts"
import { apprentice } from "./agents/apprentice.ts"
import { careful } from "./agents/careful.ts"
import { clerk } from "./agents/clerk.ts"
import { glass } from "./agents/glass.ts"
import { hothead } from "./agents/hothead.ts"
import { daredevil, sleeper, stoker } from "./agents/stoker.ts"

const makers = { careful, clerk, daredevil, glass, hothead, sleeper, stoker } as const

const EXAMPLES = ["knows-the-way", "wanderer"] as const

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
      Effect.map(load(inPackage("examples", "agents", `${name}.mjs`)), (agent): readonly [string, Agent.Agent] => [
        name,
        agent,
      ]),
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

/** A module of the package that does not load is a defect. */
const load = (file: string): Effect.Effect<Agent.Agent> =>
  Effect.promise((): Promise<{ readonly default?: unknown }> => import(pathToFileURL(file).href)).pipe(
    Effect.flatMap((module) => Agent.fromUnknown(file, module.default)),
    Effect.orDie,
  )

/** A careful agent whose decision at the sixth step never completes. */
const ponderer = (pondering: Deferred.Deferred<void>): Agent.DecidingAgent => {
  const agent = careful()
  return {
    ...agent,
    decide: (context) =>
      context.step < 5 ? agent.decide(context) : Effect.zipRight(Deferred.succeed(pondering, undefined), Effect.never),
  }
}
