/** Assigns agents to a scenario: one agent, a group, or agents by name. */

import { Either } from "effect"
import * as Agent from "../../kernel/agents/Agent.ts"
import { defined } from "../../values/defined.ts"
import { InvalidOptions } from "../../values/Options.ts"
import * as AgentGroup from "../group/AgentGroup.ts"

/** An agent, a group of agents, or agents by their names in the scenario. */
export type Players = Agent.Agent | { readonly [agentId: string]: Agent.Agent }

/** The roles of a scenario. */
export interface Parts {
  /** The names of its agents; empty if it names none. */
  readonly names: ReadonlyArray<string>
  readonly world: string
  /** Maximum number of rounds of a group made of named agents. */
  readonly maxRounds?: number | undefined
}

/** The agent and the names of a task. */
export interface Cast {
  readonly agent: Agent.Agent
  /** The names of the agents, in a task with several. */
  readonly agents?: ReadonlyArray<string>
}

/** Casts a scenario. Several named agents become a group; a single one plays alone. */
export const of = (players: Players, parts: Parts): Either.Either<Cast, InvalidOptions> => {
  const { names } = parts
  if (isAgent(players)) {
    const given = Agent.isGroup(players) ? Object.keys(players.agents).sort() : undefined
    if (given === undefined ? names.length > 1 : !fits(given, names)) return Either.left(misfit(given, names))
    return Either.right(given === undefined ? { agent: players } : { agent: players, agents: given })
  }
  const given = Object.keys(players ?? {}).sort()
  if (given.length === 0 || !fits(given, names)) return Either.left(misfit(given, names))
  const [single] = given
  const alone = given.length === 1 && single !== undefined ? players[single] : undefined
  return Either.right(alone === undefined ? { agent: groupOf(players, parts), agents: given } : { agent: alone })
}

/** A group whose name consists of its agents' names. */
export const groupOf = (
  agents: { readonly [agentId: string]: Agent.Agent },
  { world, maxRounds }: Partial<Pick<Parts, "world" | "maxRounds">> = {},
): Agent.GroupAgent =>
  AgentGroup.make({
    name: nameOf(Object.keys(agents).sort()),
    version: "1",
    agents,
    ...defined({ world, maxRounds }),
  })

/** Maximum number of agents' names in a group's name. */
const MAX_NAMES = 4

const nameOf = (names: ReadonlyArray<string>): string =>
  names.length <= MAX_NAMES
    ? names.join("+")
    : `${names.slice(0, MAX_NAMES).join("+")}+${names.length - MAX_NAMES}-more`

/** Whether the agents match the scenario's. A scenario without names accepts any. */
const fits = (given: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean =>
  names.length === 0 || (given.length === names.length && names.every((name) => given.includes(name)))

const misfit = (given: ReadonlyArray<string> | undefined, names: ReadonlyArray<string>) =>
  new InvalidOptions({
    of: "Scenario.run",
    problems: [
      {
        path: "agents",
        expected: names.length === 0 ? "at least one agent" : `an agent for each of ${listed(names)}`,
        found: given === undefined ? "a single agent" : listed(given) || "none",
      },
    ],
  })

/** Maximum number of names in a message. */
const MAX_LISTED = 20

const listed = (names: ReadonlyArray<string>): string =>
  names.length <= MAX_LISTED
    ? names.join(", ")
    : `${names.slice(0, MAX_LISTED).join(", ")} and ${names.length - MAX_LISTED} more`

const isAgent = (players: Players): players is Agent.Agent => Either.isRight(Agent.fromUnknown("players", players))
