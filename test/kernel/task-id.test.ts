import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe, expect } from "vitest"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { TaskIdInvalid, TaskIdTaken } from "../../src/kernel/tasks/TaskId.ts"
import { events } from "./given.ts"
import { testKernel } from "./testKernel.ts"

describe("a task whose id the caller chose", () => {
  it.scopedLive("has it in the log, and is audited by it", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel()
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "count", id: "task-0042" })
        yield* task.close("achieved")
        expect(task.id).toBe("task-0042")
        expect((yield* kernel.audit("task-0042")).outcome).toBe("achieved")
        const [opened] = yield* events("TaskOpened")
        expect(opened).toMatchObject({ stream: "task/task-0042", taskId: "task-0042", version: 1 })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is run under it by an agent", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel()
      const quick: Agent.DecidingAgent = { name: "quick", version: "1", decide: () => ({ done: "achieved" }) }
      const audit = yield* Effect.flatMap(Kernel, ({ tasks }) => tasks.run(quick, { goal: "be done", id: "one" })).pipe(
        Effect.provide(layer),
      )
      expect(audit).toMatchObject({ taskId: "one", outcome: "achieved" })
    }),
  )

  it.scopedLive(
    "is refused where an open task has it, where a closed one has it, and where a kernel before had it",
    () =>
      Effect.gen(function* () {
        const { layer, directory, log } = yield* testKernel()
        const again = { goal: "again", id: "task-1" }
        const position = yield* Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const task = yield* tasks.open({ goal: "first", id: "task-1" })
          const [opened] = yield* events("TaskOpened")
          const taken = new TaskIdTaken({ taskId: "task-1", position: opened?.position ?? 0 })
          expect(yield* Effect.either(tasks.open(again))).toEqual(Either.left(taken))
          yield* task.close("failed")
          expect(yield* Effect.either(tasks.open(again))).toEqual(Either.left(taken))
          return taken.position
        }).pipe(Effect.provide(layer))

        yield* Effect.gen(function* () {
          const refused = yield* Effect.flip((yield* Kernel).tasks.open(again))
          expect(refused).toEqual(new TaskIdTaken({ taskId: "task-1", position }))
          expect(refused.message).toContain(`found it at @${position}`)
          // What was refused left nothing behind.
          expect((yield* events("TaskOpened", "TaskClosed")).map(({ type }) => type)).toEqual([
            "TaskOpened",
            "TaskClosed",
          ])
        }).pipe(Effect.provide(Hindcast.layer({ log, workspace: directory })))
      }),
  )

  it.scopedLive("is refused to all but one of those who open it at the same time", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel()
      yield* Effect.gen(function* () {
        const { tasks } = yield* Kernel
        const opening = Array.from({ length: 8 }, () => Effect.either(tasks.open({ goal: "race", id: "race" })))
        const opened = yield* Effect.all(opening, { concurrency: "unbounded" })
        expect(opened.filter(Either.isRight)).toHaveLength(1)
        expect(yield* events("TaskOpened")).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is refused where it says what no id may say", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel()
      yield* Effect.gen(function* () {
        const { tasks } = yield* Kernel
        for (const id of [
          "",
          " ",
          "a b",
          "a/b",
          "a~b",
          "kernel",
          "42",
          "-a",
          ".a",
          "__proto__",
          "é",
          "x".repeat(101),
        ]) {
          expect(yield* Effect.flip(tasks.open({ goal: "no", id }))).toEqual(new TaskIdInvalid({ taskId: id }))
        }
        expect(yield* events("TaskOpened")).toEqual([])
        for (const id of ["x".repeat(100), "4b", "A.b_c-1"]) yield* tasks.open({ goal: "yes", id })
      }).pipe(Effect.provide(layer))
    }),
  )
})
