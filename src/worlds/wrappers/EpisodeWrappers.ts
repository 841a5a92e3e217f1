/** Wrappers of episodes: `TimeLimit`, `OrderEnforcing` and `RecordEpisodeStatistics`. */

import { Clock, Effect, Either } from "effect"
import { isLast } from "../handle/World.ts"
import { ActionRefused, NoEpisode } from "../handle/WorldError.ts"
import { changed, DoesNotFit, type Wrapper } from "./Wrapper.ts"

/** Truncates an agent's episode at its step number `steps`. As in Gymnasium, this step can also terminate it. */
export const TimeLimit =
  (steps: number): Wrapper =>
  (world) => {
    if (!Number.isSafeInteger(steps) || steps < 1) {
      const expected = "a whole number of steps, 1 or more"
      return Either.left(new DoesNotFit({ wrapper: "TimeLimit", world: world.name, expected, found: String(steps) }))
    }
    const taken = new Map<string, number>()
    const isOver = (agent: string) => (taken.get(agent) ?? 0) >= steps
    return Either.right(
      changed(world, {
        info: { maxEpisodeSteps: Math.min(steps, world.info.maxEpisodeSteps ?? steps) },
        begin: (agent) => Effect.sync(() => taken.set(agent, 0)),
        allow: (agent) =>
          isOver(agent)
            ? new ActionRefused({
                world: world.name,
                agent,
                code: "EpisodeOver",
                reason: `its episode was truncated at step ${steps}: expected a reset`,
              })
            : Effect.void,
        step: (result, agent, acted) =>
          Effect.sync(() => {
            if (acted) taken.set(agent, (taken.get(agent) ?? 0) + 1)
            return isOver(agent) ? { ...result, truncated: true } : result
          }),
        status: (status, agent) => (status === "active" && isOver(agent) ? "truncated" : status),
      }),
    )
  }

/** Fails with `NoEpisode` if an agent acts or observes before the first reset. */
export const OrderEnforcing: Wrapper = (world) => {
  let hasBegun = false
  const enforced = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(
      (): Effect.Effect<A, E | NoEpisode, R> => (hasBegun ? effect : Effect.fail(new NoEpisode({ world: world.name }))),
    )
  return Either.right({
    ...world,
    reset: (options) =>
      Effect.tap(world.reset(options), () => {
        hasBegun = true
      }),
    step: (action, agent) => enforced(world.step(action, agent)),
    stepTogether: (actions) => enforced(world.stepTogether(actions)),
    tick: (milliseconds) => enforced(world.tick(milliseconds)),
    observe: (agent) => enforced(world.observe(agent)),
    mask: (agent) => enforced(world.mask(agent)),
    close: Effect.tap(world.close, () => {
      hasBegun = false
    }),
  })
}

interface Counted {
  readonly since: bigint
  r: number
  l: number
}

/**
 * Adds `episode` to the info of the step that ends an agent's episode: `r` is its return, `l` its number of own steps,
 * and `t` its duration in seconds, rounded to microseconds.
 */
export const RecordEpisodeStatistics: Wrapper = (world) => {
  const counted = new Map<string, Counted>()
  return Either.right(
    changed(world, {
      begin: (agent) => Effect.map(Clock.currentTimeNanos, (since) => void counted.set(agent, { since, r: 0, l: 0 })),
      step: (result, agent, acted) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          const count = counted.get(agent)
          // The agent has taken its last step.
          if (count === undefined) return result
          count.r += result.reward
          if (acted) count.l += 1
          if (!isLast(result)) return result
          counted.delete(agent)
          const t = Math.round(Number(now - count.since) / 1_000) / 1_000_000
          return { ...result, info: { ...result.info, episode: { r: count.r, l: count.l, t } } }
        }),
    }),
  )
}
