/** Scenarios with promises. */

import { Effect } from "effect"
import { Kernel } from "../kernel/Kernel.ts"
import type { TaskAudit } from "../projections/audit/TaskAudit.ts"
import * as Scenario from "../worlds/scenario/Scenario.ts"
import { type Agent, adapted, standIn } from "./Agent.ts"
import type * as Calls from "./Calls.ts"
import { promised } from "./Promised.ts"

/** An agent, a group of agents, or agents by their names in the scenario. */
export type Players = Agent | { readonly [agentId: string]: Agent }

/** Loads and plays scenarios. */
export interface Scenarios {
  /** Reads a scenario from a YAML or JSON file. Rejects with `ScenarioInvalid`, which lists all mistakes. */
  readonly load: (file: string, call?: Calls.CallOptions) => Promise<Scenario.Loaded>
  /**
   * Plays a scenario, loaded or in a file, in a new task and returns its audit. The task closes as `achieved` if the
   * scenario is won, as `failed` if it is lost. A scenario of several agents needs agents by their names, or a group.
   */
  readonly run: (
    players: Players,
    scenario: Scenario.Loaded | string,
    options?: Scenario.PlayOptions & Calls.CallOptions,
  ) => Promise<TaskAudit>
  /** Lets the task's scenario conduct the agent: for `replay`, `fork` and `resume` of a scenario's task. */
  readonly conducted: (agent: Agent) => Agent
}

export const scenariosOf = (kernel: Kernel.Service, calls: Calls.Calls): Scenarios => ({
  ...promised(
    {
      load: Scenario.load,
      run: (players: Players, scenario: Scenario.Loaded | string, options?: Scenario.PlayOptions) =>
        Effect.gen(function* () {
          const loaded = typeof scenario === "string" ? yield* Scenario.load(scenario) : scenario
          return yield* Scenario.run(playersOf(players, calls), loaded, options)
        }).pipe(Effect.provideService(Kernel, kernel)),
    },
    calls,
  ),
  conducted: (agent) => standIn(agent, () => Scenario.conducted(adapted(agent, calls))),
})

const playersOf = (players: Players, calls: Calls.Calls): Scenario.Players =>
  isAgent(players) ? adapted(players, calls) : adaptedAll(players, calls)

/** A JavaScript program may pass anything; the scenario checks it. */
const isAgent = (players: Players): players is Agent =>
  typeof players === "object" &&
  players !== null &&
  ("decide" in players || "advance" in players) &&
  isText(players.name)

const isText = (value: unknown): boolean => typeof value === "string"

const adaptedAll = (agents: { readonly [name: string]: Agent }, calls: Calls.Calls) =>
  Object.fromEntries(Object.entries(agents ?? {}).map(([name, agent]) => [name, adapted(agent, calls)]))
