/**
 * Several agents in one task. A group is an agent: it is run, replayed, forked and resumed as any other. Who acts when
 * follows from the world (all in each round, or one after the other) and from the agents' names.
 */

import { Effect, Either, Schema } from "effect"
import * as Agent from "../../kernel/agents/Agent.ts"
import { AgentName } from "../../kernel/tasks/OpenOptions.ts"
import * as Options from "../../values/Options.ts"
import * as Channels from "./Channels.ts"
import * as Rounds from "./Rounds.ts"

export type { MemberChange } from "./Members.ts"

/** Options of a group. */
export interface AgentGroupOptions extends Rounds.RoundsOptions {
  readonly name: string
  readonly version: string
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
  required: { name: Options.Text, version: Options.Text, world: Options.Text, agents: Agents },
  optional: {
    maxRounds: Options.wholeNumber(1, 1_000_000_000),
    decideWithinMs: Options.Milliseconds,
    ticks: Ticks,
    channels: Channels.Channels,
    changes: Options.callable<NonNullable<AgentGroupOptions["changes"]>>(),
  },
})

/**
 * A group of agents as one agent. Open its task with `agents: Object.keys(group.agents)`; `run` does. It closes the task
 * by itself: `achieved` if one of its agents achieved its end, else `failed` if one failed, else `truncated`. Throws
 * `InvalidOptions` where the options are wrong.
 *
 * ```ts
 * const group = AgentGroup.make({ name: "pair", version: "1", world: "grid-world", agents: { ada, bob } })
 * const audit = yield* kernel.tasks.run(group, { goal: "Fetch the keys", agents: ["ada", "bob"] })
 * ```
 */
export const make = (options: AgentGroupOptions): Agent.GroupAgent => {
  const decoded = Options.decode("an agent group", AgentGroupOptions, options)
  const { name, version, ...rounds } = Either.getOrThrowWith(decoded, (invalid) => invalid)
  return {
    ...{ name, version, agents: rounds.agents },
    withAgents: (agents) => make({ ...options, agents }),
    // One call is the whole run: the rounds are counted by the group.
    advance: (task) => Effect.as(Rounds.run(rounds, task), false),
  }
}
