/** The golden episodes that `test/golden/worlds/gymnasium.py` wrote with Gymnasium, and worlds held to them. */
import * as fs from "node:fs"
import { expect } from "vitest"
import type { Json, JsonObject } from "../../src/plugins/author.ts"
import { inRepository } from "../repository.ts"
import { begin, type Played } from "./Episode.ts"

export interface GoldenEpisode {
  readonly id: string
  readonly options: JsonObject
  readonly seed: number
  readonly first: Json
  readonly actions: ReadonlyArray<Json>
  readonly observations: ReadonlyArray<Json>
  readonly rewards: ReadonlyArray<number>
  readonly end: { readonly terminated: boolean; readonly truncated: boolean }
  readonly info?: { readonly [name: string]: ReadonlyArray<Json> }
}

export const episodesOf = (name: string): ReadonlyArray<GoldenEpisode> =>
  JSON.parse(fs.readFileSync(inRepository("test", "golden", "worlds", `${name}.json`), "utf8")).episodes

/** Plays the actions of a golden episode, and expects what Gymnasium answered. */
export const replay = async (game: Played, golden: GoldenEpisode): Promise<void> => {
  const episode = await begin(game, golden.seed, golden.options)
  expectSame(episode.first, golden.first, "the first observation")
  for (const [index, action] of golden.actions.entries()) {
    const where = `step ${index + 1}`
    const isLast = index === golden.actions.length - 1
    const { observation, reward, terminated, truncated, info } = await episode.step(action)
    expectSame(observation, golden.observations[index], where)
    expect(reward, `the reward of ${where}`).toBe(golden.rewards[index])
    expect({ terminated, truncated }, where).toEqual(isLast ? golden.end : { terminated: false, truncated: false })
    for (const [name, column] of Object.entries(golden.info ?? {}))
      expect(name === "action_mask" ? await episode.mask() : info[name], `${name} of ${where}`).toEqual(
        column[index + 1],
      )
  }
}

/** Numbers of a Box are float32, which are written with the fewest digits. */
const expectSame = (found: Json, expected: Json | undefined, where: string) => {
  if (!Array.isArray(found) || !Array.isArray(expected)) return expect(found, where).toEqual(expected)
  expect(found.length, where).toBe(expected.length)
  for (const [index, number] of found.entries())
    expect(number, `${where}, number ${index}`).toBe(Math.fround(Number(expected[index])))
}
