/** What a step at the limit of steps says, and the document after it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import cartPole from "../../packages/worlds/cart-pole/world.ts"
import type { World } from "../../src/worlds/handle/World.ts"
import { TimeLimit } from "../../src/worlds/wrappers/EpisodeWrappers.ts"
import { wrapped } from "../../src/worlds/wrappers/Wrapper.ts"
import { played } from "./Episode.ts"
import { inMemory } from "./InMemoryWorld.ts"
import { counter, matches, nim } from "./samples.ts"

/** How each agent stands, as the document has it. */
const standing = (world: World, ...agents: ReadonlyArray<string>) =>
  Effect.forEach(agents, (agent) => world.status(agent))

const cut = { terminated: false, truncated: true }
const both = { terminated: true, truncated: true }

describe("a step at the limit of steps", () => {
  it.effect("is truncated, and terminated too where the world ends there: of one agent", () =>
    Effect.gen(function* () {
      const ends = counter(3)
      yield* ends.reset()
      for (const action of [1, 1]) expect(yield* ends.step(action)).toMatchObject({ truncated: false })
      expect(yield* ends.step(1)).toMatchObject(both)
      expect(yield* ends.status()).toBe("terminated")
      const goesOn = counter(2)
      yield* goesOn.reset()
      yield* goesOn.step(1)
      expect(yield* goesOn.step(1)).toMatchObject(cut)
      expect(yield* goesOn.status()).toBe("truncated")
    }),
  )

  it.effect("is so for each agent of a parallel world that is still active, also for one that did not act", () =>
    Effect.gen(function* () {
      const world = matches(["alice", "bob", "cem", "dan"], { maxSteps: 3 })
      yield* world.reset()
      yield* world.stepTogether({ alice: 2, bob: 2, cem: 0, dan: 2 })
      yield* world.stepTogether({ alice: 2, bob: 1, cem: 0, dan: 2 })
      const results = yield* world.stepTogether({ alice: 1, bob: 0, dan: 9 })
      expect(results).toMatchObject({ alice: both, bob: cut, cem: cut, dan: { ...cut, refused: {} } })
      expect(yield* standing(world, "alice", "bob", "cem", "dan")).toEqual([
        ...["terminated", "truncated", "truncated", "truncated"],
      ])
    }),
  )

  it.effect("is so for both agents of a world of turns", () =>
    Effect.gen(function* () {
      const world = nim({ maxSteps: 3 })
      yield* world.reset()
      yield* world.stepTogether({ alice: 2 })
      yield* world.stepTogether({ bob: 2 })
      expect(yield* world.stepTogether({ alice: 1 })).toMatchObject({ alice: both, bob: both })
      expect(yield* standing(world, "alice", "bob")).toEqual(["terminated", "terminated"])
      const short = nim({ maxSteps: 2 })
      yield* short.reset()
      yield* short.stepTogether({ alice: 1 })
      expect(yield* short.stepTogether({ bob: 1 })).toMatchObject({ alice: cut, bob: cut })
    }),
  )

  it.effect("says nothing of an agent whose episode was over before it", () =>
    Effect.gen(function* () {
      const world = inMemory(
        {
          mode: "parallel",
          reset: () => {},
          observe: () => 0,
          // It tells of everybody at every step, and of an end once.
          step: (_, actions) => ({ ada: { reward: 1, terminated: "ada" in actions }, bob: { reward: 1 } }),
          state: () => ({}),
        },
        {
          spaces: { observation: { type: "Discrete", n: 1 }, action: { type: "Discrete", n: 1 } },
          agents: ["ada", "bob"],
          maxSteps: 2,
        },
      )
      yield* world.reset()
      expect(yield* world.stepTogether({ ada: 0, bob: 0 })).toMatchObject({
        ada: { terminated: true, truncated: false },
      })
      expect(yield* world.stepTogether({ bob: 0 })).toMatchObject({ ada: { truncated: false }, bob: cut })
      expect(yield* standing(world, "ada", "bob")).toEqual(["terminated", "truncated"])
    }),
  )

  it.effect("says both under TimeLimit, whoever acts", () =>
    Effect.gen(function* () {
      const parallel = yield* wrapped(matches(), TimeLimit(3))
      yield* parallel.reset()
      for (const taken of [2, 2]) yield* parallel.stepTogether({ alice: taken, bob: 0 })
      expect(yield* parallel.stepTogether({ alice: 1, bob: 0 })).toMatchObject({ alice: both, bob: cut })
      const turns = yield* wrapped(nim(), TimeLimit(2))
      yield* turns.reset()
      for (const [agent, taken] of [["alice", 2] as const, ["bob", 2] as const])
        yield* turns.stepTogether({ [agent]: taken })
      expect(yield* turns.stepTogether({ alice: 1 })).toMatchObject({ alice: both })
    }),
  )

  it.effect("is what Gymnasium 1.4.0 says of CartPole with seed 4, whose pole falls at step 500", () =>
    Effect.gen(function* () {
      const { world, facts } = played("cart-pole", cartPole)
      const pole = inMemory(world, { spaces: facts.spaces, maxSteps: 500 })
      let { observation } = yield* pole.reset({ seed: 4 })
      const results = []
      for (let step = 0; step < 500; step++) {
        const [, , angle = 0, velocity = 0] = observation as ReadonlyArray<number>
        const result = yield* pole.step((step < 490 ? angle + velocity : -angle) > 0 ? 1 : 0)
        observation = result.observation
        results.push(result)
      }
      expect(results.slice(0, -1).filter(({ terminated, truncated }) => terminated || truncated)).toEqual([])
      expect(results.at(-1)).toMatchObject({
        ...both,
        observation: [1.9690114259719849, 1.9416077136993408, -0.21750253438949585, -2.7821900844573975],
      })
    }),
  )
})
