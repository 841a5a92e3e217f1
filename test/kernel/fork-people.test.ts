import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { EventLog, MAIN } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as ForkedTasks from "../../src/projections/state/ForkedTasks.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { Database } from "../sqlite.ts"
import { trusted } from "../trusted.ts"
import { about, events, type Sample, seen } from "./given.ts"
import { loseLease } from "./lostLease.ts"
import { testKernel } from "./testKernel.ts"

/** Paints, if a person lets it; its world is in its process, and can be told but not put back. */
const painter: Sample = {
  name: "painter",
  environment: true,
  sensors: [{ name: "wall" }],
  actuators: [{ name: "paint" }],
  entry: `
    let wall = "white"
    export default {
      sensors: { wall: () => wall },
      actuators: { paint: (ctx, { colour }) => { wall = colour; return wall } },
      environment: { reset: () => { wall = "white" }, state: () => ({ wall }) },
    }`,
}

/** Keeps no world of its own: what it writes down stays written. */
const scribe: Sample = {
  name: "scribe",
  actuators: [{ name: "write" }],
  entry: `let lines = 0; export default { actuators: { write: () => ++lines } }`,
}

/** One process for all tasks, which pushes what it hears. */
const bell: Sample = {
  name: "bell",
  sensors: [{ name: "sound" }],
  actuators: [{ name: "ring" }],
  entry: `
    export default {
      sensors: { sound: () => "silence" },
      actuators: { ring: async (ctx) => { await ctx.emit("sound", "ding"); return null } },
    }`,
}

const asking = { default: "confirm", confirmWithinMs: 60_000 } as const

const paints = (...colours: ReadonlyArray<string>): Agent.DecidingAgent => ({
  name: "painting",
  version: "1",
  decide: ({ step }) => {
    const colour = colours[step]
    return colour === undefined ? { done: "achieved" } : { act: "painter/paint", args: { colour } }
  },
})

/** Approves the nth question of the log, as another process would. */
const approving = (count: number) =>
  Effect.gen(function* () {
    const asked = yield* seen(about("ConfirmationRequested"), count)
    const confirmations = yield* Confirmations
    const id = String(asked.payload.confirmationId)
    const waiting = (yield* confirmations.pending)[id]
    yield* confirmations.decide(id, { approved: true, by: "ada", channel: "program" })
    return { asked, waiting }
  })

describe("a question to a person", () => {
  it.scopedLive("is asked anew in a fork, whoever answered it before, and answered there from outside", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [painter], gate: asking })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const first = yield* Effect.fork(approving(1))
        const { taskId } = yield* kernel.tasks.run(paints("red"), { goal: "paint" })
        const { asked } = yield* Fiber.join(first)
        const second = yield* Effect.fork(approving(2))
        // After the question, and before its answer.
        const forked = yield* kernel.fork(paints("red"), { at: asked.position })
        const { waiting } = yield* Fiber.join(second)
        expect(waiting).toMatchObject({ timeline: "fork-1", taskId, shown: { args: { colour: "red" } } })
        expect(forked.audit).toMatchObject({
          outcome: "achieved",
          acting: { commanded: 1, succeeded: 1, denied: 0 },
          confirming: { requested: 2, approved: 1 },
        })
        const log = yield* EventLog
        const told = yield* log.readPage({ timeline: "fork-1", taskId }, 100)
        expect(told[1]).toMatchObject({
          type: "ConfirmationWithdrawn",
          payload: { reason: "the task was forked before that" },
        })
        // The command goes on, with another question.
        expect(told.map(({ type }) => type)).not.toContain("ActuatorCommanded")
        // The original is as it was: approved once, and done.
        expect(yield* kernel.audit(taskId)).toMatchObject({
          timeline: MAIN,
          outcome: "achieved",
          confirming: { requested: 1, approved: 1 },
        })
        expect(yield* (yield* Confirmations).pending).toEqual({})
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("a world that cannot be brought back", () => {
  it.scopedLive("is refused, unless nothing was done in it by then or it is accepted as it is", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [painter] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const { taskId } = yield* kernel.tasks.run(paints("red", "blue"), { goal: "paint" })
        const [first, second] = yield* events("DecisionMade")
        const at = (event = first) => Number(event?.position) - 1
        const untouched = yield* kernel.fork(paints("green"), { at: at() })
        expect(untouched.worlds).toMatchObject([{ by: "reset", checked: { document: true } }])
        const refusal = yield* Effect.flip(kernel.fork(paints("red", "green"), { at: at(second) }))
        expect(refusal).toMatchObject({ _tag: "WorldNotRewound", plugin: "painter" })
        expect(refusal.message).toContain("expected a manifest whose rewind has a way, found none")
        const accepted = yield* kernel.fork(paints("red", "green"), { at: at(second), acceptUnrewound: true })
        expect(accepted.worlds).toMatchObject([{ by: "nothing", reason: expect.stringContaining("rewind") }])
        const forks = yield* ForkedTasks.list
        expect(forks.map(({ timeline, task }) => [timeline, task.outcome])).toEqual([
          ["fork-1", "achieved"],
          ["fork-2", "achieved"],
        ])
        // None of them is among the tasks of main.
        const tasks = yield* (yield* Projector).current(Tasks.projection)
        expect(Object.entries(tasks).map(([id, { outcome, steps }]) => [id, outcome, steps])).toEqual([
          [taskId, "achieved", 2],
        ])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("outside of any plugin is none to bring back until the task has commanded something there since", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [scribe] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const writes: Agent.DecidingAgent = {
          name: "writing",
          version: "1",
          decide: ({ step }) => (step < 2 ? { act: "scribe/write" } : { done: "achieved" }),
        }
        yield* kernel.tasks.run(writes, { goal: "write" })
        const [, second, third] = yield* events("DecisionMade")
        const refusal = yield* Effect.flip(kernel.fork(writes, { at: Number(second?.position) - 1 }))
        expect(refusal.message).toContain(
          "it keeps no world that could be put back, and the task commanded it once since",
        )
        const forked = yield* kernel.fork(writes, { at: Number(third?.position) - 1 })
        expect(forked.worlds).toMatchObject([{ plugin: "scribe", by: "nothing" }])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive(
    "a world that is not as it is said to be is found out: the fork is refused, and says where it differs",
    () =>
      Effect.gen(function* () {
        const { layer, plugins } = yield* testKernel({ plugins: [painter] })
        const declare = (rewind: ReadonlyArray<string>, entry: string) => {
          const file = path.join(String(plugins[0]), "looper-plugin.json")
          const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
          manifest.peas.environment.rewind = rewind
          fs.writeFileSync(file, JSON.stringify(manifest))
          fs.writeFileSync(path.join(String(plugins[0]), "main.ts"), entry)
        }
        const forgetful = (restore: string) =>
          painter.entry
            .replace("wall = colour;", "wall = colour + Math.random();")
            .replace("state: ()", `${restore} state: ()`)
        for (const [rewind, entry, what] of [
          ["snapshot", forgetful("restore: () => { wall = 'grey' },"), "its document differs"],
          ["snapshot", forgetful("restore: (_, __, state) => { wall = state.wall },"), undefined],
          ["re-execution", forgetful(""), "the outcome of painter/paint differs"],
        ] as const) {
          declare([rewind], entry)
          yield* Effect.gen(function* () {
            yield* (yield* Registry).import(String(plugins[0]))
            const kernel = yield* Kernel
            const { taskId } = yield* kernel.tasks.run(paints("red", "blue"), { goal: "paint" })
            const [, second] = yield* (yield* EventLog).readPage({ taskId, types: ["DecisionMade"] }, 10)
            const forking = kernel.fork(paints("red", "blue"), { at: Number(second?.position) - 1 })
            if (what === undefined) {
              expect((yield* forking).worlds).toMatchObject([
                { by: "snapshot", checked: { document: true, readings: 1 } },
              ])
            } else {
              const differs = yield* Effect.flip(forking)
              expect(differs).toMatchObject({ _tag: "WorldDiffers", plugin: "painter" })
              expect(differs.message).toContain(what)
              expect((yield* ForkedTasks.list).filter((forked) => forked.taskId === taskId)).toEqual([])
            }
          }).pipe(Effect.provide(layer))
        }
      }),
  )
})

describe("a command that was under way at the moment", () => {
  it.scopedLive("is neither done nor undone: it is said where the task can be forked instead", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [painter] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.tasks.run(paints("red"), { goal: "paint" })
        const [dispatched] = yield* events("CommandDispatched")
        const [commanded] = yield* events("ActuatorCommanded")
        const [changed] = yield* events("EnvironmentChanged")
        const refusal = yield* Effect.flip(kernel.fork(paints("red"), { at: Number(dispatched?.position) }))
        expect(refusal.message).toContain(
          `painter/paint was running, and it was unknown whether it took effect; fork it @${Number(commanded?.position) - 1}, before it, or @${changed?.position}, after it`,
        )
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("a kernel that dies in a fork", () => {
  it.scopedLive("leaves what the next one ends, scored, in that timeline alone", () =>
    Effect.gen(function* () {
      const { layer, log, directory } = yield* testKernel({ plugins: [painter], gate: asking })
      const copy = path.join(directory, "as-it-died.db")
      const done = yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const first = yield* Effect.fork(approving(1))
        const { taskId } = yield* kernel.tasks.run(paints("red"), { goal: "paint" })
        const { asked } = yield* Fiber.join(first)
        const started = yield* Deferred.make<void>()
        const forking = yield* Effect.fork(
          Effect.zipRight(Deferred.succeed(started, undefined), kernel.fork(paints("red"), { at: asked.position })),
        )
        yield* Deferred.await(started)
        yield* seen(about("ConfirmationRequested"), 2)
        // What a kernel that is killed in this moment leaves behind.
        const database = new Database(log)
        database.exec(`VACUUM INTO '${copy}'`)
        database.close()
        yield* Fiber.interrupt(forking)
        return taskId
      }).pipe(Effect.provide(layer))

      loseLease(copy)
      yield* trusted(copy)
      yield* Effect.gen(function* () {
        const [forked] = yield* ForkedTasks.list
        expect(forked?.task).toMatchObject({ outcome: "abandoned", reason: "its kernel ended" })
        expect(yield* (yield* Confirmations).pending).toEqual({})
        const eventLog = yield* EventLog
        const own = yield* eventLog.readPage({ timeline: "fork-1", taskId: done }, 100)
        const types = own.map(({ type }) => type)
        expect(types.slice(types.lastIndexOf("ConfirmationRequested") + 1)).toEqual([
          ...["ConfirmationWithdrawn", "CommandDenied", "TaskClosed"],
          ...["ScoringStarted", "RewardGiven", "ScoringFinished"],
        ])
        expect(yield* (yield* Kernel).audit(done)).toMatchObject({ outcome: "achieved", scores: [{ label: "live" }] })
        expect(yield* eventLog.verify).toMatchObject({ _tag: "Intact" })
      }).pipe(Effect.provide(Hindcast.layer({ log: copy, workspace: directory })))
    }),
  )
})

describe("an agent that perceives and acts by itself", () => {
  const painting = (colours: ReadonlyArray<string>) => {
    let step = 0
    return Agent.fromAdvance({
      name: "hand",
      version: "1",
      advance: (task) =>
        Effect.gen(function* () {
          yield* task.perceive()
          yield* task.act("painter/paint", { colour: String(colours[step]) })
          step += 1
          return step < colours.length
        }),
    })
  }

  it.scopedLive("is led to the moment in the middle of its step; one that does otherwise on the way is not", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [painter] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.tasks.run(painting(["red", "blue", "green"]), { goal: "paint" })
        const commands = yield* events("ActuatorCommanded")
        const at = Number(commands[1]?.position) - 1
        const forked = yield* kernel.fork(painting(["red", "black"]), { at, acceptUnrewound: true })
        expect(forked.audit).toMatchObject({ outcome: "achieved", steps: 2, sensing: { reads: 2 } })
        const error = yield* Effect.flip(kernel.fork(painting(["pink"]), { at, acceptUnrewound: true }))
        expect(error).toMatchObject({
          _tag: "AgentDiverged",
          divergence: { kind: "another-command", path: "/args/colour", position: commands[0]?.position },
        })
        const later = Number(commands[2]?.position) - 1
        const early = yield* Effect.flip(kernel.fork(painting(["red"]), { at: later, acceptUnrewound: true }))
        expect(early).toMatchObject({
          _tag: "AgentDiverged",
          divergence: { kind: "done-earlier", expected: { perceive: true }, found: { done: "achieved" } },
        })
        const fresh = yield* kernel.fork(painting(["pink"]), { at, acceptUnrewound: true, fresh: true })
        expect(fresh.audit).toMatchObject({ outcome: "achieved", steps: 2 })
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("what a plugin pushes for all tasks", () => {
  it.scopedLive("is recorded in a live fork, and not where what was recorded answers", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [bell] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const { taskId } = yield* kernel.tasks.run(paints(), { goal: "listen" })
        const [decided] = yield* events("DecisionMade")
        const other = yield* kernel.tasks.open({ goal: "ring" })
        const ringing: Agent.DecidingAgent = {
          name: "ringing",
          version: "1",
          decide: () => Effect.as(other.act("bell/ring"), { done: "achieved" } as const),
        }
        const log = yield* EventLog
        const heardIn = (io: "live" | "recorded") =>
          Effect.gen(function* () {
            const { timeline } = yield* kernel.fork(ringing, { at: Number(decided?.position) - 1, task: taskId, io })
            const own = yield* log.readPage({ timeline, types: ["SensorRead"] }, 10)
            return own.map(({ payload }) => payload.reading)
          })
        expect(yield* heardIn("live")).toEqual(["ding"])
        expect(yield* heardIn("recorded")).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )
})
