/** A chat room's topology: who hears whom. */
import type { Json } from "hindcast/plugin"

/** Named topologies. `ring`, `line` and `star` use the order of the agents' names. */
export const SHAPES = ["all", "ring", "line", "star"] as const

export type Shape = (typeof SHAPES)[number]

/** A named topology, or each speaker's listeners. */
export type Topology = Shape | { readonly [speaker: string]: ReadonlyArray<string> }

export const isTopology = (value: Json | undefined): value is Topology => {
  if (typeof value === "string") return SHAPES.some((shape) => shape === value)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  return Object.values(value).every(
    (listeners) => Array.isArray(listeners) && listeners.every((listener) => typeof listener === "string"),
  )
}

/**
 * The agents who hear `speaker`, who does not hear itself. In a ring and a line, both neighbours do; in a star,
 * everybody hears the first agent, and the first agent hears everybody.
 */
export const listenersOf = (
  topology: Topology,
  agents: ReadonlyArray<string>,
  speaker: string,
): ReadonlyArray<string> => {
  const others = agents.filter((agent) => agent !== speaker)
  if (typeof topology !== "string") {
    const listeners = Object.hasOwn(topology, speaker) ? topology[speaker] : undefined
    return others.filter((agent) => listeners?.includes(agent))
  }
  const place = agents.indexOf(speaker)
  const between = (agent: string) => Math.abs(agents.indexOf(agent) - place)
  const hears: { readonly [shape in Shape]: (agent: string) => boolean } = {
    all: () => true,
    ring: (agent) => between(agent) === 1 || between(agent) === agents.length - 1,
    line: (agent) => between(agent) === 1,
    star: (agent) => place === 0 || agents.indexOf(agent) === 0,
  }
  return others.filter(hears[topology])
}
