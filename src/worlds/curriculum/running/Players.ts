/** The agents of a curriculum's tasks: the learner, its tutors, and simulated people. */

import type { Effect } from "effect"
import type * as Agent from "../../../kernel/agents/Agent.ts"
import { groupOf } from "../../scenario/Cast.ts"
import type { Person, Stage, Tutor } from "../document/Document.ts"

/** The rest of a tutor's budget for its model. */
export interface Left {
  readonly tokens?: number
  readonly usd?: number
}

/** Where a curriculum's agents come from. */
export interface Players<E> {
  readonly learner: Agent.Agent
  /** Loads the program or model of a tutor or a person. */
  readonly load: (
    player: Pick<Tutor & Person, "program" | "model">,
    name: string,
    left: Left,
  ) => Effect.Effect<Agent.Agent, E>
}

/** A simulated person who makes these choices, one after another, and repeats the last one. */
export const scripted = (name: string, script: NonNullable<Person["script"]>): Agent.DecidingAgent => ({
  name,
  version: "1",
  decide: ({ step }) => script[Math.min(step, script.length - 1)] ?? script[0],
})

/** The agent of a stage's tasks: the one that plays the learner, alone or with people. */
export const together = (
  { learner }: Stage,
  playing: Agent.Agent,
  people: { readonly [agentId: string]: Agent.Agent },
  world: string,
  maxRounds: number | undefined,
): Agent.Agent => (learner === undefined ? playing : groupOf({ ...people, [learner]: playing }, { world, maxRounds }))
