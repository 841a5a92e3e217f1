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

  it("is unknown where the use or the price of an answer is", () => {
    expect(of(answered(0, 0), answered(1, 1, 1))).toMatchObject({ tokens: null, usd: null })
    expect(of(answered(5, 5), answered(1, 1, 1))).toMatchObject({ tokens: 12, usd: null })
    expect(of(failed("cut-off", { usage: { inputTokens: 5, outputTokens: 0 } }))).toMatchObject({
      tokens: 5,
      usd: null,
    })
  })
})
