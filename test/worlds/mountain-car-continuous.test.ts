import { describe, expect, it } from "vitest"
import mountainCar from "../../packages/worlds/mountain-car-continuous/world.ts"
import { begin, meanReturn, numbersOf, type Policy, played } from "./Episode.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"

const game = played("mountain-car-continuous", mountainCar)

/** Pushes as the car rolls, and to the right from a standstill. */
const pushing = (): Policy => (observation) => [(numbersOf(observation)[1] ?? 0) >= 0 ? 1 : -1]

describe("mountain-car-continuous", () => {
  followsGymnasium(game)
  keepsItsPromises(game, [{}, { goal_velocity: 0.03 }])
  hasNoAction(game, [0, [1.5], [-1.01], [], [0, 0], "left", null])

  it("earns about 89.9 by pushing as the car rolls", async () => {
    expect(Math.abs((await meanReturn(game, 50, pushing)) - 89.9)).toBeLessThan(1)
  })

  it("costs nothing to stand still, and earns nothing", async () => {
    expect(await meanReturn(game, 2, () => () => [0])).toBe(0)
  })

  it("refuses bounds that are the wrong way round", async () => {
    await expect(begin(game, 1, { low: 0, high: -0.1 })).rejects.toThrow("low: expected at most high")
  })
})
