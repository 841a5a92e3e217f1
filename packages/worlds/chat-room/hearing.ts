/** Who hears whom: the topology of a chat room. */
import type { Json } from "hindcast/plugin"

/** The shapes that have a name. Those of `ring`, `line` and `star` go by the agents' names in order. */
export const SHAPES = ["all", "ring", "line", "star"] as const

export type Shape = (typeof SHAPES)[number]

/** Who hears whom: by a shape, or by the names of the listeners of each speaker. */
export type Topology = Shape | { readonly [speaker: string]: ReadonlyArray<string> }

/** Whether a value is a topology. */
export const isTopology = (value: Json | undefined): value is Topology => {
  if (typeof value === "string") return SHAPES.some((shape) => shape === value)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  return Object.values(value).every(
    (listeners) => Array.isArray(listeners) && listeners.every((listener) => typeof listener === "string"),
  )
}

/**
 * Those of `agents` who hear what `speaker` says; nobody hears itself. In a ring each is heard by both neighbours, in a
 * line too except that it has ends, in a star the first is heard by all and hears all.
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
