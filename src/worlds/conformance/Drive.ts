/** Runs copies of a world for the checks and plays each episode once. */

import { Effect, Either, Exit, Scope } from "effect"
import { type Drive, failed, inapplicable, passed } from "./Check.ts"
import type { DrivenWorld, OpenWorld, Refusal } from "./DrivenWorld.ts"
import { type Episode, failedToStart, type Plan, play } from "./Episode.ts"
import { said } from "./episodeChecks.ts"
import { canProbe, probing } from "./Probe.ts"

/** Options of the checks. */
export interface DriveOptions {
  /** The seeds of the episodes that most checks use. Default: 1, 2 and 3. */
  readonly seeds?: ReadonlyArray<number>
  /** Maximum number of steps of such an episode. Default: 200. */
  readonly steps?: number
}

interface Copy {
  readonly world: DrivenWorld
  readonly scope: Scope.CloseableScope
}

/**
 * Starts a world for the checks. Its copies end with the scope. Replaces a copy that ended or does not answer. Fails if
 * the world does not start.
 */
export const make = (
  open: OpenWorld,
  { seeds = [1, 2, 3], steps = 200 }: DriveOptions = {},
): Effect.Effect<Drive, Refusal, Scope.Scope> =>
  Effect.gen(function* () {
    const copies = new Map<0 | 1, Copy>()
    const played = new Map<string, Episode>()

    const begin = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const world = yield* restore(Scope.extend(open, scope)).pipe(
          Effect.onError(() => Scope.close(scope, Exit.void)),
        )
        return { world, scope }
      }),
    )
    const end = (copy: 0 | 1) =>
      Effect.suspend(() => {
        const running = copies.get(copy)
        copies.delete(copy)
        return running === undefined ? Effect.void : Scope.close(running.scope, Exit.void)
      })
    const started = (copy: 0 | 1) =>
      Effect.suspend(() => {
        const running = copies.get(copy)
        return running === undefined
          ? Effect.tap(begin, (fresh) => Effect.sync(() => copies.set(copy, fresh)))
          : Effect.succeed(running)
      })
    yield* Effect.addFinalizer(() => Effect.zipRight(end(0), end(1)))
    const { world } = yield* started(0)

    const episode: Drive["episode"] = (plan, copy = 0, run = 0) =>
      Effect.gen(function* () {
        const key = JSON.stringify([plan, copy, run])
        const before = played.get(key)
        if (before !== undefined) return before
        const running = yield* Effect.either(started(copy))
        const seen = Either.isLeft(running) ? failedToStart(running.left) : yield* play(running.right.world, plan)
        played.set(key, seen)
        if (seen.failure?.ended === true) yield* end(copy)
        return seen
      })

    const plans = seeds.map((seed): Plan => ({ seed, steps }))
    const fresh: Drive["fresh"] = (use) => Effect.either(Effect.scoped(Effect.flatMap(open, use)))
    const used: Drive["used"] = (use) => Effect.either(Effect.flatMap(started(1), (copy) => use(copy.world)))
    // The first episode shows whether the world repeats an episode.
    const probes = yield* Effect.cached(
      Effect.gen(function* () {
        const begun = yield* Effect.forEach(plans, (plan) => Effect.map(episode(plan), (first) => ({ plan, first })))
        const tried = begun.flatMap(({ plan, first: { start, ...first } }, index) =>
          start !== undefined && canProbe(world.facts, { start, ...first })
            ? [{ plan, first: { ...first, start }, name: `episode ${index + 1}` }]
            : [],
        )
        if (tried.length === 0) return Either.right([])
        const found = yield* used((copy) =>
          Effect.forEach(tried, ({ plan, first, name }) => probing(copy, plan, first, name)),
        )
        return Either.mapBoth(found, {
          onLeft: (refusal) => `the world did not start (${said(refusal)})`,
          onRight: (probes) => probes.flat(),
        })
      }),
    )
    return {
      facts: world.facts,
      restores: world.restore !== undefined,
      fresh,
      used,
      probes,
      seeds,
      plan: plans[0] ?? { seed: 1, steps },
      episode,
      episodes: Effect.forEach(plans, (plan) => episode(plan)),
      closeTwice: Effect.scoped(
        Effect.gen(function* () {
          const copy = yield* Effect.either(open)
          if (Either.isLeft(copy)) return inapplicable(`the world did not start (${said(copy.left)})`)
          const first = yield* Effect.either(copy.right.close)
          if (Either.isLeft(first)) return failed(`the first close failed (${said(first.left)})`)
          const second = yield* Effect.either(copy.right.close)
          return Either.isLeft(second) ? failed(said(second.left)) : passed
        }),
      ),
    }
  })
