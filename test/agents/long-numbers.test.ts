import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { AnswerPart } from "../../src/agents/models/Message.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { agentOf, counting } from "../kernel/resume/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, eventsOf, model, text } from "./given.ts"

const LONG = "12345678901234567890"

/** A call as it is read of what a provider sends: its number lost digits, and its text has them. */
const written = (callId: string, args: string): AnswerPart => ({
  type: "call",
  callId,
  tool: "program__note",
  args: JSON.parse(args),
  text: args,
})

describe("a call with a number that JavaScript does not hold", () => {
  it.scopedLive("is not carried out with another number: its model is told to give it as text", () =>
    Effect.gen(function* () {
      const { executed, tools } = counting()
      const { run } = yield* (yield* testKernel({ tools })).start
      const asked = model([
        [written("a", `{"id":${LONG}}`)],
        [call("b", "program__note", { id: LONG }), written("c", '{"id":10000000000000000,"n":1.0}')],
        [text("Done.")],
      ])
      const events = yield* run(
        Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agentOf(asked.model), { goal: "note" })).pipe(
          Effect.flatMap(({ taskId }) => eventsOf(taskId)),
        ),
      )
      expect(executed).toHaveLength(2)
      expect(asked.requests[1]?.messages.at(-1)).toMatchObject({
        role: "tool",
        content: [{ callId: "a", isError: true, content: expect.stringContaining(LONG) }],
      })
      const commanded = events.filter(({ type }) => type === "ActuatorCommanded").map(({ payload }) => payload.args)
      expect(commanded).toEqual([{ id: LONG }, { id: 10000000000000000, n: 1 }])
    }),
  )
})
