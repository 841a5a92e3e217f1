import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import type { Task } from "../../../src/kernel/tasks/Task.ts"
import { about, events, type Sample, seen } from "../given.ts"
import { testKernel } from "../testKernel.ts"

/**
 * Its actuator `hold` ends when the sensor `letGo` is read: sensors do not wait for commands. It may be read before `hold` is
 * called: that a command is dispatched is known before its plugin is told.
 */
const desk = (options: Partial<Sample> = {}): Sample => ({
  name: "desk",
  sensors: [{ name: "letGo" }],
  actuators: [{ name: "hold" }, { name: "low", priority: 1 }, { name: "high", priority: 5 }],
  entry: `
    let letGo
    const free = new Promise((resolve) => { letGo = () => resolve(null) })
    let underWay = 0
    const counted = async (work) => { underWay++; try { return await work() } finally { underWay-- } }
    export default {
      sensors: { letGo: () => { letGo(); return null } },
      actuators: {
        hold: () => counted(() => free),
        low: () => counted(() => underWay),
        high: () => counted(() => underWay),
      },
      environment: ${options.environment === true ? "{ reset: () => undefined, state: () => ({}) }" : "undefined"},
    }`,
  ...options,
})

const open = Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "write" }))

/** Commands an actuator, and waits until the gate has let it pass: it has its turn, or stands in the queue. */
const command = (task: Task, actuator: string, note: string, count: number) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(task.act(`desk/${actuator}`, { note }))
    yield* seen(about("CommandAllowed"), count)
    return fiber
  })

/** What was dispatched, in this order: the notes of the commands. */
const dispatched = Effect.gen(function* () {
  const commanded = yield* events("ActuatorCommanded")
  return (yield* events("CommandDispatched")).map(({ payload }) => {
    const found = commanded.find((event) => event.payload.commandId === payload.commandId)
    return JSON.parse(JSON.stringify(found?.payload.args)).note
  })
})

describe("commands to one plugin", () => {
  it.scopedLive("take turns by priority, equals in the order in which they came", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [desk()] })
      yield* Effect.gen(function* () {
        const task = yield* open
        const held = yield* command(task, "hold", "first", 1)
        yield* seen(about("CommandDispatched"))
        const others = [
          yield* command(task, "low", "low", 2),
          yield* command(task, "high", "high", 3),
          yield* command(task, "high", "high, later", 4),
        ]
        yield* task.perceive()
        yield* Fiber.join(held)
        const outcomes = yield* Effect.forEach(others, Fiber.join)
        // Each was alone under way.
        expect(outcomes).toMatchObject([{ result: 1 }, { result: 1 }, { result: 1 }])
        expect(yield* dispatched).toEqual(["first", "high", "high, later", "low"])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("take up a priority that was changed while they waited", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [desk()] })
      yield* Effect.gen(function* () {
        const { plugins } = yield* Kernel
        const task = yield* open
        const held = yield* command(task, "hold", "first", 1)
        yield* seen(about("CommandDispatched"))
        const others = [yield* command(task, "high", "high", 2), yield* command(task, "low", "low", 3)]
        yield* plugins.setPriority("desk/low", 50)
        yield* task.perceive()
        yield* Effect.forEach([held, ...others], Fiber.join)
        expect(yield* dispatched).toEqual(["first", "low", "high"])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("are denied where their actuator was deactivated while they waited", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [desk()] })
      yield* Effect.gen(function* () {
        const { plugins } = yield* Kernel
        const task = yield* open
        const held = yield* command(task, "hold", "first", 1)
        yield* seen(about("CommandDispatched"))
        const waiting = yield* command(task, "low", "low", 2)
        yield* plugins.deactivate("desk/low")
        yield* task.perceive()
        yield* Fiber.join(held)
        expect(yield* Fiber.join(waiting)).toMatchObject({ status: "denied", rule: "active-actuators" })
        expect(yield* dispatched).toEqual(["first"])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("are under way together where it says that it is concurrent", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [desk({ concurrent: true })] })
      yield* Effect.gen(function* () {
        const task = yield* open
        const held = yield* command(task, "hold", "first", 1)
        yield* seen(about("CommandDispatched"))
        expect(yield* task.act("desk/low", {})).toMatchObject({ status: "succeeded", result: 2 })
        yield* task.perceive()
        yield* Fiber.join(held)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("commands of one task do not wait for those of another with a world of its own", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [desk({ environment: true })] })
      yield* Effect.gen(function* () {
        const one = yield* open
        const other = yield* open
        const held = yield* command(one, "hold", "first", 1)
        yield* seen(about("CommandDispatched"))
        expect(yield* other.act("desk/low", {})).toMatchObject({ status: "succeeded", result: 1 })
        yield* one.perceive()
        yield* Fiber.join(held)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("commands that are interrupted while they wait are denied, and hold nobody up", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [desk()] })
      yield* Effect.gen(function* () {
        const task = yield* open
        const held = yield* command(task, "hold", "first", 1)
        yield* seen(about("CommandDispatched"))
        const gone = yield* command(task, "high", "gone", 2)
        const waiting = yield* command(task, "low", "low", 3)
        yield* Fiber.interrupt(gone)
        yield* task.perceive()
        yield* Fiber.join(held)
        expect(yield* Fiber.join(waiting)).toMatchObject({ status: "succeeded", result: 1 })
        expect((yield* events("CommandDenied")).map(({ payload }) => payload.rule)).toEqual(["interrupted"])
        expect(yield* dispatched).toEqual(["first", "low"])
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("a plugin that is imported while a task is open", () => {
  it.scopedLive("takes part in the tasks that are opened afterwards, and not in this one", () =>
    Effect.gen(function* () {
      const { layer, plugins } = yield* testKernel({ plugins: [desk()] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.plugins.remove("desk")
        const before = yield* open
        yield* kernel.plugins.import(plugins[0] ?? "")
        expect(yield* before.perceive()).toEqual([])
        expect(yield* before.act("desk/low")).toMatchObject({ status: "denied", rule: "active-actuators" })
        const after = yield* open
        expect((yield* after.perceive()).map(({ sensor }) => sensor)).toEqual(["desk/letGo"])
      }).pipe(Effect.provide(layer))
    }),
  )
})
