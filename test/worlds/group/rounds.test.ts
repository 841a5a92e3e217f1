import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf } from "../../agents/given.ts"
import { about, seen } from "../../kernel/given.ts"
import { loseLease } from "../../kernel/lostLease.ts"
import { stoppingAt } from "../../kernel/stopping.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { groupOf, inKernel, of, runGroup, stepping, TASK } from "./given.ts"

/** A directory with a log in which the arena is imported, whose world is brought back in these ways. */
const imported = (...rewind: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const plugin = path.join(directory, "sources", "arena")
    fs.cpSync(inRepository("test/worlds/samples/arena"), plugin, { recursive: true })
    const file = path.join(plugin, "looper-plugin.json")
    const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
    manifest.peas.environment.rewind = rewind
    fs.writeFileSync(file, JSON.stringify(manifest))
    yield* Effect.scoped(Effect.flatMap(testKernel({ directory, plugins: [plugin] }), ({ start }) => start))
    return directory
  })

describe("a round that is aborted", () => {
  it.scopedLive("ends in one append, so that no kernel's end leaves a part of it", () =>
    Effect.gen(function* () {
      const directory = yield* imported("snapshot")
      const appended: Array<ReadonlyArray<string>> = []
      const notes = (request: { readonly events: ReadonlyArray<{ readonly type: string }> }) => {
        appended.push(request.events.map(({ type }) => type))
        return false
      }
      const gate = { default: "allow", rules: [{ name: "ask", actuator: "arena/step", decision: "confirm" }] } as const
      const { run } = yield* (yield* stoppingAt(notes, { directory, gate })).start
      yield* run(
        Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const agents = ["ada", "bob"]
          const task = yield* tasks.open({ goal: "walk", plugins: ["arena"], agents })
          const steps = agents.map((agentId) => ({ agentId, actuator: "arena/step", args: { action: 1 } }))
          const round = yield* Effect.fork(task.together(steps))
          yield* seen(about("ConfirmationRequested"))
          yield* Fiber.interrupt(round)
        }),
      )
      expect(appended.filter((types) => types.includes("CommandDenied"))).toEqual([["CommandDenied", "CommandDenied"]])
    }),
  )
})

describe("a round that the world refuses as a whole", () => {
  it.scopedLive("is one round again where the world is brought back by its steps", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const walking = () =>
          groupOf({ ada: stepping(() => 1), bob: stepping(({ step }) => (step < 2 ? 1 : 0)) }, { maxRounds: 6 })
        yield* runGroup(walking(), { quarrel: true, goal: 1 })
        const events = yield* eventsOf(TASK)
        expect(events.filter(of("CommandFailed")).map(({ payload }) => payload.error)).toMatchObject(
          Array.from({ length: 4 }, () => ({ code: "Quarrel" })),
        )
        const third = events.filter(of("DecisionMade"))[4]?.position ?? 0
        const { worlds } = yield* kernel.fork(walking(), {
          task: TASK,
          at: third,
          timeline: "again",
          rewind: "re-execution",
        })
        expect(worlds).toMatchObject([{ by: "re-execution", checked: { document: true, outcomes: 4 } }])
      }),
    ),
  )
})

describe("what a round gives to agents that did not act", () => {
  it.scopedLive("is told in the result of one that did, and ends their runs", () =>
    Effect.gen(function* () {
      const world = "prisoners-dilemma"
      const { start } = yield* testKernel({ plugins: [inRepository("packages/worlds", world)] })
      const { run } = yield* start
      const group = groupOf(
        { ada: stepping(() => 1, world), bob: stepping(() => Effect.never, world) },
        { world, decideWithinMs: 100 },
      )
      const [audit, events, report] = yield* run(
        Effect.gen(function* () {
          const audit = yield* runGroup(group, { world, rounds: 2 })
          return [audit, yield* eventsOf(TASK), yield* (yield* Kernel).replay(TASK, group)] as const
        }),
      )
      expect(events.filter(of("CommandSucceeded")).map(({ payload }) => payload.result)).toMatchObject([
        { reward: 5, others: { bob: { reward: 0, terminated: false } } },
        { reward: 5, others: { bob: { reward: 0, terminated: true } } },
      ])
      expect(audit).toMatchObject({ outcome: "achieved", agents: { bob: { outcome: "achieved", commanded: 0 } } })
      expect(report).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})

describe("an agent that is refused in the last round", () => {
  it.scopedLive("is not asked again: the world's document says that its episode is over", () =>
    Effect.gen(function* () {
      const world = "public-goods"
      const { start } = yield* testKernel({ plugins: [inRepository("packages/worlds", world)] })
      const { run } = yield* start
      const giving = (action: number) => stepping(() => action, world)
      const group = groupOf({ ada: giving(5), bob: giving(50) }, { world, maxRounds: 20 })
      const [audit, events] = yield* run(
        Effect.gen(function* () {
          return [yield* runGroup(group, { world, rounds: 3 }), yield* eventsOf(TASK)] as const
        }),
      )
      expect(events.filter(of("CommandFailed"))).toHaveLength(3)
      expect(audit).toMatchObject({
        outcome: "achieved",
        agents: { ada: { outcome: "achieved" }, bob: { outcome: "achieved" } },
      })
    }),
  )

  it.scopedLive("has failed where the world says so in its document alone", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const group = () => groupOf({ ada: stepping(() => 1), bob: stepping(() => 9) }, { maxRounds: 9 })
        const audit = yield* runGroup(group(), { flood: 2 })
        const events = yield* eventsOf(TASK)
        expect(events.filter(of("CommandDenied"))).toHaveLength(2)
        expect(audit).toMatchObject({
          outcome: "failed",
          agents: { ada: { outcome: "failed" }, bob: { outcome: "failed" } },
        })
        expect(yield* kernel.replay(TASK, group())).toMatchObject({ verdict: "identical", complete: true })
      }),
    ),
  )
})

describe("an agent that says something in the last round", () => {
  it.scopedLive("comes to the end that the world gives it", () =>
    Effect.gen(function* () {
      const world = "public-goods"
      const { start } = yield* testKernel({ plugins: [inRepository("packages/worlds", world)] })
      const { run } = yield* start
      const talking: Agent.DecidingAgent = {
        name: "talking",
        version: "1",
        decide: ({ step }) => (step < 2 ? { act: `${world}/step`, args: { action: 5 } } : { say: "Goodbye" }),
      }
      const group = groupOf({ ada: stepping(() => 5, world), bob: talking }, { world, maxRounds: 3 })
      const [audit, events, report] = yield* run(
        Effect.gen(function* () {
          const audit = yield* runGroup(group, { world, rounds: 3 })
          return [audit, yield* eventsOf(TASK), yield* (yield* Kernel).replay(TASK, group)] as const
        }),
      )
      expect(events.filter(of("MessageSent", "bob"))).toHaveLength(1)
      expect(audit).toMatchObject({ outcome: "achieved", agents: { bob: { outcome: "achieved" } } })
      expect(report).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("leaves as truncated where its steps are used up and the world goes on", () =>
    inKernel(
      Effect.gen(function* () {
        const talking: Agent.DecidingAgent = { name: "talking", version: "1", decide: () => ({ say: "Hello" }) }
        yield* runGroup(groupOf({ ada: stepping(() => 1), bob: talking }, { maxRounds: 5 }))
        const left = (yield* eventsOf(TASK)).filter(of("AgentLeft"))
        expect(left.map(({ payload }) => payload)).toMatchObject([
          { agentId: "bob", outcome: "truncated", midway: true },
          { agentId: "ada", outcome: "achieved" },
        ])
      }),
    ),
  )
})

describe("a hundred agents, one of which is refused in each round", () => {
  it.scopedLive("are asked in the rounds of the world, and not after them", () =>
    Effect.gen(function* () {
      const world = "public-goods"
      const { start } = yield* testKernel({ plugins: [inRepository("packages/worlds", world)] })
      const { run } = yield* start
      const names = Array.from({ length: 100 }, (_, index) => `agent-${String(index).padStart(3, "0")}`)
      const agents = Object.fromEntries(
        names.map((name, index) => [name, stepping(() => (index === 50 ? 50 : 5), world)]),
      )
      const [audit, events] = yield* run(
        Effect.gen(function* () {
          return [yield* runGroup(groupOf(agents, { world }), { world, rounds: 3 }), yield* eventsOf(TASK)] as const
        }),
      )
      const counts = Object.fromEntries(
        ["ActuatorCommanded", "CommandSucceeded", "CommandFailed", "AgentLeft"].map((type) => [
          type,
          events.filter(of(type)).length,
        ]),
      )
      expect(counts).toEqual({ ActuatorCommanded: 300, CommandSucceeded: 297, CommandFailed: 3, AgentLeft: 100 })
      expect(audit.outcome).toBe("achieved")
      expect(events.length).toBeLessThan(4000)
    }),
  )
})

describe("a step that was under way when its kernel ended", () => {
  /** Who acted, and how it ended, after a resumption in a world that is left as it is, or is brought back. */
  const resumed = (options: { readonly rewind?: "re-execution"; readonly acceptUnrewound?: boolean }) =>
    Effect.gen(function* () {
      const directory = yield* imported("snapshot")
      const group = () => groupOf({ ada: stepping(() => 1), bob: stepping(() => 1) }, { maxRounds: 4 })
      const first = yield* stoppingAt(({ events }) => events[0]?.type === "CommandSucceeded", { directory })
      const life = Effect.scoped(Effect.flatMap(first.start, ({ run }) => run(runGroup(group()))))
      const living = yield* Effect.fork(Effect.exit(life))
      expect(Option.isSome(yield* Effect.option(first.stopped))).toBe(true)
      yield* Effect.addFinalizer(() => Effect.zipRight(first.goOn, Fiber.join(living)))
      loseLease(first.log)
      const second = yield* (yield* testKernel({ directory, onOpenTasks: "resume" })).start
      return yield* second.run(
        Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const audit = yield* tasks.resume(TASK, group(), options)
          const events = yield* eventsOf(TASK)
          const ends = events.flatMap((event) =>
            is(event, "CommandSucceeded") || is(event, "CommandOutcomeUnknown") ? [event.type] : [],
          )
          return { ends, outcome: audit.outcome, dispatched: events.filter(of("CommandDispatched")).length }
        }),
      )
    })

  it.scopedLive("is taken again where the world was brought back to before it", () =>
    Effect.gen(function* () {
      expect(yield* resumed({})).toEqual({
        outcome: "achieved",
        dispatched: 8,
        ends: Array.from({ length: 6 }, () => "CommandSucceeded"),
      })
    }),
  )

  it.scopedLive("has an unknown outcome where it was not: it is not taken twice", () =>
    Effect.gen(function* () {
      expect(yield* resumed({ rewind: "re-execution", acceptUnrewound: true })).toEqual({
        outcome: "achieved",
        dispatched: 8,
        ends: [
          ...["CommandOutcomeUnknown", "CommandOutcomeUnknown"],
          ...Array.from({ length: 6 }, () => "CommandSucceeded"),
        ],
      })
    }),
  )
})
