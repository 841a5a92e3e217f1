import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Quantiles } from "../../../src/projections/report/Quantiles.ts"
import { MAX_BINS, Series, trend } from "../../../src/projections/report/Series.ts"

const of = (values: Iterable<number>) => {
  const quantiles = new Quantiles()
  for (const value of values) quantiles.add(value)
  return quantiles
}

describe("quantiles", () => {
  it("quantiles of up to 256 values are exact, as R and NumPy give them (type 7)", () => {
    expect(of([4, 1, 3, 2]).spread()).toEqual({
      count: 4,
      mean: 2.5,
      min: 1,
      max: 4,
      median: 2.5,
      p10: expect.closeTo(1.3),
      p25: 1.75,
      p75: 3.25,
      p90: expect.closeTo(3.7),
    })
    expect(of([]).spread()).toBe(null)
  })

  it("quantiles of many values are within a rank of one in a hundred, in any order; count, sum and ends are exact", () => {
    const integers = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 2_000, maxLength: 20_000 })
    fc.assert(
      fc.property(integers, (values) => {
        const spread = of(values).spread()
        const sorted = values.toSorted((a, b) => a - b)
        expect([spread?.count, spread?.min, spread?.max]).toEqual([values.length, sorted[0], sorted.at(-1)])
        const rankOf = (value: number | undefined) => sorted.findIndex((of) => of >= (value ?? 0)) / sorted.length
        const last = (value: number | undefined) => sorted.findLastIndex((of) => of <= (value ?? 0)) / sorted.length
        for (const [share, value] of [
          [0.1, spread?.p10] as const,
          [0.5, spread?.median] as const,
          [0.9, spread?.p90] as const,
        ]) {
          expect(rankOf(value)).toBeLessThanOrEqual(share + 0.01)
          expect(last(value)).toBeGreaterThanOrEqual(share - 0.01)
        }
      }),
      { numRuns: 20 },
    )
  })

  it("quantiles of a million values stay small and near", () => {
    const quantiles = of(
      (function* () {
        for (let value = 0; value < 1_000_000; value++) yield (value * 7_919) % 1_000_000
      })(),
    )
    const spread = quantiles.spread()
    expect(spread?.mean).toBe(499_999.5)
    expect(Math.abs((spread?.median ?? 0) - 500_000)).toBeLessThan(10_000)
    expect(Math.abs((spread?.p90 ?? 0) - 900_000)).toBeLessThan(10_000)
  })
})

describe("a series", () => {
  it("gives every value by itself up to 512 tasks, and bins beyond, that hold all values", () => {
    const series = new Series()
    for (let task = 0; task < MAX_BINS; task++) series.add(task, task)
    expect(series.points()).toHaveLength(MAX_BINS)
    series.add(MAX_BINS, 1)
    expect(series.points()).toBe(null)
    const bins = series.bins(48)
    expect(bins.length).toBeLessThanOrEqual(48)
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(MAX_BINS + 1)
    expect(bins[0]).toMatchObject({ from: 0, min: 0 })
  })

  it("has a trend that is the line where the values lie on one, and keeps a level", () => {
    const rising = new Series()
    for (let task = 0; task < 5_000; task++) rising.add(task, 2 + task / 1_000)
    for (const { task, value } of trend(rising.bins(48))) expect(value).toBeCloseTo(2 + task / 1_000, 6)
    const one = new Series()
    one.add(3, 5)
    expect(trend(one.bins())).toEqual([{ task: 3, value: 5 }])
  })
})
