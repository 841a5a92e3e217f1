import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ModelPace from "../../../src/kernel/pacing/ModelPace.ts"

/** Requests that ask at these moments: when each leaves, and why it waits. */
const leaving = (
  limit: ModelPace.RateLimit,
  asked: ReadonlyArray<{ readonly now: number; readonly tokens?: number }>,
  pace: ModelPace.Pace = ModelPace.unknown,
) => {
  let current = pace
  return asked.map(({ now, tokens = 10 }, id) => {
    const { reserved, waitMs, because } = ModelPace.reserve(current, limit, { id, now, tokens })
    current = reserved
    return { at: now + waitMs, because }
  })
}

const times = (count: number, tokens?: number) =>
  Array.from({ length: count }, () => ({ now: 0, ...(tokens === undefined ? {} : { tokens }) }))

describe("the pace of a model", () => {
  it("lets everything leave at once without limits", () => {
    expect(leaving({}, times(3))).toEqual(times(3).map(() => ({ at: 0, because: undefined })))
  })

  it("spreads requests and tokens over minutes", () => {
    const requests = leaving({ requestsPerMinute: 2 }, times(5)).map(({ at }) => at)
    expect(requests).toEqual([0, 0, 60_000, 60_000, 120_000])
    const tokens = leaving({ tokensPerMinute: 100 }, times(4, 40))
    expect(tokens.map(({ at }) => at)).toEqual([0, 0, 60_000, 60_000])
    expect(tokens[2]?.because).toBe("tokens")
    // More tokens than the limit get a minute for themselves.
    expect(
      leaving({ tokensPerMinute: 100 }, [
        { now: 0, tokens: 10 },
        { now: 5, tokens: 500 },
      ]).at(-1)?.at,
    ).toBe(60_000)
  })

  it("never exceeds a limit within any minute, and lets nobody overtake", () => {
    const request = fc.record({ after: fc.integer({ min: 0, max: 30_000 }), tokens: fc.integer({ min: 1, max: 50 }) })
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 50, max: 200 }),
        (requests, requestsPerMinute, tokensPerMinute) => {
          let now = 0
          const asked = requests.map(({ after, tokens }) => {
            now += after
            return { now, tokens }
          })
          const left = leaving({ requestsPerMinute, tokensPerMinute }, asked).map(({ at }, index) => ({
            at,
            tokens: asked[index]?.tokens ?? 0,
          }))
          for (const [index, { at }] of left.entries()) {
            const minute = left.filter((one) => one.at > at - 60_000 && one.at <= at)
            expect(minute.length).toBeLessThanOrEqual(requestsPerMinute)
            expect(minute.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(tokensPerMinute)
            expect(at).toBeGreaterThanOrEqual(Math.max(asked[index]?.now ?? 0, left[index - 1]?.at ?? 0))
          }
        },
      ),
    )
  })

  it("keeps to what answers say, until their windows are renewed", () => {
    const { reserved } = ModelPace.reserve(ModelPace.unknown, {}, { id: 1, now: 0, tokens: 10 })
    const used = (window: Partial<ModelPace.Window>, of: "requests" | "tokens" = "requests") =>
      ModelPace.learn(reserved, {
        id: 1,
        now: 0,
        limits: { [of]: { limit: 2, remaining: 0, resetMs: 30_000, ...window } },
      })
    const fullAgain = leaving({}, times(4), used({}))
    expect(fullAgain.map(({ at }) => at)).toEqual([30_000, 30_000, 90_000, 90_000])
    expect(fullAgain[0]?.because).toBe("requests")
    expect(leaving({}, times(2), used({ remaining: 1 })).map(({ at }) => at)).toEqual([0, 30_000])
    expect(leaving({}, times(1), used({}, "tokens"))).toEqual([{ at: 30_000, because: "tokens" }])
    expect(leaving({}, [{ now: 30_000 }], used({}))).toEqual([{ at: 30_000, because: undefined }])
  })

  it("waits as long as a provider asks, and forgets a place that was given back", () => {
    const blocked = ModelPace.learn(ModelPace.unknown, { id: 1, now: 1_000, retryAfterMs: 5_000 })
    expect(leaving({}, [{ now: 2_000 }], blocked)).toEqual([{ at: 6_000, because: "retry-after" }])
    const { reserved } = ModelPace.reserve(ModelPace.unknown, {}, { id: 1, now: 0, tokens: 10 })
    const free = leaving({ requestsPerMinute: 1 }, [{ now: 1 }], ModelPace.giveBack(reserved, 1))
    expect(free).toEqual([{ at: 1, because: undefined }])
    // What an answer counted replaces the estimate.
    const counted = ModelPace.learn(reserved, { id: 1, now: 0, tokens: 90 })
    expect(leaving({ tokensPerMinute: 100 }, [{ now: 1, tokens: 20 }], counted)[0]?.at).toBe(60_000)
  })
})
