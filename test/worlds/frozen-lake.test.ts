import { describe, expect, it } from "vitest"
import frozenLake from "../../packages/worlds/frozen-lake/world.ts"
import { anyOf, begin, meanReturn, played } from "./Episode.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"
import { optimum, tableOf } from "./Transitions.ts"

const game = played("frozen-lake", frozenLake)

const tableOfLake = (size: number) =>
  tableOf(
    game,
    4,
    Array.from({ length: size * size }, (_, at) => ({ row: Math.floor(at / size), column: at % size, steps: 0 })),
    { map_name: `${size}x${size}` },
  )

describe("frozen-lake", () => {
  followsGymnasium(game)
  keepsItsPromises(game, [{}, { map_name: "8x8" }, { is_slippery: false }, { desc: ["FSF", "SFH", "FFG"] }])
  hasNoAction(game, [-1, 4, 0.5, "left", null, [0]])

  it("is crossed at random about once in 72 times", async () => {
    expect(Math.abs((await meanReturn(game, 3000, anyOf(4))) - 0.0139)).toBeLessThan(0.006)
  })

  it.each([
    [4, 100, 0.744],
    [8, 200, 0.913],
  ])("is crossed at best as often as the field says: %i × %i", async (size, steps, expected) => {
    expect(optimum(await tableOfLake(size), steps)[0]).toBeCloseTo(expected, 3)
  })

  it("has the observations of the lake that was chosen", async () => {
    expect((await begin(game, 1, { map_name: "8x8" })).spaces.observation).toEqual({ type: "Discrete", n: 64 })
  })

  it.each([
    [{ map_name: "5x5" }, 'map_name: expected "4x4" or "8x8", found "5x5"'],
    [{ desc: ["SF", "F"] }, "desc: expected rows of the same length"],
    [{ desc: ["FF", "FG"] }, 'desc: expected an "S", where it begins'],
  ])("refuses %j", async (options, message) => {
    await expect(begin(game, 1, options)).rejects.toMatchObject({ code: "invalid-options", message })
  })
})
