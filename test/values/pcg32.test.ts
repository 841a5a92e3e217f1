import { PCGRandom } from "effect/Utils"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Pcg32 from "../../src/values/random/Pcg32.ts"

const seeds = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.maxSafeInteger())

describe("seeded random numbers", () => {
  it("are those of Effect 3, whatever the seed and the draws, so that seeds in logs keep their meaning", () => {
    fc.assert(
      fc.property(seeds, fc.array(fc.option(fc.integer({ min: 1, max: 2 ** 31 }))), (seed, draws) => {
        const [own, effects] = [Pcg32.make(seed), new PCGRandom(seed)]
        for (const max of draws) {
          if (max === null) expect(own.number()).toBe(effects.number())
          else expect(own.integer(max)).toBe(effects.integer(max))
        }
      }),
    )
  })

  it("are these, for good", () => {
    const { number, integer } = Pcg32.make(42)
    expect([number(), number(), integer(1000), integer(6)]).toEqual([0.7397302147566239, 0.679392270986327, 666, 2])
  })
})
