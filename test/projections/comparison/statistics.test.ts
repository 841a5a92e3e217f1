import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { describe, expect, it } from "vitest"
import * as Statistics from "../../../src/projections/comparison/Statistics.ts"

const alone = (differences: ReadonlyArray<number>) => differences.map((difference) => [difference])

/** Darwin's maize: heights of cross-fertilised plants less those of self-fertilised ones, in eighths of an inch. */
const DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

/** Student's sleep data: additional hours by the second drug less those by the first. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4]

describe("flipping signs", () => {
  it("gives what Fisher found for Darwin's maize: 1,726 of 32,768 patterns, two-sided", () => {
    expect(Statistics.signFlip(alone(DARWIN), { seed: 1 })).toEqual({ value: 1726 / 32768, method: "exact" })
  })

  it("is exact for decimals whose sums are the same on paper", () => {
    // 0.1 + 0.2 and 0.3: of the eight patterns, sums of 0.6 and 0.6, and of 0 four.
    expect(Statistics.signFlip(alone([0.1, 0.2, 0.3]), { seed: 1 }).value).toBe(2 / 8)
    expect(Statistics.signFlip(alone([0.1, 0.2, -0.3]), { seed: 1 }).value).toBe(1)
  })

  it("does not depend on differences of nothing", () => {
    expect(Statistics.signFlip(alone([...DARWIN, 0, 0, 0, 0, 0, 0]), { seed: 1 }).value).toBe(1726 / 32768)
    expect(Statistics.signFlip(alone([0, 0]), { seed: 1 })).toEqual({ value: 1, method: "exact" })
  })

  it("flips a group as a whole", () => {
    expect(Statistics.signFlip([[1, 1, 1, 1, 1, 1]], { seed: 1 }).value).toBe(1)
    expect(Statistics.signFlip(alone([1, 1, 1, 1, 1, 1]), { seed: 1 }).value).toBe(2 / 64)
  })

  it("drawn at random is close to what it is drawn for, and never zero", () => {
    const twice = [...DARWIN, ...DARWIN.map((difference) => -difference / 2)]
    const sampled = Statistics.signFlip(alone(twice), { seed: 3 })
    expect(sampled.method).toBe("sampled")
    expect(sampled).toEqual(Statistics.signFlip(alone(twice), { seed: 3 }))
    expect(Statistics.signFlip(alone(Array.from({ length: 40 }, () => 1)), { seed: 3 }).value).toBe(1 / 10_001)
  })
})

describe("McNemar's exact test", () => {
  it.each([
    // R: binom.test(c(2, 10))$p.value, mcnemar exact of exact2x2; and the smallest cases by hand.
    [10, 2, 0.03857421875],
    [2, 10, 0.03857421875],
    [0, 5, 0.0625],
    [1, 0, 1],
    [3, 3, 1],
    [0, 0, 1],
  ])("McNemar's exact test of %d gained and %d lost is %d", (gained, lost, expected) => {
    expect(Statistics.mcnemar(gained, lost)).toBeCloseTo(expected, 12)
  })

  it("McNemar's exact test of thousands of flips neither overflows nor vanishes", () => {
    // Normal approximation with continuity correction: z = (|5100 − 4900| − 1) / √10000 = 1.99, p = 0.0466.
    expect(Statistics.mcnemar(5100, 4900)).toBeCloseTo(0.0466, 3)
  })
})

describe("the effect size", () => {
  it("is the mean in standard deviations: for the sleep data Student's t of 4.0621 over the root of 10", () => {
    expect(Statistics.effectSize(SLEEP)).toBeCloseTo(4.0621 / Math.sqrt(10), 4)
  })

  it("is unknown where nothing varies", () => {
    expect(Statistics.effectSize([1, 1, 1])).toBeNull()
    expect(Statistics.effectSize([1])).toBeNull()
    expect(Statistics.effectSize(Array.from({ length: 22 }, () => -1.275))).toBeNull()
    expect(Statistics.effectSize(Array.from({ length: 7 }, (_, at) => 0.1 + at * 1e-16))).toBeNull()
  })
})

describe("where nothing differs but by chance, over 2,000 comparisons", () => {
  const random = xoroshiro128plus(20_261_121)
  const draw = () => uniformFloat64(random)
  /** Scores as they come: mostly equal, in steps of a tenth, and skewed on both sides alike. */
  const score = () => (draw() < 0.3 ? 0 : Math.round(draw() * draw() * 20) / 10)
  const sample = (pairs: number) => alone(Array.from({ length: pairs }, () => score() - score()))
  const COMPARISONS = 2_000
  const drawing = (seed: number) => ({ seed, draws: 1_000 })

  it.each([12, 30])("of %d pairs, p falls below 5 %% in 3 to 7 %% of them", (pairs) => {
    let significant = 0
    for (let comparison = 0; comparison < COMPARISONS; comparison++) {
      if (Statistics.signFlip(sample(pairs), drawing(comparison)).value < 0.05) significant += 1
    }
    expect(significant / COMPARISONS).toBeGreaterThan(0.03)
    expect(significant / COMPARISONS).toBeLessThan(0.07)
  })
})
