import { describe, expect, it } from "@effect/vitest"
import { Effect, Scope } from "effect"
import * as PettingZoo from "../../src/worlds/adapters/PettingZoo.ts"
import * as World from "../../src/worlds/World.ts"
import { events } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"

const opened = (world: string) =>
  Effect.gen(function* () {
    const plugins = [inRepository(`test/worlds/samples/${world}`)]
    const { run } = yield* Effect.flatMap(testKernel({ plugins }), ({ start }) => start)
    const scope = yield* Effect.scope
    return { run, world: yield* run(Scope.extend(World.open({ world, agents: ["ada", "bob"] }), scope)) }
  })

describe("a world for several agents on a kernel", () => {
  it.scopedLive("is stepped with all actions of a round at once, as PettingZoo's parallel API", () =>
    Effect.gen(function* () {
      const { run, world } = yield* opened("arena")
      const env = PettingZoo.parallel(world)
      const [observations] = yield* env.reset({ seed: 1, options: { goal: 2 } })
      expect(observations).toEqual({ ada: { at: 0, others: 1 }, bob: { at: 10, others: 1 } })
      const [after, rewards] = yield* env.step({ ada: 1, bob: 0 })
      expect([after, rewards]).toMatchObject([
        { ada: { at: 1 }, bob: { at: 10 } },
        { ada: 1, bob: 0 },
      ])
      expect(yield* Effect.flip(env.step({ ada: 1, bob: 7 }))).toMatchObject({ code: "ActionOutsideSpace" })
      const [, , terminations] = yield* env.step({ ada: 1, bob: 1 })
      expect(terminations).toEqual({ ada: true, bob: false })
      expect(yield* env.agents()).toEqual(["bob"])
      const changes = yield* run(events("EnvironmentChanged"))
      expect(changes.map(({ payload }) => (payload.commands as ReadonlyArray<string>).length)).toEqual([2, 2])
    }),
  )

  it.scopedLive("answers each agent of a round for itself: one is refused, the other has acted", () =>
    Effect.gen(function* () {
      const { world } = yield* opened("arena")
      yield* world.reset({ seed: 1, options: { goal: 2 } })
      yield* world.stepTogether({ ada: 1, bob: 1 })
      yield* world.step(1, "ada")
      const results = yield* world.stepTogether({ ada: 1, bob: 0 })
      expect(results).toMatchObject({
        ada: { reward: 0, terminated: true, refused: { _tag: "ActionRefused", agent: "ada", code: "EpisodeOver" } },
        bob: { reward: 0, terminated: false, observation: { at: 11 } },
      })
      expect(results.bob).not.toHaveProperty("refused")
      const [, , , , infos] = yield* PettingZoo.parallel(world).step({ ada: 1, bob: 1 })
      expect(infos).toMatchObject({ ada: { refused: { code: "EpisodeOver" } }, bob: {} })
      expect(yield* Effect.flip(world.stepTogether({ ada: 1, bob: 1 }))).toMatchObject({ code: "EpisodeOver" })
    }),
  )

  it.scopedLive("ends as achieved if one of its agents achieved its end, whoever came last", () =>
    Effect.gen(function* () {
      const { run, world } = yield* opened("duel")
      yield* world.reset({ seed: 1, options: { heap: 2 } })
      // Who takes the last one has failed, and the other has won.
      yield* world.step(1, "ada")
      yield* world.step(1, "bob")
      yield* world.close
      expect((yield* run(events("TaskClosed"))).map(({ payload }) => payload.outcome)).toEqual(["achieved"])
    }),
  )

  it.scopedLive("is stepped by turns, as PettingZoo's AEC API", () =>
    Effect.gen(function* () {
      const { world } = yield* opened("duel")
      const env = PettingZoo.aec(world)
      yield* env.reset({ seed: 1, options: { heap: 3 } })
      expect(env.agent_selection()).toBe("ada")
      yield* env.step(2)
      expect([env.agent_selection(), (yield* env.last())[0]]).toEqual(["bob", 1])
      yield* env.step(1)
      expect([env.rewards(), env.terminations()]).toEqual([
        { ada: 1, bob: -1 },
        { ada: true, bob: true },
      ])
    }),
  )
})
