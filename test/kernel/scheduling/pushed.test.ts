import { it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { describe, expect } from "vitest"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { Projector } from "../../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../../src/projections/state/EnvironmentState.ts"
import { about, events, type Sample, seen } from "../given.ts"
import { testKernel } from "../testKernel.ts"

const bells = (instance: "task" | "kernel"): Sample => ({
  name: "bells",
  instance,
  sensors: [{ name: "bell", priority: 4 }],
  actuators: [{ name: "ring" }, { name: "ringSoon" }, { name: "ringOther" }, { name: "flood" }],
  entry: `
    const refused = (error) => ({ refused: error.message, code: error.code })
    export default {
      sensors: { bell: () => "silent" },
      actuators: {
        ring: async (ctx, { sound }) => {
          try { await ctx.emit("bell", sound) } catch (error) { return refused(error) }
          return "heard"
        },
        ringSoon: (ctx, { sound }) => { setInterval(() => ctx.emit("bell", sound), 20); return null },
        flood: (ctx, { count }) => { for (let n = 0; n < count; n++) void ctx.emit("bell", n); return null },
        ringOther: (ctx) => ctx.emit("other", 1).then(() => "heard", refused),
      },
    }`,
})

const open = (plugins?: ReadonlyArray<string>) =>
  Effect.flatMap(Kernel, (kernel) =>
    kernel.tasks.open({ goal: "listen", ...(plugins === undefined ? {} : { plugins }) }),
  )

describe("a reading that a plugin pushes", () => {
  it.scopedLive("is recorded in the task that its process serves, in the plugin's name", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [bells("task")] })
      yield* Effect.gen(function* () {
        const task = yield* open()
        const other = yield* open()
        expect(yield* task.act("bells/ring", { sound: "ding" })).toMatchObject({ result: "heard" })
        const read = yield* events("SensorRead")
        expect(read).toMatchObject([
          {
            taskId: task.id,
            stream: `task/${task.id}`,
            actor: "plugin:bells@1.0.0",
            payload: { sensor: "bells/bell", reading: "ding", priority: 4, latencyMs: 0 },
          },
        ])
        const [opened] = yield* events("TaskOpened")
        expect(read[0]?.causationId).toBe(opened?.id)
        const state = yield* Effect.flatMap(Projector, (projector) => projector.current(EnvironmentState.projection))
        expect(EnvironmentState.taskScope(state, task.id).readings).toEqual({ "bells/bell": "ding" })
        expect(EnvironmentState.taskScope(state, other.id).readings).toEqual({})
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive(
    "a reading that is pushed by a process that serves all tasks is recorded in each open one that it takes part in",
    () =>
      Effect.gen(function* () {
        const { layer } = yield* testKernel({ plugins: [bells("kernel")] })
        yield* Effect.gen(function* () {
          const one = yield* open()
          const two = yield* open(["bells"])
          yield* open([])
          const closed = yield* open()
          yield* closed.close("achieved")
          yield* one.act("bells/ring", { sound: "dong" })
          const read = yield* events("SensorRead")
          expect(read.map(({ taskId }) => taskId).toSorted()).toEqual([one.id, two.id].toSorted())
        }).pipe(Effect.provide(layer))
      }),
  )

  it.scopedLive("a reading that is pushed while no task is open is recorded in none", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [bells("kernel")] })
      yield* Effect.gen(function* () {
        const task = yield* open()
        yield* task.act("bells/ringSoon", { sound: "dong" })
        yield* task.close("achieved")
        const read = yield* seen((event) => about("SensorRead", "bells/bell")(event) && event.taskId === null)
        expect(read).toMatchObject({ stream: "plugin/bells", causationId: null, actor: "plugin:bells@1.0.0" })
        const state = yield* Effect.flatMap(Projector, (projector) => projector.current(EnvironmentState.projection))
        expect(state.shared.readings).toEqual({ "bells/bell": "dong" })
        const closedAt = (yield* events("TaskClosed"))[0]?.position ?? 0
        const inTask = (yield* events("SensorRead")).filter(({ taskId }) => taskId === task.id)
        expect(inTask.filter(({ position }) => position > closedAt)).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive(
    "a pushed reading of a sensor that is not active or not declared is refused, and the plugin is told why",
    () =>
      Effect.gen(function* () {
        const { layer } = yield* testKernel({ plugins: [bells("task")] })
        yield* Effect.gen(function* () {
          const { plugins } = yield* Kernel
          const task = yield* open()
          yield* plugins.deactivate("bells/bell")
          expect(yield* task.act("bells/ring", { sound: "ding" })).toMatchObject({
            result: { code: "NotTaken", refused: expect.stringContaining("bells/bell is not an active sensor") },
          })
          expect(yield* task.act("bells/ringOther")).toMatchObject({
            result: { code: "NoSuchComponent", refused: "there is no sensor other" },
          })
          expect(yield* events("SensorRead")).toEqual([])
        }).pipe(Effect.provide(layer))
      }),
  )

  it.scoped("waits where there are too many of one process: a hundred at once, then a hundred in a second", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [bells("task")] })
      yield* Effect.gen(function* () {
        const task = yield* open()
        yield* task.act("bells/flood", { count: 200 })
        yield* seen(about("SensorRead"), 100)
        // Time stands still, so that no other one is taken.
        expect(yield* events("SensorRead")).toHaveLength(100)
        for (let more = 1; more <= 3; more++) {
          yield* TestClock.adjust("10 millis")
          yield* seen(about("SensorRead"), 100 + more)
        }
        const read = yield* events("SensorRead")
        expect(read.map(({ payload }) => payload.reading)).toEqual(Array.from({ length: 103 }, (_, n) => n))
      }).pipe(Effect.provide(layer))
    }),
  )
})
