import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RateLimit from "../../src/values/time/RateLimit.ts"

const rate = fc.record({ perSecond: fc.integer({ min: 1, max: 1000 }), burst: fc.integer({ min: 1, max: 50 }) })
const gaps = fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 200 })

/** When each of those goes that come after these gaps, each after the one before it has gone. */
const going = (rate: RateLimit.Rate, gaps: ReadonlyArray<number>): ReadonlyArray<number> => {
  const times: Array<number> = []
  let used = RateLimit.unused
  let moment = 0
  for (const gap of gaps) {
    moment += gap
    const next = RateLimit.next(rate, used, moment)
    used = next.used
    moment += next.waitMs
    times.push(moment)
  }
  return times
}

describe("a rate", () => {
  it("lets no more go in any stretch of time than it says", () => {
    fc.assert(
      fc.property(rate, gaps, (rate, gaps) => {
        const times = going(rate, gaps)
        for (const [first, from] of times.entries()) {
          for (const [last, to] of times.entries()) {
            const most = rate.burst + ((to - from) / 1000) * rate.perSecond
            if (last >= first) expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6)
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  it("makes nobody wait who comes no more often than that", () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 1, max: 100 }), (rate, count) => {
        const every = Math.ceil(1000 / rate.perSecond)
        const times = going(
          rate,
          Array.from({ length: count }, () => every),
        )
        expect(times.at(-1)).toBe(count * every)
      }),
    )
  })

  it("lets so many go at once, and the next one when there is room again", () => {
    expect(going({ perSecond: 10, burst: 3 }, [0, 0, 0, 0, 0])).toEqual([0, 0, 0, 100, 200])
  })
})
