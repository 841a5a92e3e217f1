/** What every world promises, as tests of one world. */
import { describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/plugins/author.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { contains, flaws, sample } from "../../src/plugins/spaces/Space.ts"
import { begin, contextOf, numbersOf, type Played, type Stepped } from "./Episode.ts"
import * as Golden from "./Golden.ts"

/**
 * Holds a world to the golden episodes of its name. Where `beginsExactly` is true, no function that differs between
 * platforms is behind its first observation, which is the same to the last bit of a float32.
 */
export const followsGymnasium = (game: Played, { beginsExactly = false } = {}): void => {
  if (beginsExactly)
    it.each(Golden.episodesOf(game.name).map((golden) => [golden.seed, golden] as const))(
      "seed %i begins as in Gymnasium, bit by bit",
      async (seed, { first, options }) => {
        expect((await begin(game, seed, options)).first).toEqual(numbersOf(first).map(Math.fround))
      },
    )
  it.each(Golden.episodesOf(game.name).map((golden) => [`${golden.id}, ${describeOptions(golden)}`, golden] as const))(
    "%s goes as in Gymnasium",
    (_, golden) => Golden.replay(game, golden),
  )
}

const describeOptions = ({ seed, options, actions }: Golden.GoldenEpisode) =>
  `seed ${seed}, ${actions.length} steps, ${JSON.stringify(options)}`

/** What does not depend on the rules of a world. Each of `options` is played by an agent that does anything. */
export const keepsItsPromises = (game: Played, options: ReadonlyArray<JsonObject> = [{}]): void => {
  it("has spaces without flaws", () => {
    expect([...flaws(game.observation), ...flaws(game.action)]).toEqual([])
  })

  describe.each(options.map((each) => [JSON.stringify(each), each] as const))("with the options %s", (_, chosen) => {
    it("shows only what is in its space", async () => {
      const chance = Generator.seeded(3)
      for (let seed = 0; seed < 5; seed++) {
        const episode = await begin(game, seed, chosen)
        await steps(300, () => episode.step(sample(episode.spaces.action, chance)))
      }
    })

    it("goes the same way with the same seed and actions", async () => {
      const play = async (seed: number) => {
        const chance = Generator.seeded(5)
        const episode = await begin(game, seed, chosen)
        const results = await steps(60, () => episode.step(sample(episode.spaces.action, chance)))
        return { first: episode.first, info: episode.info, mask: await episode.mask(), results }
      }
      expect(await play(11)).toEqual(await play(11))
    })

    it("goes on from a restored state as it would have", async () => {
      const episode = await begin(game, 17, chosen)
      const chance = Generator.seeded(7)
      await steps(4, () => episode.step(sample(episode.spaces.action, chance)))
      const state = JSON.parse(JSON.stringify(game.world.state()))
      const drawn = JSON.parse(JSON.stringify(episode.rng.state()))

      const goOn = async (rng: Generator.StatefulGenerator): Promise<ReadonlyArray<Json>> => {
        const context = contextOf(rng)
        const choice = Generator.seeded(13)
        const seen: Array<Json> = [await game.world.observe(context), (await game.world.mask?.(context)) ?? null]
        for (let step = 0; step < 40; step++) {
          const { reward, terminated = false } = await game.world.step(context, sample(episode.spaces.action, choice))
          seen.push({ reward, terminated, state: game.world.state(), observation: await game.world.observe(context) })
        }
        return seen
      }
      const expected = await goOn(episode.rng)

      await begin(game, 19)
      const rng = Generator.restored(drawn)
      await game.world.restore?.(contextOf(rng), chosen, state)
      expect(game.world.state()).toEqual(state)
      expect(await goOn(rng)).toEqual(expected)
    })

    it("refuses a state that is none, and stays as it is", async () => {
      const episode = await begin(game, 23, chosen)
      const before = game.world.state()
      expect(() => game.world.restore?.(contextOf(episode.rng), chosen, {})).toThrow("expected a number")
      expect(game.world.state()).toEqual(before)
    })
  })
}

/** Steps until an end, or that many. */
const steps = async (most: number, step: () => Promise<Stepped>): Promise<ReadonlyArray<Stepped>> => {
  const results: Array<Stepped> = []
  while (results.length < most) {
    const result = await step()
    results.push(result)
    if (result.terminated || result.truncated) break
  }
  return results
}

/** What is no action is outside the action space, so that Hindcast refuses it before the world sees it. */
export const hasNoAction = (game: Played, wrong: ReadonlyArray<Json | number>): void => {
  it.each(wrong.map((action) => [JSON.stringify(action), action] as const))("%s is no action", (_, action) => {
    expect(contains(game.action, action)).toBeTypeOf("string")
  })
}
