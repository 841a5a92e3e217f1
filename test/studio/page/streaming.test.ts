import { describe, expect, it } from "vitest"
import { continued } from "../../../src/studio/page/model/conversation/LiveAnswer.ts"

describe("an answer that streams", () => {
  it("grows part by part, and another request begins anew", () => {
    const pieces = [
      { request: "r", index: 1, kind: "text", text: "b" },
      { request: "r", index: 0, kind: "reasoning", text: "a" },
      { request: "r", index: 1, kind: "text", text: "c" },
    ] as const
    const whole = pieces.reduce(continued, null)
    expect(whole).toEqual({
      request: "r",
      pieces: [
        { kind: "reasoning", text: "a" },
        { kind: "text", text: "bc" },
      ],
    })
    const next = continued(whole, { request: "s", index: 0, kind: "text", text: "d" })
    expect(next).toEqual({ request: "s", pieces: [{ kind: "text", text: "d" }] })
  })
})
