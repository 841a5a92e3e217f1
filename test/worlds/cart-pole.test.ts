import { describe, expect, it } from "vitest"
import cartPole from "../../packages/worlds/cart-pole/world.ts"
import { anyOf, begin, meanReturn, numbersOf, played, restored } from "./Episode.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"

const game = played("cart-pole", cartPole)

describe("cart-pole", () => {
  followsGymnasium(game)
  keepsItsPromises(game, [{}, { low: -0.2, high: 0.2 }])
  hasNoAction(game, [-1, 2, 0.5, "0", null, true, [0], {}])

  it.each([
    [42, [0.0273956, -0.00611216, 0.03585979, 0.0197368]],
    [123, [0.01823519, -0.0446179, -0.02796401, -0.03156282]],
  ])("begins with seed %i where Gymnasium does, to the eight digits that numpy prints", async (seed, expected) => {
    expect(numbersOf((await begin(game, seed)).first).map((number) => Number(number.toFixed(8)))).toEqual(expected)
  })

  it("lasts 22.4 steps on average when pushed at random", async () => {
    expect(Math.abs((await meanReturn(game, 600, anyOf(2))) - 22.4)).toBeLessThan(1)
  })

  it("fails the task when the pole falls", async () => {
    const { episode = null } = (await begin(game, 1)).state()
    const motion = { position: 0, velocity: 0, angle: 0.3, angularVelocity: 0, widest: 0.3 }
    const leaning = await restored(game, {}, { ...motion, episode })
    expect(await leaning.step(1)).toMatchObject({ reward: 1, terminated: true, outcome: "failed" })
  })

  it("refuses bounds that are the wrong way round", async () => {
    await expect(begin(game, 1, { low: 0.2, high: 0.1 })).rejects.toThrow("low: expected at most high")
  })
})
