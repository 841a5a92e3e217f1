import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect, Fiber, Option, Stream } from "effect"
import { describe, expect } from "vitest"
import { CaughtUp, EventLog } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import * as Gate from "../../src/kernel/gate/Gate.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { TimeTravel } from "../../src/projections/timetravel/TimeTravel.ts"
import { shippedPlugin } from "../built.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"

const textRoom = shippedPlugin("plugins", "text-room")
const workspace = shippedPlugin("plugins", "workspace")
const stricter = inRepository("examples", "rubrics", "stricter.yaml")

/** As a program has it that says nothing of them. */
const STANDARD = { gate: Gate.standard, host: {} } as const

describe("a task in the text room", () => {
  it.scopedLive("is perceived, acted in, closed and audited", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, gate: { default: "allow" } })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.plugins.import(textRoom)
        const task = yield* kernel.tasks.open({ goal: "Retrieve the old document" })
        const readings = yield* task.perceive()
        expect(readings.map(({ sensor }) => sensor)).toEqual(["text-room/room", "text-room/inventory"])
        expect(readings[0]?.reading).toMatchObject({ room: "study" })

        const refused = yield* task.act("text-room/open", { target: "desk" })
        expect(refused).toMatchObject({ status: "failed", error: { code: "locked" } })
        const moved = yield* task.act("text-room/go", { direction: "north" })
        expect(moved).toMatchObject({ status: "succeeded", result: { room: "hallway" } })
        yield* task.close("achieved")
        expect((yield* Effect.flip(task.perceive())).message).toContain("is closed")

        const audit = yield* kernel.audit(task.id)
        expect(audit).toMatchObject({
          goal: "Retrieve the old document",
          outcome: "achieved",
          steps: 2,
          sensing: { reads: 2, failures: 0 },
          acting: { commanded: 2, succeeded: 1, failed: 1, denied: 0 },
        })
        // It claimed what is not so, and the world knows.
        const [live] = audit.scores
        expect(live).toMatchObject({ label: "live", earned: 0, lost: 1 })

        const log = yield* EventLog
        expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
        const state = yield* Effect.flatMap(Projector, (projector) => projector.current(EnvironmentState.projection))
        const world = state.tasks[task.id]?.environment["text-room"]
        expect(world).toMatchObject({ room: "hallway", steps: 2, refusals: 1 })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is won by an agent that knows the way, and everything can be asked afterwards", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const audit = yield* kernel.tasks.run(yield* agent("knows-the-way"), {
          goal: "Take the document",
          maxSteps: 20,
        })
        expect(audit).toMatchObject({ outcome: "achieved", agent: "knows-the-way@1.0.0", steps: 8 })
        expect(audit.scores[0]).toMatchObject({ earned: 1.8, lost: 0, unscored: [] })

        const travel = yield* TimeTravel
        const log = yield* EventLog
        const blamed = yield* travel.blame(`/tasks/${audit.taskId}/environment/text-room/inventory`)
        const chain = (yield* travel.why(blamed.event?.position ?? 0)).map((event) => event.type)
        expect(chain).toEqual([
          "EnvironmentChanged",
          "CommandSucceeded",
          "CommandDispatched",
          "CommandAllowed",
          "ActuatorCommanded",
          "DecisionMade",
          "SensorRead",
          "TaskOpened",
        ])

        const before = (yield* log.head).position
        const rubric = yield* Rubric.load(stricter)
        const scored = yield* kernel.rescore({ rubric })
        expect(scored.taskIds).toEqual([audit.taskId])
        const again = yield* kernel.audit(audit.taskId)
        expect(again.scores.map(({ label }) => label)).toEqual(["live", "stricter"])
        expect(again.scores[0]).toEqual(audit.scores[0])
        expect(yield* travel.stateAt(before)).toEqual(yield* travel.stateAt(`@${before}`))
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("goes the same way again with the same seed, and each task has its own world", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const log = yield* EventLog
        const wanderer = yield* agent("wanderer")
        const run = (seed: number) => kernel.tasks.run(wanderer, { goal: "wander", maxSteps: 12, seed })
        const audits = yield* Effect.all([run(1), run(1), run(2)], { concurrency: "unbounded" })
        const commands = yield* Effect.forEach(audits, ({ taskId }) =>
          Effect.map(log.readPage({ taskId, types: ["ActuatorCommanded"] }, 100), (events) =>
            events.map(({ payload }) => [payload.actuator, payload.args]),
          ),
        )
        expect(commands[0]).toHaveLength(12)
        expect(commands[1]).toEqual(commands[0])
        expect(commands[2]).not.toEqual(commands[0])
        expect(audits.map(({ outcome }) => outcome)).toEqual(["truncated", "truncated", "truncated"])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("a task with a scenario that names a room that is not there is refused, and closed as failed", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const broken = {
          scenario_name: "broken",
          environment_type: "TextBasedRoom",
          version: "1.0",
          description: "A room with a door to nowhere.",
          initial_state: {
            rooms: { study: { description: "a study", exits: { north: "hallway" }, objects: [] } },
            object_details: {},
            agent_setup: { agent_id: "a", start_room: "study", initial_inventory: [] },
          },
          win_conditions: [],
          lose_conditions: [],
        }
        const error = yield* Effect.flip(kernel.tasks.open({ goal: "g", environment: { "text-room": broken } }))
        expect(error.message).toContain("The environment of text-room could not be set up: bad-scenario")
        expect(error.message).toContain("hallway")
        const log = yield* EventLog
        const [closed] = yield* log.readPage({ types: ["TaskClosed"] }, 1)
        expect(closed?.payload).toMatchObject({ outcome: "failed" })
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("the gate of a kernel", () => {
  const write = { path: "note.txt", content: "hello" }

  it.scopedLive("asks a person, who may answer through another process's connection to the log", () =>
    Effect.gen(function* () {
      const { log, directory, layer } = yield* testKernel({ ...STANDARD, plugins: [workspace] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "leave a note" })
        const outcome = yield* Effect.fork(task.act("workspace/write_file", write))
        const confirmationId = yield* firstRequest
        yield* Effect.flatMap(Confirmations, (confirmations) =>
          confirmations.decide(confirmationId, { approved: true, by: "ada", channel: "cli" }),
        ).pipe(Effect.provide(Hindcast.layerLog({ log, workspace: directory })))
        expect(yield* Fiber.join(outcome)).toMatchObject({ status: "succeeded", result: { bytes: 5 } })
        yield* task.close("achieved")
        expect((yield* kernel.audit(task.id)).confirming).toMatchObject({ requested: 1, approved: 1, expired: 0 })
        const late = yield* Effect.flip(
          kernel.confirmations.decide(confirmationId, { approved: false, by: "bob", channel: "cli" }),
        )
        expect(late.message).toContain("found one that ada approved at @")
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("does not execute what a person rejects, or what nobody answers in time", () =>
    Effect.gen(function* () {
      const { directory, layer } = yield* testKernel({
        ...STANDARD,
        plugins: [workspace],
        gate: { rules: [{ name: "ask", decision: "confirm" }], confirmWithinMs: 300 },
      })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "leave a note" })
        const asked = yield* Effect.fork(task.act("workspace/write_file", write))
        const id = yield* firstRequest
        yield* kernel.confirmations.decide(id, { approved: false, by: "ada", channel: "program", reason: "not today" })
        expect(yield* Fiber.join(asked)).toMatchObject({ status: "denied", rule: "ask", reason: "not today" })
        expect(yield* task.act("workspace/write_file", write)).toMatchObject({
          status: "expired",
          reason: "nobody decided in time",
        })
        const files = yield* task.perceive()
        expect(JSON.stringify(files)).not.toContain("note.txt")
        expect(directory).not.toBe("")
        const log = yield* EventLog
        expect(yield* log.readPage({ types: ["CommandDispatched"] }, 10)).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("does not execute what still waited for a person when its task was closed", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [workspace] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "leave a note" })
        const asked = yield* Effect.fork(task.act("workspace/write_file", write))
        const id = yield* firstRequest
        yield* task.close("abandoned")
        expect((yield* Effect.flip(Fiber.join(asked)))._tag).toBe("TaskClosed")
        const late = yield* Effect.flip(kernel.confirmations.decide(id, { approved: true, by: "ada", channel: "cli" }))
        expect(late.message).toContain("found one that was withdrawn")
        const log = yield* EventLog
        const types = (yield* log.readPage({ taskId: task.id }, 100)).map(({ type }) => type)
        expect(types.slice(types.indexOf("ConfirmationRequested"))).toEqual([
          "ConfirmationRequested",
          "ConfirmationWithdrawn",
          "CommandDenied",
          "TaskClosed",
          "ScoringStarted",
          "ScoringFinished",
        ])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("executes what was shown and approved, also when the caller changes its arguments meanwhile", () =>
    Effect.gen(function* () {
      const { directory, layer } = yield* testKernel({ ...STANDARD, plugins: [workspace] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "leave a note" })
        const args = { path: "harmless.txt", content: "hello" }
        const asked = yield* Effect.fork(task.act("workspace/write_file", args))
        const id = yield* firstRequest
        args.path = "harmful.txt"
        yield* kernel.confirmations.decide(id, { approved: true, by: "ada", channel: "program" })
        expect(yield* Fiber.join(asked)).toMatchObject({ status: "succeeded", args: { path: "harmless.txt" } })
        expect(fs.readdirSync(directory)).toContain("harmless.txt")
        expect(fs.readdirSync(directory)).not.toContain("harmful.txt")
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("does not execute an approved command whose actuator was deactivated meanwhile", () =>
    Effect.gen(function* () {
      const { directory, layer } = yield* testKernel({ ...STANDARD, plugins: [workspace] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "leave a note" })
        const asked = yield* Effect.fork(task.act("workspace/write_file", write))
        const id = yield* firstRequest
        yield* kernel.plugins.deactivate("workspace/write_file")
        yield* kernel.confirmations.decide(id, { approved: true, by: "ada", channel: "program" })
        expect(yield* Fiber.join(asked)).toMatchObject({
          status: "denied",
          reason: "its actuator was deactivated or updated meanwhile",
        })
        expect(fs.readdirSync(directory)).not.toContain("note.txt")
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("says in the log how a command ended that its caller no longer waits for", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [workspace] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "leave a note" })
        const asked = yield* Effect.fork(task.act("workspace/write_file", write))
        yield* firstRequest
        yield* Fiber.interrupt(asked)
        const log = yield* EventLog
        const types = (yield* log.readPage({ taskId: task.id }, 100)).map(({ type }) => type)
        expect(types.slice(-3)).toEqual(["ConfirmationRequested", "ConfirmationWithdrawn", "CommandDenied"])
        expect(yield* kernel.confirmations.pending).toEqual({})
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("refuses a command to an actuator that is not active, and says which are", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom], gate: { default: "allow" } })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.plugins.deactivate("text-room/go")
        const task = yield* kernel.tasks.open({ goal: "g" })
        const outcome = yield* task.act("text-room/go", { direction: "north" })
        expect(outcome).toMatchObject({ status: "denied", rule: "active-actuators" })
        expect(outcome.status === "denied" && outcome.reason).toContain("text-room/take")
        yield* kernel.plugins.activate("text-room/go")
        expect(yield* task.act("text-room/go", { direction: "north" })).toMatchObject({ status: "succeeded" })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("refuses arguments that are not JSON, with the path, and records nothing", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom], gate: { default: "allow" } })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "g" })
        const log = yield* EventLog
        const before = yield* log.head
        // What a caller without types could hand in.
        const wrong = { target: { when: new Date(0) } } as never
        const error = yield* Effect.flip(task.act("text-room/open", wrong))
        expect(error.message).toContain("found an instance of Date at /target/when")
        expect((yield* Effect.flip(task.act("text-room/open", ["desk"] as never))).message).toContain(
          "found a list at /",
        )
        const hostile = {
          get target(): string {
            throw new Error("no")
          },
        }
        let asked = 0
        const changing = {
          get target(): unknown {
            return asked++ === 0 ? "desk" : new Date(0)
          },
        }
        for (const [args, found] of [
          [new Proxy({ target: "desk" }, {}), "found a proxy at /."],
          [{ target: { "a/b": [new Proxy([], {})] } }, "found a proxy at /target/a~1b/0."],
          [hostile, "found a value that throws when it is read (no) at /."],
          [changing, "found an instance of Date at /target."],
        ] as const) {
          const error = yield* Effect.flip(task.act("text-room/open", args as never))
          expect(error._tag).toBe("InvalidCommand")
          expect(error.message).toContain(found)
        }
        expect(yield* log.head).toEqual(before)
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("a kernel", () => {
  it.scopedLive("is one at a time on a log", () =>
    Effect.gen(function* () {
      const { log, directory, layer } = yield* testKernel({ ...STANDARD, owner: "first" })
      yield* Effect.gen(function* () {
        yield* Kernel
        const second = Kernel.pipe(
          Effect.provide(Hindcast.layer({ log, workspace: directory, owner: "second" })),
          Effect.flip,
        )
        expect((yield* second).message).toContain('expected no running kernel, found "first"')
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("reads sensors by priority, and takes a change up at the next turn", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "g" })
        const order = Effect.map(task.perceive(), (readings) => readings.map(({ sensor }) => sensor))
        expect(yield* order).toEqual(["text-room/room", "text-room/inventory"])
        yield* kernel.plugins.setPriority("text-room/inventory", 99)
        expect(yield* order).toEqual(["text-room/inventory", "text-room/room"])
        yield* kernel.plugins.deactivate("text-room/room")
        expect(yield* order).toEqual(["text-room/inventory"])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("a kernel that closes abandons its open tasks and stops its plugins", () =>
    Effect.gen(function* () {
      const { log, directory, layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom] })
      yield* Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "g" })).pipe(Effect.provide(layer))
      const types = yield* Effect.flatMap(EventLog, (events) => events.readPage({}, 1000)).pipe(
        Effect.map((events) => events.map(({ type }) => type)),
        Effect.provide(Hindcast.layerLog({ log, workspace: directory })),
      )
      expect(types.filter((type) => type.startsWith("Plugin"))).toEqual([
        "PluginImported",
        "PluginActivated",
        "PluginStarted",
        "PluginExited",
      ])
      expect(types.indexOf("TaskClosed")).toBeGreaterThan(0)
      expect(types.at(-1)).toBe("KernelStopped")
    }),
  )

  it.scopedLive("lets an agent perceive and act by itself", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const steps = ["north", "south"]
        const walker = Agent.fromAdvance({
          name: "walker",
          version: "1",
          advance: (task) =>
            Effect.gen(function* () {
              yield* task.perceive()
              const direction = steps.shift()
              if (direction === undefined) return false
              yield* task.act("text-room/go", { direction })
              return true
            }),
        })
        const audit = yield* kernel.tasks.run(walker, { goal: "walk" })
        expect(audit).toMatchObject({ outcome: "achieved", steps: 2, sensing: { reads: 6 } })
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("closes a task as failed when its agent throws or chooses nothing that can be chosen", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ ...STANDARD, plugins: [textRoom] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const failing = (decide: Agent.DecidingAgent["decide"]) =>
          Effect.flip(kernel.tasks.run({ name: "bad", version: "1", decide }, { goal: "g" }))
        const thrown = yield* failing(() => {
          throw new Error("no idea")
        })
        expect(thrown.message).toBe("Agent bad@1 failed: no idea")
        expect((yield* failing(() => ({ jump: 1 }) as never)).message).toContain("expected a choice { act:")
        const stuck = (advance: () => unknown) =>
          Effect.flip(kernel.tasks.run({ name: "bad", version: "1", advance: advance as never }, { goal: "g" }))
        const promised = yield* stuck(() => Promise.reject(new Error("later")))
        expect(promised.message).toContain("advance: expected an Effect, found a promise")
        expect((yield* stuck(() => undefined)).message).toContain("advance: expected an Effect, found undefined")
        const threw = yield* stuck(() => {
          throw new Error("no step")
        })
        expect(threw.message).toBe("Agent bad@1 failed: no step")
        const log = yield* EventLog
        const outcomes = (yield* log.readPage({ types: ["TaskClosed"] }, 10)).map(({ payload }) => payload.outcome)
        expect(outcomes).toEqual(Array.from({ length: 5 }, () => "failed"))
      }).pipe(Effect.provide(layer))
    }),
  )
})

/** An agent of the examples. */
const agent = (name: string): Effect.Effect<Agent.Agent, Agent.NotAnAgent> =>
  Effect.promise(() => import(new URL(`../../examples/agents/${name}.mjs`, import.meta.url).href)).pipe(
    Effect.flatMap((module: { readonly default?: unknown }) => Agent.fromUnknown(name, module.default)),
  )

/** The id of the first confirmation that is asked for from now on. */
const firstRequest = Effect.gen(function* () {
  const log = yield* EventLog
  const found = yield* log.follow({ types: ["ConfirmationRequested"] }).pipe(
    Stream.filter((item) => !(item instanceof CaughtUp)),
    Stream.runHead,
  )
  return Option.match(found, {
    onNone: () => "",
    onSome: (event) => (event instanceof CaughtUp ? "" : String(event.payload.confirmationId)),
  })
})
