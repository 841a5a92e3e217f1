import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Schedule } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as Kernel from "../../src/kernel/Kernel.ts"
import * as Registry from "../../src/kernel/registry/Registry.ts"
import { program } from "../built.ts"
import * as Killable from "../killable.ts"
import { temporaryDirectory } from "../temporary.ts"
import { type Sample, writePlugin } from "./given.ts"
import { loseLease, silence } from "./lostLease.ts"
import { testKernel } from "./testKernel.ts"

const lamp: Sample = {
  name: "lamp",
  actuators: [{ name: "light" }],
  entry: `export default { actuators: { light: (ctx) => { ctx.log("lit"); return "lit" } } }`,
}

/** A kernel that stops where it is about to append an event of some type, and goes on when it is told to. */
const kernelThatStopsAt = (type: CoreNewEvent["type"], directory: string) =>
  Effect.gen(function* () {
    const stopped = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const stopping = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => ({
        ...log,
        append: (request) =>
          request.events.some((event) => event.type === type)
            ? Deferred.succeed(stopped, undefined).pipe(
                Effect.zipRight(Deferred.await(goOn)),
                Effect.zipRight(log.append(request)),
              )
            : log.append(request),
      })),
    )
    return {
      ...(yield* testKernel({ directory, between: stopping })),
      stopped: Deferred.await(stopped),
      goOn: Deferred.succeed(goOn, undefined),
    }
  })

const commandEvents = Effect.flatMap(EventLog, (log) =>
  log.readPage(
    {
      types: [
        "CommandAllowed",
        "CommandDispatched",
        "CommandDenied",
        "CommandOutcomeUnknown",
        "CommandSucceeded",
        "TaskClosed",
      ],
    },
    100,
  ),
).pipe(Effect.map((events) => events.map(({ type }) => type)))

/** Opens a task and commands the lamp, as far as the kernel comes with it. */
const lighting = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  const task = yield* kernel.tasks.open({ goal: "light" })
  return { task, outcome: yield* Effect.forkDaemon(Effect.exit(task.act("lamp/light"))) }
})

// Time stands still here, so that no heartbeat keeps a lease alive.
describe("a kernel that was stopped right before a dispatch while another took over", () => {
  it.scoped("dispatches nothing when it goes on, and the log ends the command once", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const source = writePlugin(path.join(directory, "lamp"), lamp)
      const stale = yield* kernelThatStopsAt("CommandDispatched", directory)
      const first = yield* stale.start
      yield* first.run(Effect.flatMap(Registry.Registry, (registry) => registry.import(source)))
      const { task, outcome } = yield* first.run(lighting)
      yield* stale.stopped

      loseLease(path.join(directory, "log.db"))
      const second = yield* (yield* testKernel({ directory })).start
      const ended = ["CommandAllowed", "CommandDenied", "TaskClosed"]
      expect(yield* second.run(commandEvents)).toEqual(ended)

      yield* stale.goOn
      const exit = yield* Fiber.join(outcome)
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ _tag: "Fail", error: { _tag: "LeaseLost" } })
      expect(yield* second.run(commandEvents)).toEqual(ended)
      expect(yield* second.run(Effect.flatMap(EventLog, (log) => log.verify))).toMatchObject({ _tag: "Intact" })
      const lines = yield* second.run(Effect.flatMap(EventLog, (log) => log.readPage({ types: ["PluginLogged"] }, 1)))
      expect(lines).toEqual([])

      // What was abandoned is scored as any other task.
      const audit = yield* second.run(Effect.flatMap(Kernel.Kernel, (kernel) => kernel.audit(task.id)))
      expect(audit).toMatchObject({ outcome: "abandoned", scores: [{ label: "live", earned: 0.5 }] })
    }),
  )

  it.scoped("dispatches when it goes on after other events of its task, as long as nobody took over", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const source = writePlugin(path.join(directory, "lamp"), lamp)
      const stale = yield* kernelThatStopsAt("CommandDispatched", directory)
      const first = yield* stale.start
      yield* first.run(Effect.flatMap(Registry.Registry, (registry) => registry.import(source)))
      const { task, outcome } = yield* first.run(lighting)
      yield* stale.stopped
      // More than a conflict carries at once.
      yield* Effect.replicateEffect(task.say("still here"), 1100, { concurrency: "unbounded", discard: true })
      yield* stale.goOn
      const exit = yield* Fiber.join(outcome)
      expect(Exit.isSuccess(exit) && exit.value).toMatchObject({ status: "succeeded", result: "lit" })
      expect(yield* first.run(commandEvents)).toEqual(["CommandAllowed", "CommandDispatched", "CommandSucceeded"])
    }),
  )
})

const STALLING = program(import.meta.url, "stalling")

/** Whether a process was stopped by a signal: the third field of its `stat` says so. */
const isStopped = (pid: number): boolean => /^\d+ \(.*\) T/s.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))

describe("a kernel's process that is stopped by SIGSTOP", () => {
  for (const [type, ended] of [
    ["CommandDispatched", ["CommandAllowed", "CommandDenied", "TaskClosed"]],
    ["CommandSucceeded", ["CommandAllowed", "CommandDispatched", "CommandOutcomeUnknown", "TaskClosed"]],
  ] as const) {
    it.scopedLive(`right before ${type}: appends nothing when it goes on after another process took over`, () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const plugin = writePlugin(path.join(directory, "lamp"), lamp)
        const child = yield* Killable.start([STALLING], {
          input: JSON.stringify({ directory, plugin, actuator: "lamp/light", type }),
        })
        const said = Effect.map(child.ended, ({ stdout }) => stdout)
        const { pid } = child
        yield* Effect.repeat(
          Effect.sync(() => isStopped(pid)),
          { until: (stopped) => stopped, schedule: Schedule.spaced("5 millis") },
        )

        silence(path.join(directory, "log.db"))
        const second = yield* (yield* testKernel({ directory })).start
        expect(yield* second.run(commandEvents)).toEqual(ended)
        const before = yield* second.run(Effect.flatMap(EventLog, (log) => log.head))
        yield* child.signal("SIGCONT")
        // Besides what it logs.
        expect((yield* said).split("\n")).toContain("LeaseLost")
        expect(yield* second.run(Effect.flatMap(EventLog, (log) => log.head))).toEqual(before)
        expect(yield* second.run(commandEvents)).toEqual(ended)
        expect(yield* second.run(Effect.flatMap(EventLog, (log) => log.verify))).toMatchObject({ _tag: "Intact" })
      }),
    )
  }
})

describe("a kernel that takes over while the one before goes on", () => {
  it.scoped("looks again at what came into a task in the very moment in which it ended it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const source = writePlugin(path.join(directory, "lamp"), lamp)
      const stale = yield* kernelThatStopsAt("CommandDispatched", directory)
      const first = yield* stale.start
      yield* first.run(Effect.flatMap(Registry.Registry, (registry) => registry.import(source)))
      const { task, outcome } = yield* first.run(lighting)
      yield* stale.stopped

      loseLease(path.join(directory, "log.db"))
      const slow = yield* kernelThatStopsAt("TaskClosed", directory)
      const starting = yield* Effect.fork(slow.start)
      yield* slow.stopped
      // It has read what there is, and has not yet said how it ended. The first one is shut out already; one of Hindcast 0.2
      // would still get its dispatch in.
      yield* stale.goOn
      const exit = yield* Fiber.join(outcome)
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ _tag: "Fail", error: { _tag: "LeaseLost" } })
      yield* first.run(
        Effect.gen(function* () {
          const log = yield* EventLog
          const [commanded] = yield* log.readPage({ types: ["ActuatorCommanded"] }, 1)
          yield* log.append({
            stream: `task/${task.id}`,
            taskId: task.id,
            actor: "kernel",
            events: [{ type: "CommandDispatched", payload: { commandId: String(commanded?.payload.commandId) } }],
          })
        }),
      )
      yield* slow.goOn
      const second = yield* Fiber.join(starting)
      expect(yield* second.run(commandEvents)).toEqual([
        ...["CommandAllowed", "CommandDispatched", "CommandOutcomeUnknown", "TaskClosed"],
      ])
    }),
  )

  it.scoped("says of a command under way that its outcome is unknown, and that is its last word", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const source = writePlugin(path.join(directory, "lamp"), lamp)
      const stale = yield* kernelThatStopsAt("CommandSucceeded", directory)
      const first = yield* stale.start
      yield* first.run(Effect.flatMap(Registry.Registry, (registry) => registry.import(source)))
      const { outcome } = yield* first.run(lighting)
      yield* stale.stopped

      loseLease(path.join(directory, "log.db"))
      const second = yield* (yield* testKernel({ directory })).start
      const ended = ["CommandAllowed", "CommandDispatched", "CommandOutcomeUnknown", "TaskClosed"]
      expect(yield* second.run(commandEvents)).toEqual(ended)
      yield* stale.goOn
      const exit = yield* Fiber.join(outcome)
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ _tag: "Fail", error: { _tag: "LeaseLost" } })
      expect(yield* second.run(commandEvents)).toEqual(ended)
    }),
  )
})
