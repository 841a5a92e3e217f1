import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { describe, expect, it } from "vitest"
import { signFlips } from "../../../src/projections/comparison/interval/SignFlips.ts"
import * as Statistics from "../../../src/projections/comparison/Statistics.ts"

const alone = (differences: ReadonlyArray<number>) => differences.map((difference) => [difference])

/** Darwin's maize: heights of cross-fertilised plants less those of self-fertilised ones, in eighths of an inch. */
const DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

/** Student's sleep data: additional hours by the second drug less those by the first. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4]

describe("flipping signs", () => {
  it("gives what Fisher found for Darwin's maize: 1,726 of 32,768 patterns, two-sided", () => {
    expect(signFlips(alone(DARWIN), { seed: 1 })).toMatchObject({ p: 1726 / 32768, method: "exact" })
  })

  it("has the interval that Fisher's argument gives for them: from -0.2 to 41.2, in eighths of an inch", () => {
    const { low, high } = signFlips(alone(DARWIN), { seed: 1 })
    // Each end is a mean of a subset, and moving all differences by it takes p to 5 %.
    for (const [end, beyond] of [
      [low, -0.01],
      [high, 0.01],
    ] as const) {
      const moved = (by: number) => signFlips(alone(DARWIN.map((of) => of - by)), { seed: 1 }).p
      expect(moved(end)).toBeGreaterThanOrEqual(0.05)
      expect(moved(end + beyond)).toBeLessThan(0.05)
    }
  })

  it("is exact for decimals whose sums are the same on paper", () => {
    // 0.1 + 0.2 and 0.3: of the eight patterns, sums of 0.6 and 0.6, and of 0 four.
    expect(signFlips(alone([0.1, 0.2, 0.3]), { seed: 1 }).p).toBe(2 / 8)
    expect(signFlips(alone([0.1, 0.2, -0.3]), { seed: 1 }).p).toBe(1)
  })

  it("does not depend on differences of nothing", () => {
    expect(signFlips(alone([...DARWIN, 0, 0, 0]), { seed: 1 }).p).toBe(1726 / 32768)
    expect(signFlips(alone([0, 0]), { seed: 1 })).toEqual({ low: 0, high: 0, p: 1, method: "exact" })
  })

  it("flips a group as a whole", () => {
    expect(signFlips([[1, 1, 1, 1, 1, 1]], { seed: 1 }).p).toBe(1)
    expect(signFlips(alone([1, 1, 1, 1, 1, 1]), { seed: 1 }).p).toBe(2 / 64)
  })

  it("drawn at random is close to what it is drawn for, and never zero", () => {
    const twice = [...DARWIN, ...DARWIN.map((difference) => -difference / 2)]
    const sampled = signFlips(alone(twice), { seed: 3 })
    expect(sampled.method).toBe("sampled")
    expect(sampled).toEqual(signFlips(alone(twice), { seed: 3 }))
    expect(signFlips(alone(Array.from({ length: 40 }, () => 1)), { seed: 3 }).p).toBe(1 / 10_001)
  })

  it("draws fewer patterns of many groups, and 1,000 at least: more groups take little more work", () => {
    const ofOnes = (groups: number) => signFlips(alone(Array.from({ length: groups }, () => 1)), { seed: 3 }).p
    expect([2_000, 4_000, 40_000].map(ofOnes)).toEqual([1 / 10_001, 1 / 5_001, 1 / 1_001])
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

describe("where nothing differs but by chance, over 1,000 comparisons", () => {
  const random = xoroshiro128plus(20_261_121)
  const draw = () => uniformFloat64(random)
  /** Scores as they come: mostly equal, in steps of a tenth, and skewed on both sides alike. */
  const score = () => (draw() < 0.3 ? 0 : Math.round(draw() * draw() * 20) / 10)
  const sample = (pairs: number) => alone(Array.from({ length: pairs }, () => score() - score()))
  const COMPARISONS = 1_000
  const drawing = (seed: number) => ({ seed, draws: 600 })

  it.each([12, 30])("of %d pairs, p falls below 5 %% in 3 to 7 %% of them", (pairs) => {
    let significant = 0
    for (let comparison = 0; comparison < COMPARISONS; comparison++) {
      if (signFlips(sample(pairs), drawing(comparison)).p < 0.05) significant += 1
    }
    expect(significant / COMPARISONS).toBeGreaterThan(0.03)
    expect(significant / COMPARISONS).toBeLessThan(0.07)
  })
})
