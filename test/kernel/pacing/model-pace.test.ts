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
  return asked.map(({ now, tokens = 10 }, index) => {
    const id = 100 + index
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

  it("forgets answered requests that no limit counts, so that a fast model's requests cost no time", () => {
    const window = { remaining: 5_000, resetMs: 60_000 }
    const kept = (limit: ModelPace.RateLimit, limits?: ModelPace.ProviderLimits) => {
      let pace = ModelPace.unknown
      for (let id = 1; id <= 1_000; id++) {
        pace = ModelPace.reserve(pace, limit, { id, now: id, tokens: 10 }).reserved
        pace = ModelPace.learn(pace, { id, now: id, tokens: 12, limits }, limit)
      }
      return pace.sent.length
    }
    expect([kept({}), kept({}, { requests: window }), kept({}, { tokens: window })]).toEqual([0, 0, 0])
    // A declared limit counts the whole last minute.
    expect(kept({ requestsPerMinute: 2_000 })).toBe(1_000)
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
    const counted = ModelPace.learn(reserved, { id: 1, now: 0, tokens: 90 }, { tokensPerMinute: 100 })
    expect(leaving({ tokensPerMinute: 100 }, [{ now: 1, tokens: 20 }], counted)[0]?.at).toBe(60_000)
  })

  /** Requests with places, in their order, that all ask now. */
  const queue = (
    count: number,
    limit: ModelPace.RateLimit,
    { pace = ModelPace.unknown, now = 0, first = 1 }: { pace?: ModelPace.Pace; now?: number; first?: number } = {},
  ) =>
    Array.from({ length: count }, (_, index) => first + index).reduce(
      (before, id) => ModelPace.reserve(before, limit, { id, now, tokens: 10 }).reserved,
      pace,
    )

  const placesOf = (pace: ModelPace.Pace) => pace.sent.map(({ at }) => at)

  it("believes no number that means nothing, and no wait without end", () => {
    const known = ModelPace.learn(queue(1, {}), {
      id: 1,
      now: 0,
      tokens: 7,
      limits: { requests: { limit: 9, remaining: 5, resetMs: 1_000 } },
    })
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, -1, "1", null] as ReadonlyArray<number>) {
      const wrong: ReadonlyArray<Parameters<typeof ModelPace.learn>[1]> = [
        { id: 1, now: 5, retryAfterMs: bad },
        { id: 1, now: 5, tokens: bad },
        { id: 1, now: 5, limits: { requests: { remaining: bad, resetMs: 1 } } },
        { id: 1, now: 5, limits: { requests: { remaining: 0, resetMs: bad }, tokens: bad as never } },
      ]
      for (const said of wrong) expect(ModelPace.learn(known, said)).toEqual(known)
    }
    const most = { id: 1, now: 5, retryAfterMs: 1e300, limits: { requests: { remaining: 0, resetMs: 1e300 } } }
    const capped = ModelPace.learn(known, most)
    expect(capped).toMatchObject({ blockedUntil: 86_400_005, requests: { resetAt: 86_400_005 } })
    expect(leaving({}, [{ now: 6 }], capped)).toEqual([{ at: 86_400_005, because: "retry-after" }])
  })

  it("keeps the room of a window for others when a request does not leave", () => {
    const window = { limit: 2, remaining: 1, resetMs: 30_000 }
    const learned = ModelPace.learn(queue(1, {}), { id: 1, now: 0, limits: { requests: window } })
    let pace = learned
    for (const id of [2, 3, 4, 5]) {
      pace = ModelPace.giveBack(ModelPace.reserve(pace, {}, { id, now: 0, tokens: 10 }).reserved, id)
    }
    expect(pace).toEqual(learned)
    expect(leaving({}, times(2), pace).map(({ at }) => at)).toEqual([0, 30_000])
  })

  it("counts a request in a long window after its minute, too", () => {
    const window = { limit: 9, remaining: 2, resetMs: 600_000 }
    const learned = ModelPace.learn(queue(1, {}), { id: 1, now: 0, limits: { requests: window } })
    const asked = [{ now: 1 }, { now: 100_000 }, { now: 200_000 }, { now: 300_000 }]
    expect(leaving({}, asked, learned).map(({ at }) => at)).toEqual([1, 100_000, 600_000, 600_000])
  })

  it("dates a window from the headers, counts what left since, and keeps the newer of two", () => {
    const requests = { limit: 5, remaining: 1, resetMs: 30_000 }
    const long = queue(1, {}, { first: 1 })
    const both = queue(1, {}, { pace: long, now: 20_000, first: 2 })
    // The answer of 1 began at 10 s and ended at 25 s; 2 left in between.
    const learned = ModelPace.learn(both, { id: 1, now: 25_000, limits: { requests, heardAt: 10_000 } })
    expect(leaving({}, [{ now: 26_000 }], learned)).toEqual([{ at: 40_000, because: "requests" }])
    // It ended after its window: that is past.
    const late = ModelPace.learn(both, { id: 1, now: 50_000, limits: { requests, heardAt: 10_000 } })
    expect(leaving({}, [{ now: 50_000 }], late)).toEqual([{ at: 50_000, because: undefined }])
    const newer = ModelPace.learn(both, { id: 2, now: 21_000, limits: { requests: { ...requests, remaining: 4 } } })
    expect(ModelPace.learn(newer, { id: 1, now: 25_000, limits: { requests, heardAt: 10_000 } })).toEqual(newer)
    // A time that cannot be is no time.
    const odd = { id: 1, now: 25_000, limits: { requests, heardAt: Number.NaN } }
    expect(ModelPace.learn(both, odd).requests).toMatchObject({ resetAt: 55_000, heardAt: 25_000 })
  })

  it("moves requests that wait when a provider refuses, in their order and within the declared limit", () => {
    const limit = { requestsPerMinute: 1 }
    const refused = ModelPace.learn(queue(4, limit), { id: 1, now: 50_000, retryAfterMs: 40_000 }, limit)
    expect(placesOf(refused)).toEqual([0, 90_000, 150_000, 210_000])
    expect(refused.sent[1]?.because).toBe("retry-after")
    const short = ModelPace.learn(queue(4, limit), { id: 1, now: 0, retryAfterMs: 10 }, limit)
    expect(placesOf(short)).toEqual([0, 60_000, 120_000, 180_000])
  })

  it("names the limit that makes the first one wait to all behind it", () => {
    const blocked = ModelPace.learn(ModelPace.unknown, { id: 1, now: 0, retryAfterMs: 5_000 })
    expect(leaving({}, times(3), blocked).map(({ because }) => because)).toEqual(Array(3).fill("retry-after"))
  })

  it("passes a place that was given back on to the next request that it suits", () => {
    const limit = { requestsPerMinute: 1 }
    const back = ModelPace.giveBack(queue(4, limit), 3)
    expect(leaving(limit, [{ now: 1 }, { now: 2 }], back).map(({ at }) => at)).toEqual([120_000, 240_000])
    expect(placesOf(ModelPace.giveBack(ModelPace.giveBack(queue(4, limit), 3), 4))).toEqual([0, 60_000])
    // One with more tokens goes to the end, where tokens count.
    const tokens = { requestsPerMinute: 1, tokensPerMinute: 100 }
    const large = ModelPace.giveBack(queue(4, tokens), 3)
    expect(leaving(tokens, [{ now: 1, tokens: 11 }], large)).toEqual([{ at: 240_000, because: "requests" }])
    // Nobody takes a place that is over.
    expect(leaving(limit, [{ now: 130_000 }], back).map(({ at }) => at)).toEqual([240_000])
  })

  it("never exceeds a limit when places are given back", () => {
    const limit = { requestsPerMinute: 3, tokensPerMinute: 60 }
    const step = fc.record({
      after: fc.integer({ min: 0, max: 20_000 }),
      tokens: fc.integer({ min: 1, max: 40 }),
      back: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
      refusal: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 8 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let [now, pace] = [0, ModelPace.unknown]
        const places = new Map<number, { readonly at: number; readonly tokens: number }>()
        const note = () => {
          for (const one of pace.sent) if (one.isFree !== true) places.set(one.id, one)
        }
        for (const [id, { after, tokens, back, refusal }] of steps.entries()) {
          now += after
          pace = ModelPace.reserve(pace, limit, { id, now, tokens }).reserved
          note()
          if (back !== undefined && (places.get(back)?.at ?? 0) > now) {
            pace = ModelPace.giveBack(pace, back)
            places.delete(back)
          }
          if (refusal !== undefined) pace = ModelPace.learn(pace, { id, now, retryAfterMs: refusal }, limit)
          note()
        }
        const left = [...places.values()]
        for (const { at } of left) {
          const minute = left.filter((one) => one.at > at - 60_000 && one.at <= at)
          expect(minute.length).toBeLessThanOrEqual(3)
          expect(minute.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(60)
        }
      }),
    )
  })
})
