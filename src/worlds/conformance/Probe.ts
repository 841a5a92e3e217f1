/** Plays an episode again, with actions in between that the world should refuse. */

import { Effect, Either } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { seeded } from "../../plugins/numpy/Generator.ts"
import type { Json } from "../../values/Json.ts"
import type { Probe } from "./Check.ts"
import type { DrivenWorld, Start, WorldFacts } from "./DrivenWorld.ts"
import { actionSpace, answered, EPISODE_MS, type Episode, masksOf, type Plan } from "./Episode.ts"
import { differs, everything, said } from "./episodeChecks.ts"
import { exclusions } from "./masks.ts"
import { isByWorld } from "./refusals.ts"

/** Maximum number of steps to repeat. */
const MOST_STEPS = 100

/** Whether there is an action to try: one that an enforced mask excludes, or one that the world refused before. */
export const canProbe = ({ mask, advice }: WorldFacts, { failure }: Episode): boolean =>
  (mask && !advice) || (failure !== undefined && isByWorld(failure))

/**
 * Plays an episode again. Before each step, one agent tries an action that its mask excludes. Stops if the world
 * accepts such an action, or if a refused one changed something.
 */
export const probing = (
  world: DrivenWorld,
  { seed, options }: Plan,
  episode: Episode & { readonly start: Start },
  name: string,
): Effect.Effect<ReadonlyArray<Probe>> =>
  Effect.gen(function* () {
    const { start, rounds, failure, refused } = episode
    const until = (yield* MonotonicClock.now) + EPISODE_MS
    const probes: Array<Probe> = []
    const rng = seeded(seed)
    if (Either.isLeft(yield* answered(world.reset(seed, options)))) return probes

    /** Tries an action. Returns true if the world refused it and nothing changed. */
    const probe = (step: number, who: string, masked: boolean, actions: { readonly [agent: string]: Json }) =>
      Effect.gen(function* () {
        const where = `${name}, before step ${step}: ${who}`
        const before = yield* answered(world.document)
        const answer = yield* answered(world.step(actions))
        if (Either.isRight(answer)) {
          probes.push({ where, masked, refusal: undefined, changed: undefined })
          return false
        }
        const refusal = answer.left
        const after = yield* answered(world.document)
        const changed =
          Either.isLeft(before) || Either.isLeft(after)
            ? `the world has no document (${said(Either.isLeft(after) ? after.left : refusal)})`
            : differs("the documents before and after", before.right, after.right)[0]
        probes.push({ where, masked, refusal, changed })
        return changed === undefined
      })

    for (const [index, { actions, stepped }] of rounds.slice(0, MOST_STEPS).entries()) {
      if ((yield* MonotonicClock.now) >= until) return probes
      const masks = index === 0 ? masksOf(start) : (rounds[index - 1]?.stepped.masks ?? {})
      const tries = Object.keys(actions).flatMap((agent) => {
        const space = actionSpace(start, agent)
        return space === undefined || world.facts.advice
          ? []
          : exclusions(space, masks[agent] ?? null).map((draw) => ({ agent, draw }))
      })
      const attempt = tries[index % Math.max(1, tries.length)]
      if (attempt !== undefined) {
        const { agent, draw } = attempt
        const action = draw(rng)
        const who = `${agent} did ${JSON.stringify(action)}, which its mask excludes`
        if (!(yield* probe(index + 1, who, true, { ...actions, [agent]: action }))) return probes
      }
      const again = yield* answered(world.step(actions))
      const found = Either.isLeft(again)
        ? `the step after it was refused (${said(again.left)})`
        : differs("the step after it", everything(stepped), everything(again.right))[0]
      const last = probes.at(-1)
      if (found !== undefined) {
        // Without a refused action before it, the difference has another cause, which other checks find.
        if (last !== undefined) probes[probes.length - 1] = { ...last, changed: found }
        return probes
      }
    }
    if (failure !== undefined && refused !== undefined && isByWorld(failure) && rounds.length <= MOST_STEPS)
      yield* probe(rounds.length + 1, `${JSON.stringify(refused)} was refused`, false, refused)
    return probes
  })
