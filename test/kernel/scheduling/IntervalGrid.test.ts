import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as IntervalGrid from "../../../src/kernel/sensing/IntervalGrid.ts"

const startedAt = fc.double({ min: 0, max: 2e12, noNaN: true })
const intervalMs = fc.double({ min: IntervalGrid.MIN_INTERVAL_MS, max: 86_400_000, noNaN: true })
const elapsed = fc.double({ min: 0, max: 1e9, noNaN: true })

describe("the next tick", () => {
  it("lies after the moment, and not more than an interval after it", () => {
    fc.assert(
      fc.property(startedAt, intervalMs, elapsed, (startedAt, intervalMs, elapsed) => {
        const moment = startedAt + elapsed
        const next = IntervalGrid.nextAfter({ startedAt, intervalMs }, moment)
        expect(next).toBeGreaterThan(moment)
        expect(next - moment).toBeLessThanOrEqual(intervalMs * 1.001)
      }),
    )
  })

  it("lies on the grid, whatever the delays: none of them adds up", () => {
    const delays = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 50 })
    fc.assert(
      fc.property(
        fc.nat({ max: 1e9 }),
        fc.integer({ min: 10, max: 10_000 }),
        delays,
        (startedAt, intervalMs, delays) => {
          let moment = startedAt
          for (const delay of delays) {
            const tick = IntervalGrid.nextAfter({ startedAt, intervalMs }, moment)
            expect((tick - startedAt) % intervalMs).toBe(0)
            moment = tick + delay
          }
        },
      ),
    )
  })

  it("comes once for all that passed while something took longer", () => {
    const ticks = { startedAt: 1000, intervalMs: 100 }
    expect(IntervalGrid.nextAfter(ticks, 1000)).toBe(1100)
    expect(IntervalGrid.nextAfter(ticks, 1099)).toBe(1100)
    expect(IntervalGrid.nextAfter(ticks, 1100)).toBe(1200)
    expect(IntervalGrid.nextAfter(ticks, 1451)).toBe(1500)
  })

  it("comes no more often than the shortest interval", () => {
    expect(IntervalGrid.nextAfter({ startedAt: 0, intervalMs: 0.001 }, 0)).toBe(IntervalGrid.MIN_INTERVAL_MS)
  })
})
