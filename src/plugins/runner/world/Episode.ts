/** One episode of a world: its agents, their progress and its random numbers. The world's document includes it. */

import type { Json, JsonObject, Spaces } from "../../author.ts"
import * as Generator from "../../numpy/Generator.ts"
import type { AgentStep } from "./checkStep.ts"
import { refusal } from "./Refusal.ts"

/** An agent's progress. `left`: it no longer takes part. */
export type AgentStatus = "active" | "terminated" | "truncated" | "left"

/** An agent's part of the document. `return` is the sum of its rewards. */
export interface AgentEpisode {
  status: AgentStatus
  return: number
  /** Present if it terminated as `failed`; without it, the end counts as `achieved`. */
  outcome?: "failed"
  /** Present if they differ from the manifest's. */
  spaces?: Spaces
}

/** The document's key for the episode. */
export const KEY = "episode"

/** An episode in progress. */
export interface Episode {
  step: number
  /** Sorted by name. */
  agents: Map<string, AgentEpisode>
  readonly rng: Generator.StatefulGenerator
  /** From the world's reset. */
  info: JsonObject
}

/** By code units: the order is the same on every machine. */
const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** `rng`: the random numbers to continue, instead of those of the seed. */
export const begin = (
  seed: number,
  agents: ReadonlyArray<string>,
  rng: Episode["rng"] = Generator.seeded(seed),
): Episode => ({
  step: 0,
  agents: new Map([...agents].sort(byName).map((name) => [name, { status: "active", return: 0 }])),
  rng,
  info: {},
})

/** Adds an agent, or readmits one that left. */
export const join = (episode: Episode, agent: string): void => {
  if (statusOf(episode, agent) !== undefined && statusOf(episode, agent) !== "left") {
    throw refusal("AgentTakesPart", `${agent} takes part already`)
  }
  const before = episode.agents.get(agent)
  episode.agents.set(agent, { ...(before ?? { return: 0 }), status: "active" })
  episode.agents = new Map([...episode.agents].sort(([a], [b]) => byName(a, b)))
}

export const statusOf = (episode: Episode, agent: string): AgentStatus | undefined => episode.agents.get(agent)?.status

/** The agents that take part, sorted by name. */
export const taking = ({ agents }: Episode): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (const [name, { status }] of agents) if (status !== "left") names.push(name)
  return names
}

/** Throws if an agent does not take part or its episode is over. */
export const assertActive = (episode: Episode, agent: string): void => {
  const status = statusOf(episode, agent)
  if (status === undefined || status === "left") {
    const names = taking(episode).join(", ")
    throw refusal("NoSuchAgent", `expected an agent that takes part (${names || "there is none"}), found ${agent}`)
  }
  if (status !== "active") {
    throw refusal("EpisodeOver", `${agent}'s episode was ${status}: it cannot act any more. Open another task`)
  }
}

/** Records an agent's step. An episode ends only once: later steps do not change how it ended. */
export const credit = (
  episode: Episode,
  agent: string,
  { reward, terminated, truncated, outcome }: AgentStep,
): void => {
  const entry = episode.agents.get(agent)
  if (entry === undefined) return
  entry.return += reward
  if (entry.status !== "active") return
  if (terminated) {
    entry.status = "terminated"
    if (outcome === "failed") entry.outcome = outcome
  } else if (truncated) entry.status = "truncated"
}

/** The episode's part of the document. */
export const encode = ({ step, agents, rng, info }: Episode): JsonObject => {
  const entries: Array<[string, Json]> = []
  for (const [name, { status, return: sum, outcome, spaces }] of agents) {
    const entry: { [key: string]: Json } = { status, return: sum }
    if (outcome !== undefined) entry.outcome = outcome
    if (spaces !== undefined) entry.spaces = spaces as unknown as Json
    entries.push([name, entry])
  }
  const rest = { agents: Object.fromEntries(entries), rng: rng.state() as unknown as Json }
  for (const _ in info) return { step, info, ...rest }
  return { step, ...rest }
}

/** Restores an episode from a document that `encode` made. */
export const decode = (document: JsonObject): Episode => {
  const {
    step,
    agents,
    rng,
    info = {},
  } = document as unknown as {
    readonly step: number
    readonly info?: JsonObject
    readonly agents: { readonly [name: string]: AgentEpisode }
    readonly rng: unknown
  }
  return {
    step,
    agents: new Map(
      Object.entries(agents)
        .sort(([a], [b]) => byName(a, b))
        .map(([name, entry]) => [name, { ...entry }]),
    ),
    rng: Generator.restored(rng),
    info,
  }
}
