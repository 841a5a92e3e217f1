import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as TaskControl from "../../src/kernel/control/TaskControl.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { seen } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, eventsOf, model, text, turn } from "./given.ts"

const tools = { look: Tool.make({ description: "Looks", risk: "none", run: () => "nothing" }) }

/** The types of events by commits. */
const commits = Effect.map(EventLog, (log) => {
  const all: Array<ReadonlyArray<string>> = []
  const end = log.onCommit((events) => all.push((events ?? []).map(({ type }) => type)))
  return { all, end }
})

const LONGEST = 256 * 1024

describe("an answer of a model", () => {
  it.scopedLive("is in the commit of its decision, its message and its first command", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ tools })).start
      const looks = (callId: string) => [text("I look."), call(callId, "program__look")]
      const { model: of } = model([looks("a"), looks("b"), [text("Bye.")]])
      const { all, end } = yield* run(commits)
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: of }), { goal: "Look" })))
      end()
      const answers = all.filter((types) => types.includes("ModelResponded"))
      const said = ["ModelResponded", "DecisionMade", "MessageSent"]
      const allowed = [...said, "ActuatorCommanded", "CommandAllowed"]
      // The first command waits for the start of its plugin.
      expect(answers).toEqual([allowed, [...allowed, "CommandDispatched"], said])
    }),
  )

  it.scopedLive("that is long is recorded at once, so that nothing else can make it invalid", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ tools })).start
      const { model: of } = model([[text("x".repeat(LONGEST)), call("a", "program__look")], [text("Bye.")]])
      const { all, end } = yield* run(commits)
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: of }), { goal: "Look" })))
      end()
      expect(all.find((types) => types.includes("ModelResponded"))).toEqual(["ModelResponded"])
    }),
  )

  it.scopedLive("is in the log while its task is paused, before its command", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ tools })).start
      const by = { by: "ada" }
      const control = yield* run(TaskControl.TaskControl)
      const paused = Effect.as(
        Effect.orDie(control.pause("t", by)),
        turn([text("I look."), call("a", "program__look")]),
      )
      const { model: of } = model([() => paused, [text("Bye.")]])
      const work = yield* Effect.fork(
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: of }), { goal: "Look", id: "t" }))),
      )
      yield* run(seen(({ type }) => type === "DecisionMade"))
      const types = (yield* run(eventsOf("t"))).map(({ type }) => type)
      expect(types.indexOf("ModelResponded")).toBeGreaterThan(types.indexOf("TaskPaused"))
      expect(types).not.toContain("CommandDispatched")
      yield* control.continue("t", by)
      expect((yield* Fiber.join(work)).outcome).toBe("achieved")
    }),
  )
})
