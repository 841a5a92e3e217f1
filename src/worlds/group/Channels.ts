/** Decides which agents of a group hear an utterance, and when. */

import { Schema } from "effect"
import * as Options from "../../values/Options.ts"

/** The channels between agents. */
export interface Channels {
  /**
   * Who hears whom: `all`, or for each speaker the names of its hearers. Nobody hears a speaker that is not listed.
   * Default: `all`.
   */
  readonly topology?: "all" | { readonly [speaker: string]: ReadonlyArray<string> }
  /** Rounds between an utterance and its delivery. Default: 1, the next round. */
  readonly delay?: number
}

const TopologySchema = Schema.Union(
  Schema.Literal("all"),
  Schema.Record({ key: Schema.String, value: Schema.Array(Options.Text) }),
)

/** Schema of `Channels`. */
export const Channels = Options.of<Channels>({
  optional: { topology: TopologySchema, delay: Options.wholeNumber(0, 1_000_000) },
})

export interface Utterance {
  readonly speaker: string
  readonly content: string
  /** The addressed agents; undefined addresses every hearer. */
  readonly audience: ReadonlyArray<string> | undefined
  readonly round: number
}

/** The agents that hear an utterance, in the group's order. A speaker does not hear itself. */
export const hearersOf = (
  { topology = "all" }: Channels,
  agents: ReadonlyArray<string>,
  { speaker, audience }: Utterance,
): ReadonlyArray<string> => {
  const reached = topology === "all" ? agents : (topology[speaker] ?? [])
  return agents.filter(
    (agent) => agent !== speaker && reached.includes(agent) && (audience === undefined || audience.includes(agent)),
  )
}

/** Whether an utterance is due at the start of round `now`. */
export const isDue = ({ delay = 1 }: Channels, { round }: Utterance, now: number): boolean => now >= round + delay
