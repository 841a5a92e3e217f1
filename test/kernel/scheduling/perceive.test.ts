import { it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { events, logged, type Sample, seen } from "../given.ts"
import { testKernel } from "../testKernel.ts"

const senses: Sample = {
  name: "senses",
  sensors: [
    { name: "slow", priority: 10 },
    { name: "beside", priority: 10 },
    { name: "below", priority: 5 },
    { name: "last", priority: -1 },
  ],
  entry: `
    export default {
      sensors: {
        slow: (ctx) => {
          ctx.log("asked")
          return new Promise((_, reject) => ctx.signal.addEventListener("abort", () => { ctx.log("cancelled"); reject(ctx.signal.reason) }))
        },
        beside: () => 1,
        below: () => 2,
        last: () => 3,
      },
    }`,
}

describe("perceiving with a deadline", () => {
  it.scoped("answers at the deadline: cancels what is under way, and skips what had no turn", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [senses] })
      yield* Effect.gen(function* () {
        const task = yield* Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "look" }))
        const perceiving = yield* Effect.fork(task.perceive({ deadlineMs: 1000 }))
        yield* seen(logged("asked"))
        yield* seen(({ type }) => type === "SensorRead")
        yield* TestClock.adjust("999 millis")
        expect(perceiving.unsafePoll()).toBe(null)
        yield* TestClock.adjust("1 millis")
        const readings = yield* Fiber.join(perceiving)
        expect(readings.map(({ sensor, reading }) => [sensor, reading])).toEqual([["senses/beside", 1]])

        const [failed] = yield* events("SensorFailed")
        expect(failed?.payload).toEqual({
          sensor: "senses/slow",
          perception: 1,
          error: { code: "DeadlinePassed", message: "it was asked, and gave no reading within 1000 ms" },
        })
        const skipped = yield* events("SensorSkipped")
        const because = { reason: "the deadline came before its turn", deadlineMs: 1000, perception: 1 }
        expect(skipped.map(({ payload }) => payload)).toEqual([
          { sensor: "senses/below", priority: 5, ...because },
          { sensor: "senses/last", priority: -1, ...because },
        ])
        const opened = (yield* events("TaskOpened"))[0]
        expect(skipped.map(({ causationId, taskId }) => [causationId, taskId])).toEqual([
          [opened?.id, task.id],
          [opened?.id, task.id],
        ])
        yield* seen(logged("cancelled"))
        const audit = yield* Effect.flatMap(Kernel, (kernel) => kernel.audit(task.id))
        expect(audit.sensing).toMatchObject({ reads: 1, failures: 1, skipped: 2 })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("a deadline of no time at all asks nothing and skips everything", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [senses] })
      yield* Effect.gen(function* () {
        const task = yield* Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "look" }))
        expect(yield* task.perceive({ deadlineMs: 0 })).toEqual([])
        const skipped = yield* events("SensorSkipped")
        expect(skipped.map(({ payload }) => payload.sensor)).toEqual([
          "senses/beside",
          "senses/slow",
          "senses/below",
          "senses/last",
        ])
        expect(yield* events("PluginStarted")).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("lets a plugin that is only starting go on, so that the next one finds it", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [senses] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.plugins.deactivate("senses/slow")
        const task = yield* kernel.tasks.open({ goal: "look" })
        const perceiving = yield* Effect.fork(task.perceive({ deadlineMs: 1 }))
        yield* TestClock.adjust("1 millis")
        expect(yield* Fiber.join(perceiving)).toEqual([])
        expect((yield* events("SensorFailed")).map(({ payload }) => payload.sensor)).toEqual(["senses/beside"])
        const readings = yield* task.perceive()
        expect(readings.map(({ reading }) => reading)).toEqual([1, 2, 3])
        expect(yield* events("PluginStarted")).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("a deadline that is no time is refused, and nothing is recorded", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [senses] })
      yield* Effect.gen(function* () {
        const task = yield* Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "look" }))
        const log = yield* EventLog
        const before = yield* log.head
        for (const deadlineMs of [-1, Number.NaN, 2 ** 31]) {
          const error = yield* Effect.flip(task.perceive({ deadlineMs }))
          expect(error.message).toContain(
            `deadlineMs: expected milliseconds, 0 or more and at most 2147483647, found ${deadlineMs}`,
          )
        }
        expect(yield* log.head).toEqual(before)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("is the agent's at each step, where its run has one", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [senses] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const saw: Array<unknown> = []
        const agent = {
          name: "hasty",
          version: "1",
          decide: ({ readings }: { readonly readings: unknown }) => {
            saw.push(readings)
            return { done: "achieved" } as const
          },
        }
        const running = yield* Effect.fork(kernel.tasks.run(agent, { goal: "look", deadlineMs: 250 }))
        yield* seen(logged("asked"))
        yield* seen(({ type }) => type === "SensorRead")
        yield* TestClock.adjust("250 millis")
        expect((yield* Fiber.join(running)).sensing).toMatchObject({ reads: 1, failures: 1, skipped: 2 })
        expect(saw).toEqual([{ "senses/beside": 1 }])
      }).pipe(Effect.provide(layer))
    }),
  )
})
