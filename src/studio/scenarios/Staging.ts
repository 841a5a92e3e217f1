/** Previews the world of a scenario, and plays scenarios, for any server of Studio. */

import { Effect } from "effect"
import type { Agent } from "../../kernel/agents/Agent.ts"
import { Registry } from "../../kernel/registry/Registry.ts"
import * as WorldAtStart from "../../worlds/handle/WorldAtStart.ts"
import * as Scenario from "../../worlds/scenario/Scenario.ts"

/** The plugins' working directory, and the directory of their copies. */
interface Places {
  readonly workspace: string
  readonly directory: string
}

/** Starts a scenario's world and returns its initial state. Records nothing. */
export const look = (
  { playing, environment, agents: parts }: Scenario.Played,
  seed: number,
  { workspace, directory }: Places,
) =>
  Effect.gen(function* () {
    const { plugin } = playing
    const document = yield* WorldAtStart.document({
      plugin,
      seed,
      options: environment[plugin] ?? {},
      workspace,
      directory,
      ...(parts.length > 1 ? { agents: parts.map(({ agent_id }) => agent_id) } : {}),
    })
    const { manifest } = yield* (yield* Registry).manifest(plugin)
    return { plugin, document, view: manifest.peas.environment?.view ?? null }
  })

export const run = (agent: Agent, scenario: Scenario.Loaded, options: Scenario.PlayOptions) => {
  const parts = Scenario.agentsIn(scenario)
  return Scenario.run(
    parts.length > 1 ? Object.fromEntries(parts.map((name) => [name, agent])) : agent,
    scenario,
    options,
  )
}
