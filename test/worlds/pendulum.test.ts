import { describe, expect, it } from "vitest"
import pendulum from "../../packages/worlds/pendulum/world.ts"
import { meanReturn, played } from "./Episode.ts"
import { anyTorque } from "./policies.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"

const game = played("pendulum", pendulum)

describe("pendulum", () => {
  followsGymnasium(game)
  keepsItsPromises(game, [{}, { x_init: 0, y_init: 8, g: 1.62 }])
  hasNoAction(game, [[3], [-2.1], [], [0, 0], 1, "1", null])

  it("loses 1226 on average with any torque", async () => {
    expect(Math.abs((await meanReturn(game, 150, anyTorque)) + 1226)).toBeLessThan(60)
  })
})
