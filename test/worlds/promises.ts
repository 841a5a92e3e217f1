/** What every world promises, as tests of one world. */
import { describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/plugins/author.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { flaws, sample } from "../../src/plugins/spaces/Space.ts"
import { begin, type Episode, type Played, restored, type Stepped } from "./Episode.ts"
import * as Golden from "./Golden.ts"

/** Holds a world to the golden episodes of its name, to the last bit. */
export const followsGymnasium = (game: Played): void => {
  const episodes = Golden.episodesOf(game.name)
  it.each(episodes.map((golden) => [golden.id, golden.seed, golden.options, golden] as const))(
    "%s goes as in Gymnasium with seed %i and %j",
    (_id, _seed, _options, golden) => Golden.replay(game, golden),
  )
}

/** What does not depend on the rules of a world. Each of `options` is played by an agent that does anything. */
export const keepsItsPromises = (game: Played, options: ReadonlyArray<JsonObject> = [{}]): void => {
  it("has spaces without flaws", () => {
    const { observation, action } = game.facts.spaces
    expect([...flaws(observation), ...flaws(action)]).toEqual([])
  })

  describe.each(options.map((each) => [each] as const))("with the options %j", (chosen) => {
    it("shows only what is in its space, up to the end", async () => {
      for (let seed = 0; seed < 5; seed++) await anySteps(await begin(game, seed, chosen), 300, seed)
    })

    it("goes the same way with the same seed and actions", async () => {
      const play = async () => {
        const episode = await begin(game, 11, chosen)
        const results = await anySteps(episode, 60, 5)
        return { first: episode.first, info: episode.info, mask: await episode.mask(), results, state: episode.state() }
      }
      expect(await play()).toEqual(await play())
    })

    it("goes on from a restored state as it would have", async () => {
      const episode = await begin(game, LONG_ENOUGH, chosen)
      await episode.step(sample(episode.action, Generator.seeded(7)))
      const state = episode.state()
      const goOn = async (from: Episode): Promise<ReadonlyArray<unknown>> => [
        await from.observe(),
        await from.mask(),
        await anySteps(from, 40, 13),
        from.state(),
      ]
      const expected = await goOn(episode)
      await begin(game, 19)
      const other = await restored(game, chosen, state)
      expect(other.state()).toEqual(state)
      expect(await goOn(other)).toEqual(expected)
    })

    it("refuses a state that is none", async () => {
      const { episode } = (await begin(game, 23, chosen)).state()
      await expect(restored(game, chosen, { episode: episode ?? null })).rejects.toThrow(
        /expected a (number|list of numbers)/,
      )
    })
  })
}

/** A seed with which no world is over after one step of the test that restores. */
const LONG_ENOUGH = 17

/** Takes any steps until an end, or that many. */
const anySteps = async (episode: Episode, most: number, seed: number): Promise<ReadonlyArray<Stepped>> => {
  const chance = Generator.seeded(seed)
  const results: Array<Stepped> = []
  while (results.length < most) {
    const result = await episode.step(sample(episode.action, chance))
    results.push(result)
    if (result.terminated || result.truncated) break
  }
  return results
}

/** What is no action is refused, and changes nothing. */
export const hasNoAction = (game: Played, wrong: ReadonlyArray<Json>): void => {
  it.each(wrong.map((action) => [JSON.stringify(action), action] as const))(
    "refuses the action %s",
    async (_, action) => {
      const episode = await begin(game, 1)
      const before = episode.state()
      await expect(episode.step(action)).rejects.toMatchObject({ code: "ActionOutsideSpace" })
      expect(episode.state()).toEqual(before)
    },
  )
}
