import { describe, expect, it } from "vitest"
import acrobot from "../../packages/worlds/acrobot/world.ts"
import { begin, meanReturn, played } from "./Episode.ts"
import { swing } from "./policies.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"

const game = played("acrobot", acrobot)

describe("acrobot", () => {
  followsGymnasium(game)
  keepsItsPromises(game)
  hasNoAction(game, [-1, 3, 0.5, "0", null, [0]])

  it("comes above the line in fewer than 100 steps by torques against the upper link", async () => {
    expect(await meanReturn(game, 30, swing)).toBeGreaterThan(-100)
  })

  it("refuses bounds that are the wrong way round", async () => {
    await expect(begin(game, 1, { low: 0.2, high: 0.1 })).rejects.toThrow("low: expected at most high")
  })
})
