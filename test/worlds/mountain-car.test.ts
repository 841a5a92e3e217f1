import { describe, expect, it } from "vitest"
import mountainCar from "../../packages/worlds/mountain-car/world.ts"
import { anyOf, begin, meanReturn, played } from "./Episode.ts"
import { withVelocity } from "./policies.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"

const game = played("mountain-car", mountainCar)

describe("mountain-car", () => {
  followsGymnasium(game)
  keepsItsPromises(game)
  hasNoAction(game, [-1, 3, 1.5, "left", null, [1]])

  it("never reaches the flag at random", async () => {
    expect(await meanReturn(game, 20, anyOf(3))).toBe(-200)
  })

  it("reaches it in 119.5 steps on average by accelerating as it rolls", async () => {
    expect(Math.abs((await meanReturn(game, 100, withVelocity)) + 119.5)).toBeLessThan(3)
  })

  it("refuses bounds that are the wrong way round", async () => {
    await expect(begin(game, 1, { low: 0, high: -0.1 })).rejects.toThrow("low: expected at most high")
  })
})
