import { describe, expect, it } from "vitest"
import corridor from "../../packages/worlds/corridor/world.ts"
import { anyOf, begin, meanReturn, played, returnOf } from "./Episode.ts"
import { hasNoAction, keepsItsPromises } from "./promises.ts"

const game = played("corridor", corridor)

describe("corridor", () => {
  keepsItsPromises(game, [{}, { length: 2 }, { length: 40 }])
  hasNoAction(game, [-1, 2, 0.5, "forward", null, [0]])

  it.each([2, 5, 40])("of %i positions ends exactly at the last one", async (length) => {
    const episode = await begin(game, 1, { length })
    for (let position = 1; position < length; position++)
      expect(await episode.step(1)).toMatchObject({ observation: position, terminated: position === length - 1 })
  })

  it("stays at its first position when stepping back from there", async () => {
    const episode = await begin(game, 1)
    expect(await episode.step(0)).toMatchObject({ observation: 0, reward: -1, terminated: false })
  })

  it("costs 4 at best, and 20 on average at random", async () => {
    expect(await returnOf(await begin(game, 1), () => 1)).toBe(-4)
    expect(Math.abs((await meanReturn(game, 3000, anyOf(2))) + 20)).toBeLessThan(1.5)
  })
})
