/**
 * Several agents in one task. A group is an agent: the kernel runs, replays, forks and resumes it like any other. The
 * world (all act in each round, or one after another) and the agents' names decide who acts when.
 */

import { Effect, Either, Schema } from "effect"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Agent from "../../kernel/agents/Agent.ts"
import { AgentName } from "../../kernel/tasks/OpenOptions.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import * as Channels from "./Channels.ts"
import * as Rounds from "./Rounds.ts"

export type { MemberChange } from "./Members.ts"

/** Options of a group. */
export interface AgentGroupOptions extends Omit<Rounds.RoundsOptions, "world"> {
  readonly name: string
  readonly version: string
  /** The name of the world's plugin. Default: the world of the task's scenario, or its only world. */
  readonly world?: string
}

const isName = Schema.is(AgentName)

const Agents = Options.kind<AgentGroupOptions["agents"]>(
  "agents by their names: letters, digits, '.', '_', ':' and '-'",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length > 0 &&
    Object.entries(value).every(([name, agent]) => isName(name) && Either.isRight(Agent.fromUnknown(name, agent))),
)

const Ticks = Schema.Union(Options.Milliseconds, Schema.Literal("real-time"))

/** Schema of `AgentGroupOptions`. */
export const AgentGroupOptions = Options.of<AgentGroupOptions>({
  required: { name: Options.Text, version: Options.Text, agents: Agents },
  optional: {
    world: Options.Text,
    maxRounds: Options.wholeNumber(1, 1_000_000_000),
    decideWithinMs: Options.Milliseconds,
    ticks: Ticks,
    channels: Channels.Channels,
    changes: Options.callable<NonNullable<AgentGroupOptions["changes"]>>(),
  },
})

/**
 * Makes one agent of a group. Open its task with `agents: Object.keys(group.agents)`; `run` does so. The group closes
 * the task: `achieved` if one of its agents achieved its end, otherwise `failed` if one failed, otherwise `truncated`.
 * Throws `InvalidOptions` for wrong options.
 *
 * ```ts
 * const group = AgentGroup.make({ name: "pair", version: "1", world: "grid-world", agents: { ada, bob } })
 * const audit = yield* kernel.tasks.run(group, { goal: "Fetch the keys", agents: ["ada", "bob"] })
 * ```
 */
export const make = (options: AgentGroupOptions): Agent.GroupAgent => {
  const decoded = Options.decode("an agent group", AgentGroupOptions, options)
  const { name, version, world, ...rounds } = Either.getOrThrowWith(decoded, (invalid) => invalid)
  return {
    name,
    version,
    agents: rounds.agents,
    ...defined({ maxRounds: rounds.maxRounds }),
    withAgents: (agents, limits = {}) => make({ ...options, agents, ...limits }),
    // One call is the whole run: the group counts its rounds.
    advance: (task) =>
      Effect.flatMap(world === undefined ? worldIn(task, name) : Effect.succeed(world), (world) =>
        Effect.as(Rounds.run({ ...rounds, world }, task), false),
      ),
  }
}

/** The world of the task's scenario, otherwise the task's only world. */
const worldIn = (task: Agent.AgentTask, name: string) =>
  Effect.gen(function* () {
    const scenario = (yield* task.events(0)).findLast((event) => is(event, "ScenarioStarted"))
    if (scenario !== undefined && is(scenario, "ScenarioStarted")) return scenario.payload.plugin
    const { actuators } = yield* task.capabilities()
    const worlds = actuators.flatMap((actuator) =>
      actuator.world === true ? [actuator.name.slice(0, actuator.name.indexOf("/"))] : [],
    )
    const [only, ...others] = worlds
    if (only !== undefined && others.length === 0) return only
    const found = only === undefined ? "none" : worlds.join(", ")
    return yield* new Agent.AgentFailed({
      agent: name,
      reason: `expected one world for several agents in the task, found ${found}: name it in the option "world"`,
    })
  })
