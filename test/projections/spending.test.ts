import { describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Spending from "../../src/projections/tree/Spending.ts"

const event = (type: string, payload: object, actor = "kernel") => ({ type, payload, actor }) as unknown as Event

const answered = (inputTokens: number, outputTokens: number, usd?: number) =>
  event("ModelResponded", {
    response: {},
    latencyMs: 1,
    usage: { inputTokens, outputTokens },
    ...(usd === undefined ? {} : { cost: { usd, prices: "p" } }),
  })

const failed = (kind: string, more: object = {}) => event("ModelFailed", { kind, reason: "r", latencyMs: 1, ...more })

const of = (...events: ReadonlyArray<Event>) => Spending.useOf(events.reduce(Spending.after, Spending.none))

describe("what a task spent", () => {
  it("has its answers, its commands, and the failures that it paid for", () => {
    expect(
      of(
        answered(100, 10, 0.5),
        event("ActuatorCommanded", { commandId: "c", actuator: "a/b", args: {}, argsDigest: "d" }),
        failed("cut-off", { usage: { inputTokens: 40, outputTokens: 2 }, cost: { usd: 0.25, prices: "p" } }),
      ),
    ).toEqual({ steps: 2, commands: 1, tokens: 152, usd: 0.75 })
  })

  it("has nothing of requests that no provider accepted, nor of critics", () => {
    expect(
      of(
        failed("overloaded"),
        failed("rate-limited", { usage: { inputTokens: 0, outputTokens: 0 } }),
        failed("unreachable"),
        event("ModelResponded", { response: {}, usage: { inputTokens: 9, outputTokens: 9 } }, "critic:p/c"),
      ),
    ).toEqual({ steps: 0, commands: 0, tokens: 0, usd: 0 })
  })

  it("has at least the input of requests of unknown use, once the next answer tells it", () => {
    const lost = failed("cancelled", { response: { parts: [] } })
    expect(of(lost)).toEqual({ steps: 1, commands: 0, tokens: 0, usd: 0 })
    expect(of(lost, failed("timed-out"), answered(100, 10, 0.5))).toEqual({
      ...{ steps: 3, commands: 0, tokens: 310, usd: 1.5 },
    })
    expect(of(lost, answered(100, 10, 0.5), answered(100, 10, 0.5))).toMatchObject({ tokens: 320, usd: 1.5 })
  })

  it("has what a request reserves that the end of a kernel cut off, and more if the same one then uses more", () => {
    const called = (id: string, reserves?: object) => ({
      ...event("ModelCalled", { provider: "p", model: "m", requestDigest: "d", request: null, reserves }),
      id,
    })
    const resumed = event("TaskResumed", { agent: "a@1", at: 1 })
    const end = (id: string, of: Event) => ({ ...of, causationId: id })
    const lost = [called("one", { tokens: 60, usd: 0.25 }), resumed]
    expect(of(...lost)).toEqual({ steps: 1, commands: 0, tokens: 60, usd: 0.25 })
    const again = [called("two", { tokens: 60, usd: 0.25 }), end("two", answered(100, 10, 0.5))]
    expect(of(...lost, ...again)).toEqual({ steps: 2, commands: 0, tokens: 220, usd: 1 })
    expect(of(called("one", { tokens: 900 }), resumed, ...again)).toMatchObject({ tokens: 1_010, usd: 1 })
    // A log of an earlier version does not say what it reserved.
    expect(of(called("one"), resumed, ...again)).toMatchObject({ steps: 2, tokens: 220, usd: 1 })
    expect(of(...again, resumed)).toEqual({ steps: 1, commands: 0, tokens: 110, usd: 0.5 })
    const open = [called("three", { tokens: 60 })].reduce(Spending.after, Spending.none)
    expect(Spending.useOf(Spending.withOpenLost(open))).toMatchObject({ steps: 1, tokens: 60 })
  })

  it("is unknown where the use or the price of an answer is", () => {
    expect(of(answered(0, 0), answered(1, 1, 1))).toMatchObject({ tokens: null, usd: null })
    expect(of(answered(5, 5), answered(1, 1, 1))).toMatchObject({ tokens: 12, usd: null })
    expect(of(failed("cut-off", { usage: { inputTokens: 5, outputTokens: 0 } }))).toMatchObject({
      tokens: 5,
      usd: null,
    })
  })
})
