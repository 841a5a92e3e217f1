import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ChatPages from "../../../src/cli/chat/ChatPages.ts"
import { EventLog, layerMemory, MAIN } from "../../../src/events/index.ts"
import { sha256 } from "../../../src/values/Digest.ts"

/** The lines of `/cost` after some events of a task: an answer is to the request before it. */
const costAfter = (...events: ReadonlyArray<readonly [type: string, payload: object]>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    let causationId: string | undefined
    for (const [type, payload] of events) {
      const { events: made } = yield* log.append({
        stream: "task/t",
        taskId: "t",
        actor: "kernel",
        events: [
          { type, payload, ...(type === "ModelCalled" || causationId === undefined ? {} : { causationId }) } as never,
        ],
      })
      if (type === "ModelCalled") causationId = made[0]?.id
    }
    return yield* ChatPages.cost({ taskId: "t", timeline: MAIN } as never)
  }).pipe(Effect.provide(layerMemory()))

const asked = ["ModelCalled", { provider: "p", model: "m", requestDigest: sha256("q"), request: {} }] as const
const answered = (usage: object, more: object = {}) => ["ModelResponded", { response: {}, usage, ...more }] as const
const failed = ["ModelFailed", { kind: "cut-off", reason: "gone" }] as const
const known = { inputTokens: 10, outputTokens: 2 }
const priced = { cost: { usd: 0.5, prices: "table@1" } }

describe("/cost", () => {
  it.effect("says that no model was asked, which is not the same as no answer", () =>
    Effect.gen(function* () {
      expect(yield* costAfter()).toEqual(["It has asked no model yet."])
      expect(yield* costAfter(asked)).toEqual(["p/m: 1 call, tokens unknown, cost unknown"])
    }),
  )

  it.effect("is exact only where all of it is known", () =>
    Effect.gen(function* () {
      expect(yield* costAfter(asked, answered(known, priced))).toEqual([
        "p/m: 1 call, 10 tokens in, 2 out, cost $0.5000",
      ])
      expect(yield* costAfter(asked, answered(known, priced), asked, failed)).toEqual([
        "p/m: 2 calls, 1 failed, at least 10 tokens in, 2 out, cost at least $0.5000",
      ])
      // The model is at work, or a kernel's end cut the request off.
      expect(yield* costAfter(asked, answered(known, priced), asked)).toEqual([
        "p/m: 2 calls, at least 10 tokens in, 2 out, cost at least $0.5000",
      ])
      expect(yield* costAfter(asked, answered(known))).toEqual(["p/m: 1 call, 10 tokens in, 2 out, cost unknown"])
    }),
  )
})
