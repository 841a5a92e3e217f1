import { describe, expect, it } from "vitest"
import { clopperPearson } from "../../../src/projections/comparison/interval/ClopperPearson.ts"
import { type Interval, intervalOf, type Refusal } from "../../../src/projections/comparison/interval/Interval.ts"
import { studentizedBootstrap } from "../../../src/projections/comparison/interval/StudentizedBootstrap.ts"
import { coverageOf, type Name } from "./Coverage.ts"

const alone = (differences: ReadonlyArray<number>) => differences.map((difference) => [difference])
const times = (count: number, value: number) => Array.from({ length: count }, () => value)

const shown = (of: Interval | Refusal): Interval => {
  if ("method" in of) return of
  throw new Error(`Expected an interval, found: ${of.explanation}`)
}

/** Student's sleep data: additional hours by the second drug less those by the first. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4]

describe("the interval of a mean difference", () => {
  it("is close to Student's where data are normal enough, and further from the mean on the side of an outlier", () => {
    // Student's interval of the sleep data: 0.70 to 2.46; its outlier, 4.6, is above the mean of 1.58.
    const { low, high, method } = shown(intervalOf(alone(SLEEP), { seed: 1 }))
    expect(method).toBe("studentized")
    expect(low).toBeGreaterThan(0.7)
    expect(low).toBeLessThan(1.1)
    expect(high).toBeGreaterThan(2.46)
    expect(high - 1.58).toBeGreaterThan(1.5 * (1.58 - low))
  })

  it("is the same for the same seed, and the opposite of that of the opposite differences", () => {
    const groups = alone(SLEEP)
    const there = shown(intervalOf(groups, { seed: 7 }))
    expect(intervalOf(groups, { seed: 7 })).toEqual(there)
    const back = shown(intervalOf(alone(SLEEP.map((difference) => -difference)), { seed: 7 }))
    expect(back.low).toBeCloseTo(-there.high, 8)
    expect(back.high).toBeCloseTo(-there.low, 8)
  })

  it("is exact where two values were seen: 3 of 20 is Clopper and Pearson's 3.2 to 37.9 %", () => {
    const found = shown(intervalOf(alone([...times(3, 0.9), ...times(17, -0.1)]), { seed: 1 }))
    expect(found).toEqual({ low: -0.067929063, high: 0.278926827, method: "exact" })
  })

  it("is wider where differences come in groups that agree", () => {
    const groups = [4, -1, 2, 0, 5, -2, 3, 1, 6, -3].map((value) => times(10, value))
    const width = ({ low, high }: Interval) => high - low
    const together = shown(intervalOf(groups, { seed: 1 }))
    expect(width(together)).toBeGreaterThan(2 * width(shown(intervalOf(alone(groups.flat()), { seed: 1 }))))
  })

  it("weighs groups by their number of pairs", () => {
    // The mean is that of all pairs: 2 · 40 of 60 pairs, and 0 of the others, with a little that varies.
    const groups = Array.from({ length: 20 }, (_, at) => (at < 10 ? times(4, 2 + at / 100) : times(2, at / 100)))
    const { low, high } = shown(intervalOf(groups, { seed: 1 }))
    const mean = groups.flat().reduce((sum, value) => sum + value, 0) / 60
    expect(low).toBeLessThan(mean)
    expect(high).toBeGreaterThan(mean)
    expect(low).toBeGreaterThan(0.8)
    expect(high).toBeLessThan(1.8)
  })
})

describe("no interval is given, and it is said why,", () => {
  it("of fewer than ten groups", () => {
    expect(intervalOf(alone(times(9, 1)), { seed: 1 })).toMatchObject({ reason: "few" })
  })

  it("where all differences are the same: then it is said of how many other tasks that is so", () => {
    const found = intervalOf(alone(times(22, -1.275)), { seed: 1 })
    // 0.05 ^ (1 / 22)
    expect(found).toMatchObject({ reason: "equal", explanation: expect.stringContaining("at least 87.2 %") })
  })

  it("where nearly all are: then nobody knows how often others differ, and by how much", () => {
    const found = intervalOf(alone([...times(17, 0), -0.3, -1, 0.5]), { seed: 1 })
    expect(found).toMatchObject({ reason: "alike", explanation: expect.stringContaining("Only 3 of 20") })
    expect(intervalOf(alone([...times(19, -0.1), 0.9]), { seed: 1 })).toMatchObject({ reason: "alike" })
  })

  it("where it is unbounded: too many resamples have equal values only, or the values are too large to be squared", () => {
    expect(studentizedBootstrap(alone([...times(19, -0.1), 0.9]), { seed: 1 })).toBeNull()
    const large = alone(SLEEP.map((difference) => difference * 1e200))
    expect(intervalOf(large, { seed: 1 })).toMatchObject({ reason: "unstable" })
  })
})

describe("Clopper and Pearson's interval", () => {
  it.each([
    // R: binom.test(k, n)$conf.int
    [0, 20, 0, 0.1684335],
    [2, 20, 0.0123485, 0.316983],
    [10, 20, 0.271957, 0.728043],
    [20, 20, 0.8315665, 1],
    [430, 1000, 0.39906, 0.461353],
  ])("of %d in %d is %d to %d", (successes, trials, low, high) => {
    const found = clopperPearson(successes, trials)
    expect(found.low).toBeCloseTo(low, 5)
    expect(found.high).toBeCloseTo(high, 5)
  })
})

describe("over 300 comparisons (`npm run test:long`: 2,000)", () => {
  const COMPARISONS = 300
  /** Three standard errors below and above what is expected: chance alone fails one in 370. */
  it.each<readonly [Name, number, number, number]>([
    ["normal", 20, 0.91, 0.99],
    ["exponential", 20, 0.91, 0.99],
    ["lognormal", 20, 0.87, 0.98],
    ["0.9 in one of ten, else −0.1", 20, 0.95, 1],
    ["0.9 in one of ten, else −0.1", 60, 0.93, 1],
  ])("%s differences of %d pairs are covered in %d to %d", (name, pairs, least, most) => {
    const { covered, shown } = coverageOf(name, pairs, COMPARISONS, 500)
    expect(covered / shown).toBeGreaterThanOrEqual(least)
    expect(covered / shown).toBeLessThanOrEqual(most)
  })

  it("none of normal or exponential differences is refused", () => {
    for (const name of ["normal", "exponential"] as const) {
      expect(coverageOf(name, 20, COMPARISONS, 200).refused).toBe(0)
    }
  })
})
