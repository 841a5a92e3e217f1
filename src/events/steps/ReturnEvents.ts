/**
 * The events of a world's rewards, in a score set of their own in the task. They can be any number, so they are never
 * added to the weights of measures, from 0 to 1.
 */

import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { CoreNewEvent } from "../log/EventLog.ts"
import type { PayloadOf } from "../vocabulary/Vocabulary.ts"
import { LABEL, scoreSetOf } from "./WorldReturn.ts"

const CRITIC = "environment"

/** The start of a return's score set. `at` is the position of the world's first reset. */
export const started = (taskId: string, at: number): CoreNewEvent => ({
  type: "ScoringStarted",
  payload: {
    scoreSetId: scoreSetOf(taskId),
    taskIds: [taskId],
    rubric: {},
    rubricDigest: EMPTY,
    critic: CRITIC,
    criticDigest: CRITIC_DIGEST,
    label: LABEL,
    range: { from: at, to: at },
  },
})

const EMPTY = digest({})
const CRITIC_DIGEST = digest({ critic: CRITIC })

/** A step that a world rewarded. */
export interface TakenStep {
  readonly taskId: string
  readonly plugin: string
  /** The position of its `ActuatorCommanded`; empty without a command. */
  readonly because: ReadonlyArray<number>
  readonly agentId?: string | undefined
}

/** The rewards and punishments of a step, by name. A reward of 0 has no event. */
export const given = (
  { taskId, plugin, because, agentId }: TakenStep,
  rewards: { readonly [name: string]: number },
): ReadonlyArray<CoreNewEvent> =>
  Object.entries(rewards).flatMap(([name, reward]): ReadonlyArray<CoreNewEvent> => {
    if (reward === 0) return []
    const payload: PayloadOf<"RewardGiven"> = {
      scoreSetId: scoreSetOf(taskId),
      measure: `${plugin}/${LABEL}`,
      name,
      weight: 1,
      amount: Math.abs(reward),
      occurrences: 1,
      because,
      ...defined({ agentId }),
    }
    return [{ type: reward > 0 ? "RewardGiven" : "PunishmentGiven", payload }]
  })
