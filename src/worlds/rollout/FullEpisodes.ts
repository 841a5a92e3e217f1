/** Plays the episodes of a rollout with each step recorded by itself, as a world's handle does. */

import { Effect } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { Kernel } from "../../kernel/Kernel.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { InvalidOptions } from "../../values/Options.ts"
import * as Sum from "../../values/Sum.ts"
import type { NoSuchEnvironment } from "../handle/PluginEnvironment.ts"
import * as PluginWorld from "../handle/PluginWorld.ts"
import type { World } from "../handle/World.ts"
import type { WorldError } from "../handle/WorldError.ts"
import * as Policy from "./Policy.ts"
import type { EpisodeResult, RolloutResult } from "./RolloutOptions.ts"

/** The episodes to play. */
export interface FullRollout {
  readonly rolloutId: string
  readonly world: string
  readonly policy: Policy.Policy
  readonly episodes: number
  readonly seed: number
  readonly parallel: number
  readonly options?: JsonObject
  readonly maxSteps?: number
}

/** Plays all episodes, `parallel` at a time, each as a task with a process of its own. */
export const fullEpisodes = (
  rollout: FullRollout,
  onEpisode: (result: EpisodeResult) => Effect.Effect<void>,
): Effect.Effect<
  RolloutResult,
  InvalidOptions | NoSuchEnvironment | WorldError | Policy.PolicyFailed,
  Kernel | Projector | EventLog
> => {
  const { rolloutId, episodes, parallel } = rollout
  return Effect.forEach(
    Array.from({ length: episodes }, (_, episode) => episode),
    (episode) => Effect.tap(Effect.scoped(played(rollout, episode)), onEpisode),
    { concurrency: parallel },
  ).pipe(
    Effect.map((results) => ({
      rolloutId,
      episodes: results,
      steps: results.reduce((sum, { steps }) => sum + steps, 0),
    })),
  )
}

const played = ({ rolloutId, world: name, policy, seed, options, maxSteps }: FullRollout, episode: number) =>
  Effect.gen(function* () {
    const world: World = yield* PluginWorld.open({ world: name, ...defined({ options }) })
    const own = seed + episode
    let { observation } = yield* world.reset({ seed: own })
    let [step, reward, total] = [0, 0, 0]
    for (;;) {
      const view = Policy.viewOf(seed, {
        readings: { observation, action_mask: yield* world.mask() },
        reward,
        episode,
        step,
      })
      const action = yield* Effect.tryPromise({
        try: async () => policy.act(view),
        catch: (cause) => new Policy.PolicyFailed({ policy: Policy.nameOf(policy), rolloutId, episode, step, cause }),
      })
      const result = yield* world.step(action)
      observation = result.observation
      reward = result.reward
      total += reward
      step += 1
      const isCut = maxSteps !== undefined && step >= maxSteps
      if (!result.terminated && !result.truncated && !isCut) continue
      const taskId = yield* world.taskId
      const { episode: document } = yield* world.state
      yield* world.close
      return {
        episode,
        taskId,
        seed: own,
        steps: step,
        return: Sum.round(total),
        outcome: outcomeOf(result.terminated, document),
      }
    }
  })

/** The world's own part of the document says whether a terminated episode failed. */
const outcomeOf = (terminated: boolean, document: unknown): EpisodeResult["outcome"] =>
  !terminated ? "truncated" : JSON.stringify(document).includes('"outcome":"failed"') ? "failed" : "achieved"
