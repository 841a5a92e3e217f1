import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { counter, eventsOf } from "../agents/given.ts"
import { writePlugin } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** Requests additions together, in an order. */
const adding = (order: ReadonlyArray<number>) =>
  Agent.fromAdvance({
    name: "adding",
    version: "1",
    advance: (task) =>
      Effect.as(
        Effect.forEach(order, (by) => task.act("counter/add", { by }), { concurrency: "unbounded" }),
        false,
      ),
  })

describe("commands that an agent requests together", () => {
  it.scopedLive("are replayed in whatever order they are requested", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const report = yield* run(
        Effect.gen(function* () {
          const { tasks, replay } = yield* Kernel
          const { taskId } = yield* tasks.run(adding([1, 2, 3]), { goal: "Add" })
          return yield* replay(taskId, adding([3, 1, 2]))
        }),
      )
      expect(report).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})

describe("a perception in which every sensor failed", () => {
  it.scopedLive("counts in a fork behind it, so that the fork is replayed", () =>
    Effect.gen(function* () {
      const blind = {
        ...counter,
        entry: counter.entry.replace("count: () => count", 'count: () => { throw new Error("dark") }'),
      }
      const { run } = yield* (yield* testKernel({ plugins: [blind] })).start
      const looking = () => {
        let step = 0
        return Agent.fromAdvance({
          name: "looking",
          version: "1",
          advance: (task) =>
            Effect.gen(function* () {
              yield* task.perceive()
              yield* task.act("counter/add", { by: 1 })
              return step++ === 0
            }),
        })
      }
      const [perceived, report] = yield* run(
        Effect.gen(function* () {
          const { tasks, fork, replay } = yield* Kernel
          const { taskId } = yield* tasks.run(looking(), { goal: "Look" })
          const events = yield* eventsOf(taskId)
          const at = events.find(({ type }) => type === "CommandSucceeded")?.position
          yield* fork(looking(), { at: `main@${at}`, task: taskId, timeline: "again", acceptUnrewound: true })
          const failed = events.filter(({ type }) => type === "SensorFailed")
          return [failed, yield* replay(taskId, looking(), { timeline: "again" })] as const
        }),
      )
      expect(perceived.map(({ payload }) => payload.perception)).toEqual([1, 2])
      expect(report).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})

describe("what a task can do", () => {
  it.scopedLive("is that of the versions that it was opened with, as its commands are", () =>
    Effect.gen(function* () {
      const { run, directory } = yield* Effect.flatMap(testKernel({ plugins: [counter] }), (kernel) =>
        Effect.map(kernel.start, ({ run }) => ({ run, directory: kernel.directory })),
      )
      const names = yield* run(
        Effect.gen(function* () {
          const { tasks, plugins } = yield* Kernel
          const task = yield* tasks.open({ goal: "Count" })
          const more = { ...counter, actuators: [{ name: "more" }] }
          const entry = "export default { sensors: { count: () => 0 }, actuators: { more: () => 1 } }"
          yield* plugins.import(writePlugin(path.join(directory, "sources", "newer"), { ...more, entry }))
          const later = yield* tasks.open({ goal: "Count more" })
          const of = (offered: Agent.DecisionContext["actuators"]) => offered.map(({ name }) => name)
          return [of((yield* task.capabilities()).actuators), of((yield* later.capabilities()).actuators)]
        }),
      )
      expect(names).toEqual([["counter/add", "counter/fail"], ["counter/more"]])
    }),
  )
})
