import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Estimate, estimate, type Interval } from "../../../src/projections/comparison/interval/Interval.ts"
import { studentizedBootstrap } from "../../../src/projections/comparison/interval/StudentizedBootstrap.ts"
import { coverageOf, type Name } from "./Coverage.ts"

const alone = (differences: ReadonlyArray<number>) => differences.map((difference) => [difference])
const times = (count: number, value: number) => Array.from({ length: count }, () => value)

const shown = ({ interval, noInterval }: Estimate): Interval => {
  if (interval !== null) return interval
  throw new Error(`Expected an interval, found: ${noInterval?.explanation}`)
}

const excludes0 = ({ low, high }: Interval): boolean => low > 0 || high < 0

/** Student's sleep data: additional hours by the second drug less those by the first. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4]

describe("the interval of a mean difference", () => {
  it("is close to Student's where data are normal enough, and further from the mean on the side of an outlier", () => {
    // Student's interval of the sleep data: 0.70 to 2.46; its outlier, 4.6, is above the mean of 1.58.
    const { low, high, method } = shown(estimate(alone(SLEEP), { seed: 1 }))
    expect(method).toBe("studentized")
    expect(low).toBeGreaterThan(0.7)
    expect(low).toBeLessThan(1.1)
    expect(high).toBeGreaterThan(2.46)
    expect(high - 1.58).toBeGreaterThan(1.5 * (1.58 - low))
  })

  it("is the same for the same seed, and the opposite of that of the opposite differences", () => {
    const groups = alone(SLEEP)
    const there = shown(estimate(groups, { seed: 7 }))
    expect(shown(estimate(groups, { seed: 7 }))).toEqual(there)
    const back = shown(estimate(alone(SLEEP.map((difference) => -difference)), { seed: 7 }))
    expect(back.low).toBeCloseTo(-there.high, 8)
    expect(back.high).toBeCloseTo(-there.low, 8)
  })

  it("excludes 0 exactly where p is below 0.05, contains the mean, and is mirrored where A and B change places", () => {
    const values = fc.oneof(
      fc.constantFrom(-1, 0, 1),
      fc.constantFrom(-0.1, 0.9),
      fc.integer({ min: -30, max: 50 }).map((tenths) => tenths / 10),
      fc.double({ min: -5, max: 9, noNaN: true }),
    )
    const groups = fc.array(fc.array(values, { minLength: 1, maxLength: 3 }), { minLength: 0, maxLength: 25 })
    const small = fc.array(fc.tuple(fc.constantFrom(-1, 0, 0, 1)), { minLength: 8, maxLength: 25 })
    fc.assert(
      fc.property(fc.oneof(groups, small), fc.nat(9), (of, seed) => {
        const there = estimate(of, { seed, draws: 200 })
        const back = estimate(
          of.map((group) => group.map((value) => 0 - value)),
          { seed, draws: 200 },
        )
        if (there.interval === null) {
          expect(there.noInterval.explanation).not.toBe("")
          expect(back.noInterval).toEqual(there.noInterval)
          return
        }
        const { low, high } = there.interval
        const mean = of.flat().reduce((sum, value) => sum + value, 0) / of.flat().length
        expect(excludes0(there.interval)).toBe(there.p.value < 0.05)
        expect([low <= mean + 1e-9, mean - 1e-9 <= high]).toEqual([true, true])
        expect([back.interval?.low, back.interval?.high]).toEqual([0 - high, 0 - low])
        expect(back.p).toEqual(there.p)
      }),
      { numRuns: 200 },
    )
  })

  it("of two differences in ten, which go one way, includes 0, as p does", () => {
    const none = estimate(alone([1, 1, ...times(8, 0)]), { seed: 1 })
    expect(none).toMatchObject({ interval: null, noInterval: { reason: "alike" }, p: null })
    const four = estimate(alone([1, 1, 1, 1, ...times(6, 0)]), { seed: 1 })
    expect(four.interval?.low).toBeLessThanOrEqual(0)
    expect(four.p?.value).toBeGreaterThanOrEqual(0.05)
  })

  it("is wider where differences come in groups that agree", () => {
    const groups = [4, -1, 2, 0, 5, -2, 3, 1, 6, -3].map((value) => times(10, value))
    const width = ({ low, high }: Interval) => high - low
    const together = shown(estimate(groups, { seed: 1 }))
    expect(width(together)).toBeGreaterThan(2 * width(shown(estimate(alone(groups.flat()), { seed: 1 }))))
  })

  it("weighs groups by their number of pairs", () => {
    // The mean is that of all pairs: 2 · 40 of 60 pairs, and 0 of the others, with a little that varies.
    const groups = Array.from({ length: 20 }, (_, at) => (at < 10 ? times(4, 2 + at / 100) : times(2, at / 100)))
    const { low, high } = shown(estimate(groups, { seed: 1 }))
    const mean = groups.flat().reduce((sum, value) => sum + value, 0) / 60
    expect(low).toBeLessThan(mean)
    expect(high).toBeGreaterThan(mean)
    expect(low).toBeGreaterThan(0.8)
    expect(high).toBeLessThan(1.9)
  })
})

describe("no interval is given, and no p, and it is said why,", () => {
  it("of fewer than ten groups", () => {
    expect(estimate(alone(times(9, 1)), { seed: 1 })).toMatchObject({
      interval: null,
      p: null,
      noInterval: { reason: "few" },
    })
    expect(estimate([], { seed: 1 }).noInterval).toMatchObject({ reason: "few" })
  })

  it("where all differences are the same: then it is said of how many other tasks that is so", () => {
    const found = estimate(alone(times(22, -1.275)), { seed: 1 })
    // 0.05 ^ (1 / 22)
    expect(found).toMatchObject({
      p: null,
      noInterval: { reason: "equal", explanation: expect.stringContaining("at least 87.2 %") },
    })
  })

  it("where rounding alone tells them apart", () => {
    const rounded = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? -0.6375 : -0.637500001))
    expect(estimate(alone(rounded), { seed: 1 })).toMatchObject({ p: null, noInterval: { reason: "equal" } })
  })

  it("where nearly all are: then nobody knows how often others differ, and by how much", () => {
    const found = estimate(alone([...times(17, 0), -0.3, -1, 0.5]), { seed: 1 })
    expect(found).toMatchObject({
      p: null,
      noInterval: { reason: "alike", explanation: expect.stringContaining("Only 3 of 20") },
    })
    expect(estimate(alone([...times(19, -0.1), 0.9]), { seed: 1 })).toMatchObject({
      noInterval: { reason: "alike" },
    })
  })

  it("where it is unbounded: too many resamples have equal values only, or the values are too large to be squared", () => {
    expect(studentizedBootstrap(alone([...times(19, -0.1), 0.9]), { seed: 1 })).toBeNull()
    const large = alone(SLEEP.map((difference) => difference * 1e200))
    expect(estimate(large, { seed: 1 })).toMatchObject({ p: null, noInterval: { reason: "unstable" } })
    const unknown = alone([...SLEEP, Number.NaN])
    expect(estimate(unknown, { seed: 1 })).toMatchObject({ p: null, noInterval: { reason: "unstable" } })
  })
})

describe("over 300 comparisons (`npm run test:long`: 4,000)", () => {
  const COMPARISONS = 300

  it.each<readonly [Name, number]>([
    ["normal", 10],
    ["lognormal", 10],
    ["lognormal", 20],
    ["0.9 in one of ten, else −0.1", 60],
    ["1 and −1 in one of ten each, else 0", 20],
  ])("%s differences of %d pairs: intervals cover the mean", async (name, pairs) => {
    const { covered, wrong } = await coverageOf(name, pairs, COMPARISONS, 400)
    // Three standard errors from what is promised, 93 and 6 %: chance alone fails one in 740.
    expect(covered).toBeGreaterThanOrEqual(0.89)
    expect(wrong).toBeLessThanOrEqual(0.1)
  })

  it("none of normal or exponential differences is refused", async () => {
    for (const name of ["normal", "exponential"] as const) {
      expect((await coverageOf(name, 20, COMPARISONS, 200)).shown).toBe(1)
    }
  })
})
