/** Who hears what is said between the agents of a group, and when. */

import { Schema } from "effect"
import * as Options from "../../values/Options.ts"

/** The channels between agents. */
export interface Channels {
  /**
   * Who hears whom: `all`, or by the speaker's name the names of those who can hear it. A speaker that is not listed is
   * heard by nobody. Default: `all`.
   */
  readonly topology?: "all" | { readonly [speaker: string]: ReadonlyArray<string> }
  /** After how many rounds it is heard. Default: 1, that is in the next round. */
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

/** Something that an agent said. */
export interface Utterance {
  readonly speaker: string
  readonly content: string
  /** Those that it was said to; all who can hear it, if none are named. */
  readonly audience: ReadonlyArray<string> | undefined
  /** The round in which it was said. */
  readonly round: number
}

/** The agents of the group, in order, that hear an utterance. Nobody hears itself. */
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

/** Whether an utterance is heard at the start of a round. */
export const isDue = ({ delay = 1 }: Channels, { round }: Utterance, now: number): boolean => now >= round + delay
