import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Delta } from "../../../src/agents/models/Model.ts"
import { calls, says, scripted } from "../../../src/agents/models/Scripted.ts"
import { asking } from "./servers.ts"

describe("a scripted model", () => {
  it.effect("gives its answers in order, in small pieces, and fails when it has no more", () =>
    Effect.gen(function* () {
      const model = scripted({
        turns: [says("A sentence of several pieces."), calls([{ tool: "price", args: { n: 1 } }])],
      })
      const deltas: Array<Delta> = []
      const first = yield* model.turn(asking("one"), (delta) => deltas.push(delta))
      expect(first).toMatchObject({ finish: "stop", usage: { inputTokens: 10, outputTokens: 5 } })
      expect(deltas.length).toBeGreaterThan(2)
      expect(deltas.map(({ text }) => text).join("")).toBe("A sentence of several pieces.")
      const second = yield* model.turn(asking("two"), () => {})
      expect(second).toMatchObject({
        finish: "calls",
        parts: [{ callId: expect.stringMatching(/^call_[0-9a-f]{12}_1$/), tool: "price", args: { n: 1 } }],
      })
      const failed = yield* Effect.flip(model.turn(asking("three"), () => {}))
      expect(failed).toMatchObject({ provider: "scripted", model: "scripted", kind: "not-recorded" })
    }),
  )

  it.effect("answers by the request, and fails as the script says after what had come", () =>
    Effect.gen(function* () {
      const model = scripted({
        provider: "anthropic",
        model: "claude",
        turns: [
          ({ messages }) => says(`${messages.length} message`),
          { kind: "cut-off", reason: "The cable", response: [{ type: "text", text: "Half" }] },
          () => Effect.succeed(says("Later")),
        ],
      })
      expect(yield* model.turn(asking("one"), () => {})).toMatchObject({ parts: [{ text: "1 message" }] })
      const deltas: Array<string> = []
      const failed = yield* Effect.flip(model.turn(asking("two"), ({ text }) => deltas.push(text)))
      expect(failed).toMatchObject({ provider: "anthropic", kind: "cut-off", response: [{ text: "Half" }] })
      expect(deltas).toEqual(["Half"])
      expect(yield* model.turn(asking("three"), () => {})).toMatchObject({ parts: [{ text: "Later" }] })
    }),
  )
})
