import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Scope } from "effect"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import * as Scripted from "../../src/agents/models/Scripted.ts"
import type { EventLog } from "../../src/events/log/EventLog.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as World from "../../src/worlds/World.ts"
import { eventsOf } from "../agents/given.ts"
import type { Sample } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { inKernel, stepping, TASK } from "./group/given.ts"

/** A test in a kernel with the boat, whose world is brought back in these ways. */
const withDrift = <A, E>(rewind: ReadonlyArray<string>, test: Effect.Effect<A, E, Kernel | EventLog>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const plugin = path.join(directory, "sources", "drift")
    fs.cpSync(inRepository("test/worlds/samples/drift"), plugin, { recursive: true })
    const file = path.join(plugin, "looper-plugin.json")
    const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
    manifest.peas.environment.rewind = rewind
    fs.writeFileSync(file, JSON.stringify(manifest))
    const { start } = yield* testKernel({ directory, plugins: [plugin] })
    return yield* Effect.flatMap(start, ({ run }) => run(test))
  })

/** Sails to the shore, which takes three steps. */
const sailor = stepping(() => 1, "drift")

const sailed = (wrong: string) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    yield* kernel.tasks.run(sailor, {
      id: TASK,
      goal: "Sail",
      seed: 5,
      plugins: ["drift"],
      environment: { drift: { wrong } },
      maxSteps: 3,
    })
    const events = yield* eventsOf(TASK)
    return { kernel, events, successes: events.filter(({ type }) => type === "CommandSucceeded") }
  })

const LOST = "; what it changed in its world is not recorded"

describe("a step of a world whose answer cannot be recorded", () => {
  it.scopedLive("is a success without a result: the change is recorded, and that nobody knows what it gave", () =>
    withDrift(
      ["snapshot"],
      Effect.gen(function* () {
        const { events, successes } = yield* sailed("large")
        expect(successes.map(({ payload }) => payload)).toMatchObject(
          [1, 2, 3].map(() => ({
            result: null,
            unrecorded: {
              reason: expect.stringMatching(/^expected the answer of at most 4194304 bytes of JSON, found \d+$/),
            },
          })),
        )
        expect(events.filter(({ type }) => type === "CommandFailed")).toEqual([])
        expect(events.filter(({ type }) => type === "EnvironmentChanged")).toHaveLength(3)
        expect(events.find(({ type }) => type === "MeasureUnscored")?.payload).toMatchObject({
          measure: "drift/return",
          reason: "what a step gave is not recorded",
        })
      }),
    ),
  )

  it.scopedLive("says that the world's state is missing, and a fork there does not take the earlier one for it", () =>
    withDrift(
      ["snapshot"],
      Effect.gen(function* () {
        const { kernel, events, successes } = yield* sailed("swollen")
        expect(successes.map(({ payload }) => payload.unrecorded)).toEqual([
          { reason: expect.stringMatching(`environment.state\\(\\).*${LOST}$`) },
          undefined,
          undefined,
        ])
        const choices = events.filter(({ type }) => type === "DecisionMade").map(({ position }) => position)
        const forkAt = (at = 0, timeline = "again") => kernel.fork(sailor, { task: TASK, at, timeline })
        expect(yield* Effect.flip(forkAt(choices[1]))).toMatchObject({
          _tag: "WorldNotRewound",
          plugin: "drift",
          reason: `its state after the command that succeeded @${successes[0]?.position} is not recorded`,
        })
        expect(yield* forkAt(choices[2])).toMatchObject({ worlds: [{ by: "snapshot" }] })
      }),
    ),
  )

  it.scopedLive("is taken again where a world is brought back by its steps, with nothing to compare it with", () =>
    withDrift(
      ["snapshot", "re-execution"],
      Effect.gen(function* () {
        const { kernel, events } = yield* sailed("swollen")
        const second = events.filter(({ type }) => type === "DecisionMade")[1]?.position ?? 0
        const { worlds, timeline } = yield* kernel.fork(sailor, { task: TASK, at: second, timeline: "again" })
        expect(worlds).toMatchObject([{ by: "re-execution", checked: { outcomes: 0 } }])
        expect(timeline).toBe("again")
      }),
    ),
  )

  it.scopedLive("is no refusal for a program that steps the world by its handle", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [inRepository("test/worlds/samples/drift")] })
      const { run } = yield* start
      const scope = yield* Effect.scope
      const world = yield* run(Scope.extend(World.open({ world: "drift" }), scope))
      yield* world.reset({ options: { wrong: "large" } })
      expect(yield* Effect.flip(world.step(1))).toMatchObject({
        _tag: "UnexpectedAnswer",
        expected: "the result of a step",
        found: expect.stringContaining("a step whose result could not be recorded (expected the answer"),
      })
      expect(yield* world.state).toMatchObject({ at: 1 })
    }),
  )

  it.scopedLive("of several agents is one of each of them", () =>
    inKernel(
      Effect.gen(function* () {
        const { tasks } = yield* Kernel
        const agents = ["ada", "bob"]
        const environment = { arena: { swollen: true } }
        const task = yield* tasks.open({ id: TASK, goal: "walk", plugins: ["arena"], agents, environment })
        const together = () =>
          task.together(agents.map((agentId) => ({ agentId, actuator: "arena/step", args: { action: 1 } })))
        const unrecorded = { status: "succeeded", result: null, unrecorded: expect.stringMatching(`${LOST}$`) }
        expect(yield* together()).toMatchObject([unrecorded, unrecorded])
        expect(yield* together()).toMatchObject(agents.map(() => ({ status: "succeeded", result: { reward: 1 } })))
        const events = yield* eventsOf(TASK)
        expect(events.filter(({ type }) => type === "MeasureUnscored")).toHaveLength(2)
        expect(events.findLast(({ type }) => type === "EnvironmentChanged")?.payload.patch).toMatchObject(
          expect.arrayContaining([expect.objectContaining({ path: "/places/ada", value: 2 })]),
        )
      }),
    ),
  )
})

const UNKNOWN = { measure: "drift/return", name: "step", reason: "what a step gave is not recorded" }

describe("a step of a world that failed, and may have been taken", () => {
  const tried = (wrong: string, withinMs = 20_000) =>
    withDrift(
      ["snapshot"],
      Effect.gen(function* () {
        const { tasks } = yield* Kernel
        const task = yield* tasks.open({
          id: TASK,
          goal: "Sail",
          seed: 5,
          plugins: ["drift"],
          environment: { drift: { wrong } },
        })
        yield* Effect.timeout(task.act("drift/step", { action: 1 }), withinMs).pipe(Effect.either)
        const { scores } = yield* task.close("abandoned").pipe(Effect.zipRight((yield* Kernel).audit(TASK)))
        const events = yield* eventsOf(TASK)
        return {
          error: events.find(({ type }) => type === "CommandFailed")?.payload.error,
          unscored: events.flatMap(({ type, payload }) => (type === "MeasureUnscored" ? [payload] : [])),
          audited: scores.find(({ label }) => label === "return")?.unscored.length,
        }
      }),
    )

  it.scopedLive.each([
    ["whose process dies", "dies", "PluginExited", /ended with code 3/],
    ["whose answer has no number as its reward", "reward", "InvalidReward", /expected/],
    ["whose answer has a flag that is none", "flags", "InvalidFlag", /expected/],
  ] as const)("%s, gave what nobody knows, and not nothing", ([_, wrong, code, message]) =>
    Effect.gen(function* () {
      const { error, unscored, audited } = yield* tried(wrong)
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
      expect([unscored, audited]).toMatchObject([[UNKNOWN], 1])
    }),
  )

  it.scopedLive.each([
    ["reward", "The step was taken; only its result is missing. Do not repeat it"],
    ["dies", "It may have been done, although it failed. Find out before you repeat it."],
    ["refuses", undefined],
  ] as const)(
    "is told to a model as what it is, where its world has the fault %s: nothing invites it to repeat a step",
    ([wrong, note]) =>
      withDrift(
        ["snapshot"],
        Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const told: Array<unknown> = []
          const step = Scripted.calls([{ tool: "drift__step", args: { action: 1 } }])
          const answer: Parameters<typeof Scripted.scripted>[0]["turns"][number] = (request) => {
            told.push(...request.messages.flatMap((message) => (message.role === "tool" ? message.content : [])))
            return Scripted.says("Done.")
          }
          const agent = fromModel({ model: Scripted.scripted({ provider: "p", model: "m", turns: [step, answer] }) })
          yield* tasks.run(agent, {
            id: TASK,
            goal: "Sail",
            seed: 5,
            plugins: ["drift"],
            environment: { drift: { wrong } },
          })
          const { content } = (told[0] ?? {}) as { content?: { note?: string } }
          expect(content).toMatchObject({ failed: expect.any(String), code: expect.any(String) })
          if (note === undefined) expect(content).not.toHaveProperty("note")
          else expect(content?.note).toContain(note)
        }),
      ),
  )

  it.scopedLive(
    "is the same failure when it is stepped again, so that a fork goes on from after it, and a replay agrees",
    () =>
      withDrift(
        ["re-execution", "snapshot"],
        Effect.gen(function* () {
          const { kernel, events } = yield* sailed("reward")
          expect(events.filter(({ type }) => type === "MeasureUnscored")).toHaveLength(3)
          const at = events.filter(({ type }) => type === "DecisionMade")[1]?.position ?? 0
          const { worlds } = yield* kernel.fork(sailor, { task: TASK, at, timeline: "again", rewind: "re-execution" })
          expect(worlds).toMatchObject([{ by: "re-execution", checked: { outcomes: 1 } }])
          expect(yield* kernel.replay(TASK, sailor)).toMatchObject({ verdict: "identical" })
        }),
      ),
  )

  it.scopedLive("that was interrupted while the world took it, gave what nobody knows either", () =>
    Effect.gen(function* () {
      const { error, unscored, audited } = yield* tried("hangs", 1_000)
      expect(error).toMatchObject({ code: "Interrupted" })
      expect([unscored, audited]).toMatchObject([[UNKNOWN], 1])
    }),
  )

  it.scopedLive("and that the world refused, gave nothing", () =>
    Effect.gen(function* () {
      const { error, unscored, audited } = yield* tried("refuses")
      expect(error).toMatchObject({ code: "TornSail", message: "the sail is torn" })
      expect([unscored, audited]).toEqual([[], 0])
    }),
  )
})

/** An archive whose answer is too large to be recorded, and which it does not change to look at. */
const archive: Sample = {
  name: "archive",
  environment: true,
  rewind: ["snapshot"],
  actuators: [{ name: "read" }],
  entry: `
    let shelves = 3
    export default {
      actuators: { read: () => "x".repeat(5 * 1024 * 1024) },
      environment: {
        reset: () => { shelves = 3 },
        restore: (_context, _options, state) => { shelves = state.shelves },
        state: () => ({ shelves }),
      },
    }`,
}

const reader: Agent.DecidingAgent = {
  name: "reader",
  version: "1",
  decide: ({ step }) => (step < 2 ? { act: "archive/read", args: {} } : { done: "achieved" }),
}

describe("a command without a result that changed nothing", () => {
  it.scopedLive("leaves no doubt of the state after it: a fork there takes that", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [archive] })
      const { run } = yield* start
      yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          yield* kernel.tasks.run(reader, { id: TASK, goal: "Read" })
          const events = yield* eventsOf(TASK)
          const [success] = events.filter(({ type }) => type === "CommandSucceeded")
          expect(success?.payload.unrecorded).toEqual({
            reason: expect.stringContaining("expected the answer of at most"),
          })
          const [, second] = events.filter(({ type }) => type === "DecisionMade")
          const { worlds } = yield* kernel.fork(reader, { task: TASK, at: second?.position ?? 0, timeline: "again" })
          expect(worlds).toMatchObject([{ by: "snapshot" }])
        }),
      )
    }),
  )
})
