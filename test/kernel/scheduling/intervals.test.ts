import { it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { about, events, logged, type Sample, seen } from "../given.ts"
import { testKernel } from "../testKernel.ts"

const pulse: Sample = {
  name: "body",
  sensors: [{ name: "pulse", interval: 1000, priority: 3 }, { name: "mood" }],
  entry: `
    let beats = 0
    export default { sensors: { pulse: () => ++beats, mood: () => "calm" } }`,
}

/** Its sensor answers when its actuator says so, and tells how often it was asked, and how often at the same time. */
const slow: Sample = {
  name: "slow",
  sensors: [{ name: "gate", interval: 100 }],
  actuators: [{ name: "open" }],
  entry: `
    const waiting = []
    let asked = 0
    let most = 0
    export default {
      sensors: {
        gate: (ctx) => {
          ctx.log("asked " + ++asked)
          return new Promise((resolve) => {
            waiting.push(() => resolve({ asked, most }))
            most = Math.max(most, waiting.length)
          })
        },
      },
      actuators: {
        open: () => {
          for (const answer of waiting.splice(0)) answer()
          return null
        },
      },
    }`,
}

const open = Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "live" }))
const readings = Effect.map(events("SensorRead"), (read) =>
  read.map(({ payload }) => [payload.sensor, payload.reading]),
)

describe("a sensor with an interval", () => {
  it.scoped("is read on its own while the task is open, by its opening", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [pulse] })
      yield* Effect.gen(function* () {
        const task = yield* open
        for (const beat of [1, 2, 3]) {
          yield* TestClock.adjust("1 seconds")
          yield* seen(about("SensorRead", "body/pulse"), beat)
        }
        const [opened] = yield* events("TaskOpened")
        const read = yield* events("SensorRead")
        expect(read.map(({ payload }) => [payload.sensor, payload.reading, payload.priority])).toEqual([
          ["body/pulse", 1, 3],
          ["body/pulse", 2, 3],
          ["body/pulse", 3, 3],
        ])
        expect(new Set(read.map(({ causationId }) => causationId))).toEqual(new Set([opened?.id]))
        expect(new Set(read.map(({ taskId }) => taskId))).toEqual(new Set([task.id]))
        // It answers whoever asks, with what is so now.
        expect((yield* task.perceive()).map(({ sensor, reading }) => [sensor, reading])).toEqual([
          ["body/pulse", 4],
          ["body/mood", "calm"],
        ])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("stops with the task", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [pulse] })
      yield* Effect.gen(function* () {
        const task = yield* open
        yield* TestClock.adjust("1 seconds")
        yield* seen(about("SensorRead", "body/pulse"))
        yield* task.close("achieved")
        const log = yield* EventLog
        const { position } = yield* log.head
        yield* TestClock.adjust("1 minutes")
        // The same process serves this one, and is asked after whatever it may have been asked before.
        const next = yield* open
        yield* next.perceive()
        const after = yield* log.readPage({ after: position, types: ["SensorRead"] }, 100)
        expect(after.map(({ taskId, payload }) => [taskId, payload.reading])).toEqual([
          [next.id, 2],
          [next.id, "calm"],
        ])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("never has two readings under way, and what passes meanwhile comes to the next tick", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [slow] })
      yield* Effect.gen(function* () {
        const task = yield* open
        yield* TestClock.adjust("100 millis")
        yield* seen(logged("asked 1"))
        yield* TestClock.adjust("950 millis")
        yield* task.act("slow/open")
        yield* seen(about("SensorRead", "slow/gate"), 1)
        // Ten ticks have passed. The next one is at 1,100.
        yield* TestClock.adjust("49 millis")
        yield* task.act("slow/open")
        expect(yield* readings).toEqual([["slow/gate", { asked: 1, most: 1 }]])
        yield* TestClock.adjust("1 millis")
        yield* seen(logged("asked 2"))
        // Who perceives waits for the reading that is under way, and then has one that is newer than its question.
        const perceiving = yield* Effect.fork(task.perceive())
        yield* task.act("slow/open")
        yield* seen(logged("asked 3"))
        yield* task.act("slow/open")
        expect((yield* Fiber.join(perceiving)).map(({ reading }) => reading)).toEqual([{ asked: 3, most: 1 }])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("is skipped by a deadline that comes while its reading is still under way", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [slow] })
      yield* Effect.gen(function* () {
        const task = yield* open
        yield* TestClock.adjust("100 millis")
        yield* seen(logged("asked 1"))
        const perceiving = yield* Effect.fork(task.perceive({ deadlineMs: 20 }))
        yield* TestClock.adjust("20 millis")
        expect(yield* Fiber.join(perceiving)).toEqual([])
        expect((yield* events("SensorSkipped")).map(({ payload }) => payload.sensor)).toEqual(["slow/gate"])
        // The reading under way is nobody else's to cancel.
        yield* task.act("slow/open")
        yield* seen(about("SensorRead", "slow/gate"))
        expect(yield* readings).toEqual([["slow/gate", { asked: 1, most: 1 }]])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped("is not read at a tick at which it is not active, and has its priority of that moment", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [pulse] })
      yield* Effect.gen(function* () {
        const { plugins } = yield* Kernel
        yield* open
        yield* plugins.deactivate("body/pulse")
        yield* TestClock.adjust("5 seconds")
        yield* plugins.activate("body/pulse")
        yield* plugins.setPriority("body/pulse", 9)
        yield* TestClock.adjust("1 seconds")
        yield* seen(about("SensorRead", "body/pulse"))
        const read = yield* events("SensorRead")
        expect(read.map(({ payload }) => [payload.reading, payload.priority])).toEqual([[1, 9]])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scoped(
    "a sensor with an interval that fails is asked again at its next tick; one whose world is gone is not",
    () =>
      Effect.gen(function* () {
        const moody: Sample = {
          name: "moody",
          sensors: [{ name: "pulse", interval: 1000 }],
          actuators: [{ name: "leave" }],
          instance: "task",
          entry: `
          let asked = 0
          export default {
            sensors: { pulse: () => { if (++asked === 1) throw new Error("not now"); return asked } },
            actuators: { leave: () => { Deno.exit(3) } },
          }`,
        }
        const { layer } = yield* testKernel({ plugins: [moody] })
        yield* Effect.gen(function* () {
          const task = yield* open
          yield* TestClock.adjust("1 seconds")
          yield* seen(about("SensorFailed", "moody/pulse"))
          yield* TestClock.adjust("1 seconds")
          yield* seen(about("SensorRead", "moody/pulse"))
          yield* task.act("moody/leave")
          yield* TestClock.adjust("1 seconds")
          yield* seen(about("SensorFailed", "moody/pulse"), 2)
          yield* TestClock.adjust("10 seconds")
          yield* task.close("failed")
          const failures = yield* events("SensorFailed")
          expect(failures.map(({ payload }) => payload.error)).toMatchObject([
            { code: "Error", message: "not now" },
            { code: "WorldLost" },
          ])
        }).pipe(Effect.provide(layer))
      }),
  )
})
