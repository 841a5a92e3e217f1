import * as fc from "fast-check"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { describe, expect, it } from "vitest"
import { holm } from "../../src/projections/comparison/trend/Holm.ts"
import { MAX_EXACT, mannKendall, varianceOf } from "../../src/projections/comparison/trend/MannKendall.ts"
import { descents } from "../../src/projections/comparison/trend/Pairs.ts"
import { theilSen } from "../../src/projections/comparison/trend/TheilSen.ts"

/** Series as scores are: most of them of few different values. */
const series = (maxLength: number, values = fc.integer({ min: 0, max: 4 })) =>
  fc.array(values, { minLength: 2, maxLength })

const ascending = (length: number) => Array.from({ length }, (_, index) => index)

/** S by its definition. */
const sOf = (values: ReadonlyArray<number>): number =>
  values.flatMap((a, at) => values.slice(at + 1).map((b) => Math.sign(b - a))).reduce((sum, sign) => sum + sign, 0)

const ordersOf = (values: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  values.length < 2
    ? [values]
    : values.flatMap((value, at) => ordersOf(values.toSpliced(at, 1)).map((rest) => [value, ...rest]))

/** A series of so many values that has this S: descents are put in one by one from the end. */
const withS = (length: number, s: number): ReadonlyArray<number> => {
  let left = ((length * (length - 1)) / 2 - s) / 2
  return ascending(length).reduceRight<ReadonlyArray<number>>((rest, value) => {
    const at = Math.min(left, rest.length)
    left -= at
    return rest.toSpliced(at, 0, value)
  }, [])
}

describe("the Mann–Kendall test", () => {
  // Upper tails P(S ≥ s), Gilbert, Statistical Methods for Environmental Pollution Monitoring, 1987, table A18 (from Kendall 1975).
  const TABLE: ReadonlyArray<readonly [n: number, ReadonlyArray<readonly [s: number, tail: string]>]> = [
    [
      4,
      [
        [2, "0.375"],
        [4, "0.167"],
        [6, "0.042"],
      ],
    ],
    [
      5,
      [
        [2, "0.408"],
        [4, "0.242"],
        [6, "0.117"],
        [8, "0.042"],
        [10, "0.0083"],
      ],
    ],
    [
      8,
      [
        [2, "0.452"],
        [8, "0.199"],
        [12, "0.089"],
        [16, "0.031"],
        [18, "0.016"],
        [20, "0.0071"],
        [22, "0.0028"],
      ],
    ],
    [
      10,
      [
        [3, "0.431"],
        [9, "0.242"],
        [15, "0.108"],
        [19, "0.054"],
        [21, "0.036"],
        [25, "0.014"],
        [27, "0.0083"],
      ],
    ],
  ]

  it("has the tails of Kendall's table", () => {
    for (const [n, tails] of TABLE) {
      for (const [s, tail] of tails) {
        const tested = mannKendall(withS(n, s))
        const digits = tail.length - 2
        expect([n, tested.s, (tested.p.value / 2).toFixed(digits)]).toEqual([n, s, tail])
      }
    }
  })

  it("is Kendall's exact test against time: what R's cor.test and SciPy's kendalltau give", () => {
    // Cross-checked with R in SciPy's own tests (scipy/stats/tests/test_stats.py, test_kendalltau).
    const cases: ReadonlyArray<readonly [ReadonlyArray<number>, tau: number, p: number]> = [
      [ascending(10), 1, 5.511463844797e-7],
      [[0, 2, 1, 3, 4, 5, 6, 7, 8, 9], 0.9555555555555556, 5.511463844797e-6],
      [[0, 2, 1, 3, 4, 6, 5, 7, 8, 9], 0.9111111111111111, 2.97619047619e-5],
      [[9, 7, 8, 6, 5, 3, 4, 2, 1, 0], -0.9111111111111111, 2.97619047619e-5],
      // Hollander & Wolfe 1973, p. 187: quality of tuna in order of its lightness; in R's help of cor.test, T = 26, p = 0.1194.
      [[2.5, 4.0, 2.6, 3.6, 2.8, 3.1, 5.2, 5.0, 3.8], 16 / 36, 0.1194],
    ]
    for (const [values, tau, p] of cases) {
      const tested = mannKendall(values)
      expect(tested.p.method).toBe("exact")
      expect(tested.tau).toBeCloseTo(tau, 10)
      expect(tested.p.value / p).toBeCloseTo(1, 3)
    }
  })

  it("is exact with ties: the share of all orders of the values", () => {
    fc.assert(
      fc.property(series(7), (values) => {
        const orders = ordersOf(values).map(sOf)
        const s = sOf(values)
        const share = orders.filter((other) => Math.abs(other) >= Math.abs(s)).length / orders.length
        const tested = mannKendall(values)
        expect(tested.s).toBe(s)
        expect(tested.p.value).toBeCloseTo(share, 10)
      }),
      { numRuns: 60 },
    )
  })

  it("has the variance and the p-value of the normal distribution for long series", () => {
    // MannKendall.jl, test/runtests.jl: 1:100 has S 4950 and variance 112750 (z = 14.73869998208331).
    expect(
      varianceOf(
        100,
        ascending(100).map(() => 1),
      ),
    ).toBe(112_750)
    const tested = mannKendall(ascending(100))
    expect(tested).toMatchObject({ s: 4950, tau: 1, p: { method: "normal" } })
    expect(tested.p.value).toBeLessThan(1e-40)
    const halfWay = mannKendall([...ascending(70), ...ascending(70)])
    const z =
      (halfWay.s - 1) /
      Math.sqrt(
        varianceOf(
          140,
          Array.from({ length: 70 }, () => 2),
        ),
      )
    expect(halfWay.p.value).toBeCloseTo(twoSided(z), 5)
  })

  it("says nearly the same by counting orders and by the normal distribution where one ends and the other begins", () => {
    for (const slope of [0, 0.01, 0.02, 0.03]) {
      const values = ascending(MAX_EXACT).map((index) => Math.round(index * slope + 2 * Math.sin(index * 7)))
      const { s, p } = mannKendall(values)
      const ties = [...new Set(values)].map((value) => values.filter((other) => other === value).length)
      const z = (Math.abs(s) - 1) / Math.sqrt(varianceOf(MAX_EXACT, ties))
      expect(p.method).toBe("exact")
      expect(Math.abs(p.value - twoSided(z))).toBeLessThan(0.005)
    }
  })

  it("finds nothing where all values are the same, and in fewer than two", () => {
    for (const values of [[], [1], [3, 3, 3], Array.from({ length: 100 }, () => 0.5)]) {
      expect(mannKendall(values)).toMatchObject({ s: 0, tau: 0, p: { value: 1 } })
    }
  })

  it("turns its sign, and nothing else, where a series is turned round", () => {
    fc.assert(
      fc.property(series(90, fc.double({ min: -1, max: 1, noNaN: true })), (values) => {
        const [there, back] = [mannKendall(values), mannKendall([...values].reverse())]
        expect(back.s).toBe(0 - there.s)
        expect(back.p.value).toBeCloseTo(there.p.value, 12)
      }),
    )
  })

  it("finds a trend in 3 to 7 of 100 series that have none, at a nominal 5 %, short and long, with ties and without", () => {
    const random = xoroshiro128plus(2026)
    const simulated = (length: number, values: number) => {
      const drawn = () => Array.from({ length }, () => uniformInt(random, 0, values - 1))
      const found = Array.from({ length: 2_000 }, () => mannKendall(drawn()).p.value <= 0.05)
      return found.filter(Boolean).length / found.length
    }
    for (const [length, values] of [
      [25, 1_000_000],
      [30, 5],
      [120, 5],
      [120, 2],
    ] as const) {
      const share = simulated(length, values)
      expect([length, values, share >= 0.03 && share <= 0.07, share]).toEqual([length, values, true, share])
    }
  })
})

describe("the slope by Theil and Sen", () => {
  it("has an interval that excludes 0 only where Mann and Kendall's p is below 0.05, and ends at 0 where ties alone reach it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 10, maxLength: 40 }),
        fc.boolean(),
        (ys, rises) => {
          const values = ys.map((y, at) => (rises ? y + at / 10 : y))
          const slope = theilSen(values.map((y, x) => ({ x, y })))
          const p = mannKendall(values).p.value
          if (slope === null) throw new Error("expected a slope")
          if (p >= 0.05) expect([slope.low <= 0, slope.high >= 0]).toEqual([true, true])
          else expect(slope.low >= 0 || slope.high <= 0).toBe(true)
        },
      ),
      // An exact p of 0.0498, where the normal distribution's is 0.0503.
      { numRuns: 300, examples: [[[3, 0, 0, 4, 1, 4, 3, 0, 2, 2, 3, 4, 1, 0, 4, 4, 4, 2, 3, 0, 0, 4, 1], true]] },
    )
  })

  const pointsOf = (xs: ReadonlyArray<number>, ys: ReadonlyArray<number>) =>
    xs.map((x, index) => ({ x, y: ys[index] ?? 0 }))

  it("is that of Sen's own example, with its interval", () => {
    // Sen 1968, §6; in SciPy's own tests (test_mstats_basic.py, test_theilslopes): 4, from 3.71 to 4.38.
    const slope = theilSen(pointsOf([1, 2, 3, 4, 10, 12, 18], [9, 15, 19, 20, 45, 55, 78]))
    expect(slope?.slope).toBe(4)
    expect(slope?.low).toBeCloseTo(3.71, 2)
    expect(slope?.high).toBeCloseTo(4.38, 2)
  })

  it("is that of Hollander and Wolfe's example of cloud seeding", () => {
    // Nonparametric Statistical Methods, 1973, §9.2: the median of ten slopes.
    expect(theilSen(pointsOf([1, 2, 3, 4, 5], [1.26, 1.27, 1.12, 1.16, 1.03]))?.slope).toBe(-0.05625)
  })

  it("is the median of the slopes of all pairs, whatever the series", () => {
    const values = fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.double({ min: -1, max: 1, noNaN: true }).map((v) => Number(v.toFixed(6))),
    )
    fc.assert(
      fc.property(fc.array(values, { minLength: 2, maxLength: 40 }), (ys) => {
        const points = ys.map((y, index) => ({ x: index * (1 + (index % 3)) + index, y })).sort((a, b) => a.x - b.x)
        const distinct = points.filter(({ x }, index) => index === 0 || x !== points[index - 1]?.x)
        if (distinct.length < 2) return
        const slopes = distinct
          .flatMap((a, at) => distinct.slice(at + 1).map((b) => (b.y - a.y) / (b.x - a.x)))
          .sort((a, b) => a - b)
        const middle = slopes.length / 2
        const median = ((slopes[Math.ceil(middle) - 1] ?? 0) + (slopes[Math.floor(middle)] ?? 0)) / 2
        const found = theilSen(distinct)
        expect(found?.slope).toBeCloseTo(median, 8)
        expect(found?.low).toBeLessThanOrEqual(found?.slope ?? 0)
        expect(found?.high).toBeGreaterThanOrEqual(found?.slope ?? 0)
      }),
    )
  })

  it("stands on 10,000 points, of which a quarter are wild", () => {
    const points = ascending(10_000).map((x) => ({ x, y: x % 4 === 0 ? 1e6 * ((x * 7919) % 13) : 0.25 * x }))
    expect(theilSen(points)?.slope).toBeCloseTo(0.25, 3)
  })

  it("is nothing of fewer than two points, and 0 of equal ones", () => {
    expect(theilSen([])).toBe(null)
    expect(theilSen([{ x: 0, y: 1 }])).toBe(null)
    expect(theilSen(pointsOf([0, 1, 2], [5, 5, 5]))).toEqual({ slope: 0, low: 0, high: 0 })
  })
})

describe("counting descents", () => {
  it("counts each pair whose earlier value is the greater", () => {
    fc.assert(
      fc.property(series(70), (values) => {
        const pairs = values.flatMap((a, at) => values.slice(at + 1).filter((b) => a > b))
        expect(descents(values)).toBe(pairs.length)
      }),
    )
  })
})

describe("several p-values", () => {
  it("are adjusted as R's p.adjust does by Holm's method", () => {
    const rounded = (ps: ReadonlyArray<number>) => holm(ps).map((p) => Number(p.toFixed(9)))
    expect(rounded([0.01, 0.02, 0.03, 0.04, 0.05])).toEqual([0.05, 0.08, 0.09, 0.09, 0.09])
    expect(rounded([0.04, 0.01, 0.9])).toEqual([0.08, 0.03, 0.9])
    expect(holm([])).toEqual([])
    expect(holm([0.03])).toEqual([0.03])
  })
})

/** Two-sided tail of the normal distribution, by its continued fraction (Abramowitz & Stegun 26.2.14). */
function twoSided(z: number): number {
  let fraction = z
  for (let depth = 200; depth >= 1; depth--) fraction = z + depth / fraction
  return (2 * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI) / fraction
}
