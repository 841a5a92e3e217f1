import { describe, expect, it } from "vitest"
import cliffWalking from "../../packages/worlds/cliff-walking/world.ts"
import { played } from "./Episode.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"
import { optimum, tableOf } from "./Transitions.ts"

const game = played("cliff-walking", cliffWalking)

const places = Array.from({ length: 48 }, (_, at) => ({ row: Math.floor(at / 12), column: at % 12, falls: 0 }))

describe("cliff-walking", () => {
  followsGymnasium(game)
  keepsItsPromises(game, [{}, { is_slippery: true }])
  hasNoAction(game, [-1, 4, 0.5, "up", null, [0]])

  it("costs 13 at best", async () => {
    expect(optimum(await tableOf(game, 4, places), 50)[36]).toBe(-13)
  })
})
