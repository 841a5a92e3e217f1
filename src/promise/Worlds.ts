/** Worlds and scenarios with promises: a world as a handle, and scenarios that agents play. */

import { Effect, type Runtime, Scope } from "effect"
import type { EventLog } from "../events/log/EventLog.ts"
import type { Kernel } from "../kernel/Kernel.ts"
import type { TaskAudit } from "../projections/audit/TaskAudit.ts"
import type { Projector } from "../projections/projector/Projector.ts"
import * as KernelGroup from "../worlds/group/AgentGroup.ts"
import * as PluginWorld from "../worlds/handle/PluginWorld.ts"
import type * as KernelWorld from "../worlds/handle/World.ts"
import * as Scenario from "../worlds/scenario/Scenario.ts"
import { type Wrapper, wrapped } from "../worlds/wrappers/Wrapper.ts"
import { type Agent, adapted, standIn } from "./Agent.ts"
import type * as Calls from "./Calls.ts"
import { type Promised, promised, takeSignal } from "./Promised.ts"

/** A world, one episode at a time: `reset`, `step`, `stepTogether`, `observe` … as `World` of `hindcast/worlds` has them. */
export interface World extends Promised<KernelWorld.World> {}

/** Options of `hindcast.world`: those of `World.open`, and wrappers, the first nearest to the world. */
export interface WorldOptions extends PluginWorld.WorldOptions {
  readonly wrappers?: ReadonlyArray<Wrapper>
}

/** An agent, a group of agents, or the agents by their names in the scenario. */
export type Players = Agent | { readonly [agentId: string]: Agent }

/** Scenarios: reading them, and playing them. */
export interface Scenarios {
  /** Reads a scenario from a YAML or JSON file. Rejected with `ScenarioInvalid`, which names all mistakes. */
  readonly load: (file: string, call?: Calls.CallOptions) => Promise<Scenario.Loaded>
  /**
   * Plays a scenario, which was read or is that of a file, in a new task, and answers with its audit. The task is closed as
   * `achieved` where the scenario is won, and as `failed` where it is lost. A scenario of several agents is played by
   * agents by their names, or by a group of them.
   */
  readonly run: (
    players: Players,
    scenario: Scenario.Loaded | string,
    options?: Scenario.PlayOptions & Calls.CallOptions,
  ) => Promise<TaskAudit>
  /** The agent, conducted by the scenario of its task: for `replay`, `fork` and `resume` of a scenario's task. */
  readonly conducted: (agent: Agent) => Agent
}

/** What worlds and scenarios are made of. */
export interface Worlds {
  /** Opens a world on this kernel. It is closed with Hindcast at the latest. */
  readonly world: (options: WorldOptions & Calls.CallOptions) => Promise<World>
  readonly scenarios: Scenarios
}

type Services = Kernel | EventLog | Projector

/** The worlds and scenarios of a kernel. */
export const worldsOf = (runtime: Runtime.Runtime<Services>, calls: Calls.Calls): Worlds => ({
  world: (options) => {
    const { given, signal, invalid } = takeSignal("world", [options])
    const { wrappers = [], ...opening } = given[0] ?? ({} as WorldOptions)
    const opened = Effect.gen(function* () {
      if (invalid !== undefined) return yield* invalid
      return promised(yield* wrapped(yield* PluginWorld.open(opening), ...wrappers), calls)
    })
    return calls.run(Effect.provide(Scope.extend(opened, calls.scope), runtime), signal)
  },
  scenarios: {
    ...promised(
      {
        load: Scenario.load,
        run: (players: Players, scenario: Scenario.Loaded | string, options?: Scenario.PlayOptions) =>
          Effect.gen(function* () {
            const loaded = typeof scenario === "string" ? yield* Scenario.load(scenario) : scenario
            return yield* Scenario.run(playersOf(players, calls), loaded, options)
          }).pipe(Effect.provide(runtime)),
      },
      calls,
    ),
    conducted: (agent) => standIn(agent, () => Scenario.conducted(adapted(agent, calls))),
  },
})

const playersOf = (players: Players, calls: Calls.Calls): Scenario.Players =>
  isAgent(players) ? adapted(players, calls) : adaptedAll(players, calls)

/** From a program in JavaScript they may be anything, which the scenario checks. */
const isAgent = (players: Players): players is Agent =>
  typeof players === "object" &&
  players !== null &&
  ("decide" in players || "advance" in players) &&
  isText(players.name)

const isText = (value: unknown): boolean => typeof value === "string"

const adaptedAll = (agents: { readonly [name: string]: Agent }, calls: Calls.Calls) =>
  Object.fromEntries(Object.entries(agents ?? {}).map(([name, agent]) => [name, adapted(agent, calls)]))

/** A change of who takes part in a group. */
export type MemberChange =
  | { readonly join: string; readonly agent: Agent }
  | Exclude<KernelGroup.MemberChange, { readonly join: string }>

/** Options of `agentGroup`: those of `AgentGroup.make`. */
export interface AgentGroupOptions extends Omit<KernelGroup.AgentGroupOptions, "agents" | "changes"> {
  /** The agents by their names in the task. */
  readonly agents: { readonly [agentId: string]: Agent }
  /** Who joins, leaves or is suspended at the start of a round, which is numbered from 0. Default: nobody. */
  readonly changes?: (round: number) => ReadonlyArray<MemberChange>
}

/**
 * A group of agents as one agent, as `AgentGroup.make` of `hindcast/worlds` makes it. Run it with the `agents` of its
 * names. Throws `InvalidOptions` where the options are wrong.
 */
export const agentGroup = (options: AgentGroupOptions): Agent => {
  const made = (adapt: (agent: Agent) => ReturnType<typeof adapted>) => {
    const { agents, changes, ...others } = options
    return KernelGroup.make({
      ...others,
      agents: Object.fromEntries(Object.entries(agents ?? {}).map(([name, agent]) => [name, adapt(agent)])),
      ...(changes === undefined
        ? {}
        : {
            changes: (round) =>
              changes(round).map((change) => ("join" in change ? { ...change, agent: adapt(change.agent) } : change)),
          }),
    })
  }
  // Wrong options are found before it runs; what makes an agent does not matter for that.
  const { name, version } = made((agent) => agent as ReturnType<typeof adapted>)
  return standIn({ name, version }, (calls) => made((agent) => adapted(agent, calls)))
}
