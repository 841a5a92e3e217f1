import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { restored, type StatefulGenerator, seeded } from "../../../src/plugins/numpy/Generator.ts"
import golden from "./golden.json" with { type: "json" }

type Call = readonly [string, ...ReadonlyArray<unknown>]

/** The call as in golden.py, its result as a flat list. */
const called = (rng: StatefulGenerator, [name, ...args]: Call): ReadonlyArray<number> => {
  if (name === "shuffle") {
    const list = Array.from({ length: Number(args[0]) }, (_, index) => index)
    rng.shuffle(list)
    return list
  }
  const result: unknown = Reflect.apply(Reflect.get(rng, name), rng, args)
  return [result].flat().map(Number)
}

describe("the generator of numpy", () => {
  it.each(golden)("draws what numpy draws from seed $seed", ({ seed, start, steps, end }) => {
    const rng = seeded(seed)
    expect(rng.state()).toEqual(start)
    for (const { call, result } of steps) {
      const [name = "", ...args] = call.map((part) => part)
      expect([call, called(rng, [String(name), ...args])]).toEqual([call, result])
    }
    expect(rng.state()).toEqual(end)
  })

  it("draws CartPole's first states, as Gymnasium rounds them", () => {
    const first = (seed: number) =>
      seeded(seed)
        .uniform(-0.05, 0.05, 4)
        .map((number) => Number(Math.fround(number).toPrecision(7)))
    expect(first(42)).toEqual([0.0273956, -0.006112156, 0.03585979, 0.0197368])
    expect(first(123)).toEqual([0.01823519, -0.0446179, -0.02796401, -0.03156282])
  })

  it("goes on from its state with the same numbers, also in the midst of 64 bits", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(9), (seed, before) => {
        const rng = seeded(seed)
        rng.integers(0, 7, before)
        const again = restored(JSON.parse(JSON.stringify(rng.state())))
        expect([again.integers(0, 100, 5), again.random(2)]).toEqual([rng.integers(0, 100, 5), rng.random(2)])
        expect(again.state()).toEqual(rng.state())
      }),
    )
  })

  it("keeps whole numbers and permutations within what was asked for", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer(), fc.integer({ min: 1 }), (seed, low, size) => {
        const rng = seeded(seed)
        for (const number of rng.integers(low, low + size, 20)) {
          expect(number).toBeGreaterThanOrEqual(low)
          expect(number).toBeLessThan(low + size)
        }
        const order = rng.permutation(20)
        expect(order.toSorted((a, b) => a - b)).toEqual(
          seeded(0)
            .permutation(20)
            .toSorted((a, b) => a - b),
        )
      }),
    )
  })

  it("takes the first index where probabilities sum up to less than the drawn number, as argmax does", () => {
    expect(seeded(1).categorical([0, 0])).toBe(0)
  })

  it.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53, [], [1, -1]])("refuses the seed %s", (seed) => {
    expect(() => seeded(seed)).toThrow("expected a whole number from 0 to 2^53 - 1")
  })

  it("refuses what numpy refuses", () => {
    const rng = seeded(0)
    const before = rng.state()
    for (const wrong of [
      () => rng.integers(0),
      () => rng.integers(3, 3),
      () => rng.integers(0.5, 2),
      () => rng.integers(0, 2 ** 53),
      () => rng.uniform(1, 0),
      () => rng.uniform(0, Infinity),
      () => rng.choice([]),
      () => rng.choice(2, [0.5, 0.4]),
      () => rng.choice(2, [1]),
      () => rng.choice(2, [1.5, -0.5]),
    ])
      expect(wrong).toThrow(RangeError)
    expect(rng.state()).toEqual(before)
  })

  it.each([
    null,
    {},
    { state: "0", inc: "1", uint32: null },
    { ...seeded(1).state(), uint32: -1 },
    { ...seeded(1).state(), uint32: 0.5 },
  ])("refuses the state %j", (state) => {
    expect(() => restored(state)).toThrow("as state() returns")
  })
})
