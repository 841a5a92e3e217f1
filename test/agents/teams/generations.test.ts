import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, FiberId } from "effect"
import * as Agent from "../../../src/agents/Agent.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as TaskControl from "../../../src/kernel/control/TaskControl.ts"
import * as Gate from "../../../src/kernel/gate/Gate.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import * as TaskList from "../../../src/projections/state/TaskList.ts"
import { about, seen } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, text } from "../given.ts"
import { answering } from "./given.ts"

/** Agents of three generations: `top` calls `middle`, which calls `leaf`, which calls a tool that a person must approve. */
const given = () => {
  const erase = Tool.make({ description: "Erases", risk: "irreversible", run: () => "erased" })
  const calling = (name: string, tool: string) =>
    Agent.fromModel({
      ...{ name, version: "1", tools: [tool] },
      model: answering([
        [call(name, tool.replace("/", "__"), tool === "program/erase" ? {} : { goal: "Erase" })],
        [text("Done.")],
      ]).model,
    })
  const leaf = calling("leaf", "program/erase")
  const middle = calling("middle", "program/leaf")
  const top = calling("top", "program/middle")
  const tools = { erase, leaf: Agent.asTool(leaf), middle: Agent.asTool(middle) } as never
  return { top, tools }
}

const standings = Effect.map(Effect.flatMap(EventLog, TaskList.standings), (tasks) => Object.values(tasks))

describe("a tree of three generations whose youngest task waits for a person", () => {
  it.scopedLive("is paused and continued as a whole: an approval takes effect once it continues", () =>
    Effect.gen(function* () {
      const { top, tools } = given()
      const { run } = yield* (yield* testKernel({ tools, gate: Gate.standard })).start
      const { tasks, confirmations } = yield* run(Kernel)
      const control = yield* run(TaskControl.TaskControl)
      const working = yield* Effect.fork(tasks.run(top, { id: "top", goal: "x" }))
      yield* run(seen(about("ConfirmationRequested")))
      yield* control.pause("top", { by: "ada" })
      expect((yield* run(standings)).map(({ asked }) => asked?.what)).toEqual(["paused", "paused", "paused"])
      const [waiting = ""] = Object.keys(yield* confirmations.pending)
      yield* confirmations.decide(waiting, { approved: true, by: "ada", channel: "program" })
      yield* run(seen(about("ConfirmationDecided")))
      expect((yield* run(standings)).map(({ outcome }) => outcome)).toEqual([null, null, null])
      yield* control.continue("top", { by: "ada" })
      expect(yield* Fiber.join(working)).toMatchObject({ outcome: "achieved" })
      expect((yield* run(standings)).map(({ outcome }) => outcome)).toEqual(["achieved", "achieved", "achieved"])
    }),
  )

  it.scopedLive("is cancelled as a whole: the question is withdrawn, and nothing is executed", () =>
    Effect.gen(function* () {
      const { top, tools } = given()
      const { run } = yield* (yield* testKernel({ tools, gate: Gate.standard })).start
      const { tasks, confirmations } = yield* run(Kernel)
      const control = yield* run(TaskControl.TaskControl)
      const working = yield* Effect.fork(tasks.run(top, { id: "top", goal: "x" }))
      yield* run(seen(about("ConfirmationRequested")))
      yield* control.cancel("top", { by: "ada" })
      yield* Fiber.await(working)
      yield* run(seen(about("TaskClosed"), 3))
      expect((yield* run(standings)).map(({ outcome }) => outcome)).toEqual(["abandoned", "abandoned", "abandoned"])
      expect(yield* confirmations.pending).toEqual({})
    }),
  )
})

describe("a child that nobody works on", () => {
  it.scopedLive("does not outlive its parent, nor do the tasks below it", () =>
    Effect.gen(function* () {
      const holding = () => {
        const free = Deferred.unsafeMake<void>(FiberId.none)
        const hold = Tool.make({
          ...({ description: "Holds", risk: "none", idempotent: true } as const),
          run: () => Effect.as(Deferred.await(free), "let go"),
        })
        const agent = Agent.fromModel({
          ...{ name: "holding", version: "1", tools: ["program/hold"] },
          model: answering([[call("h", "program__hold")], [text("Held.")]]).model,
        })
        return { agent, tools: { hold } as never, free: Deferred.succeed(free, undefined) }
      }
      const before = holding()
      const { start, directory } = yield* testKernel({ tools: before.tools, onOpenTasks: "resume" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { run } = yield* start
          const { tasks } = yield* run(Kernel)
          const began = (id: string, more: object, count: number) =>
            Effect.zipRight(
              Effect.fork(tasks.run(before.agent, { id, goal: "Hold", ...more })),
              run(seen(about("CommandDispatched"), count)),
            )
          yield* began("top", {}, 1)
          yield* began("below", { parent: "top" }, 2)
          yield* began("lowest", { parent: "below" }, 3)
          yield* tasks.suspend
        }),
      )
      const now = holding()
      yield* now.free
      const { run } = yield* (yield* testKernel({ tools: now.tools, onOpenTasks: "resume", directory })).start
      const { tasks } = yield* run(Kernel)
      expect(yield* tasks.resume("top", now.agent)).toMatchObject({ outcome: "achieved" })
      yield* run(seen(about("TaskClosed"), 3))
      expect((yield* run(standings)).map(({ outcome, reason }) => [outcome, reason])).toEqual([
        ["achieved", undefined],
        ["abandoned", "kernel cancelled it: its parent, task top, ended"],
        ["abandoned", "kernel cancelled it: its parent, task below, ended"],
      ])
    }),
  )
})
