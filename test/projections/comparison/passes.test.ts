import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { tango } from "../../../src/projections/comparison/interval/Tango.ts"
import * as Passes from "../../../src/projections/comparison/Passes.ts"
import { passCoverageOf, passIntervals } from "./Coverage.ts"

/** Pairs, of which so many are gained and so many are lost, in groups of this size. */
const outcomes = (gained: number, lost: number, pairs: number, size = 1) => {
  const all = Array.from({ length: pairs }, (_, at) => ({
    taskId: `t${at}`,
    inA: at >= gained && at < gained + lost,
    inB: at < gained,
  }))
  return Array.from({ length: pairs / size }, (_, group) => all.slice(group * size, (group + 1) * size))
}

describe("the interval of the share that passes", () => {
  it.each([
    [2, 0, 10, -0.133, 0.5098],
    [12, 2, 50, 0.0611, 0.3447],
    [0, 0, 10, -0.2775, 0.2775],
    [10, 0, 10, 0.4449, 1],
  ])("of %d gained and %d lost in %d pairs is Tango's, from %d to %d", (gained, lost, pairs, low, high) => {
    const found = tango(gained, lost, pairs)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })

  it("excludes 0 exactly where McNemar's p is below 0.05, and is mirrored where A and B change places", () => {
    const counts = fc.tuple(fc.nat(400), fc.nat(400), fc.nat(2_000)).filter(([g, l, e]) => g + l + e > 0)
    fc.assert(
      fc.property(counts, ([gained, lost, equal]) => {
        const pairs = gained + lost + equal
        const { low, high, p } = tango(gained, lost, pairs)
        expect(low > 0 || high < 0).toBe(p < 0.05)
        expect([low >= -1, high <= 1, low <= (gained - lost) / pairs, (gained - lost) / pairs <= high]).not.toContain(
          false,
        )
        expect(tango(lost, gained, pairs)).toEqual({ low: 0 - high, high: 0 - low, p })
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([10, 20])(
    "of %d pairs covers the difference in 93.4 % or more, and wrongly excludes 0 in at most 4.2 %",
    (pairs) => {
      const intervals = passIntervals(pairs)
      const shares = [0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4]
      for (const gain of shares) {
        for (const loss of shares) {
          if (gain + loss >= 1) continue
          const { covered, excluded } = passCoverageOf(intervals, gain, loss)
          expect(covered, `${gain} gained, ${loss} lost`).toBeGreaterThanOrEqual(0.934)
          if (gain === loss) expect(excluded, `${gain} each`).toBeLessThanOrEqual(0.042)
        }
      }
    },
  )

  it("of independent pairs never depends on what was seen: equal, one way or both ways, it is of three outcomes", () => {
    for (const [gained, lost] of [
      [0, 0],
      [2, 0],
      [10, 0],
      [3, 2],
    ] as const) {
      const found = Passes.compare(outcomes(gained, lost, 10), { seed: 1 })
      expect(found).toMatchObject({ test: "mcnemar", interval: { method: "score" }, difference: (gained - lost) / 10 })
    }
  })

  it("of groups of pairs that agree is of groups: six of twelve groups are less evidence than 24 of 48 pairs", () => {
    const alone = Passes.compare(outcomes(24, 0, 48), { seed: 1 })
    const together = Passes.compare(outcomes(24, 0, 48, 4), { seed: 1 })
    expect(together).toMatchObject({ test: "resampled", interval: { method: "studentized" }, difference: 0.5 })
    const width = ({ interval }: typeof alone) => (interval?.high ?? 0) - (interval?.low ?? 0)
    expect(width(together)).toBeGreaterThan(1.5 * width(alone))
    expect(together.p).toBeGreaterThan(alone.p ?? 1)
  })

  it("is not given, and p neither, of few pairs, or where nearly all groups agree", () => {
    expect(Passes.compare(outcomes(5, 0, 9), { seed: 1 })).toMatchObject({
      interval: null,
      p: null,
      noInterval: { reason: "few" },
    })
    expect(Passes.compare(outcomes(4, 0, 48, 4), { seed: 1 })).toMatchObject({
      interval: null,
      p: null,
      noInterval: { reason: "alike" },
    })
    expect(Passes.compare([], { seed: 1 })).toMatchObject({ difference: null, interval: null, p: null })
  })
})
