import { it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf } from "../../agents/given.ts"
import { forkedEverywhere } from "../../kernel/forkedEverywhere.ts"
import { groupOf, inKernel, of, runGroup, stepping, TASK } from "./given.ts"

/** A group in which nobody is late, with what a group can have: ticks, messages, a refusal, agents that come and go. */
const eventful = () =>
  groupOf(
    {
      ada: stepping(({ step }) => (step === 1 ? 9 : 1)),
      bob: {
        name: "talking",
        version: "1",
        decide: ({ step, inputs }) =>
          step === 0 ? { say: "hello" } : { act: "arena/step", args: { action: inputs.length } },
      },
    },
    {
      maxRounds: 4,
      ticks: 100,
      changes: (round) =>
        round === 1 ? [{ join: "cem", agent: stepping(() => 0) }] : round === 2 ? [{ leave: "cem" }] : [],
    },
  )

describe("a group that is forked on its recording at each of its events", () => {
  it.scopedLive("does what it did without its world: rounds, ticks, and agents that join and leave", () =>
    Effect.gen(function* () {
      const { forked } = yield* inKernel(
        Effect.gen(function* () {
          yield* runGroup(eventful(), { burn: 250 })
          const types = (yield* eventsOf(TASK)).map(({ type }) => type)
          expect(types).toEqual(expect.arrayContaining(["WorldTicked", "AgentJoined", "AgentLeft", "PunishmentGiven"]))
          return yield* forkedEverywhere(TASK, eventful, { io: "recorded" })
        }),
      )
      for (const type of ["ActuatorCommanded", "CommandDenied", "EnvironmentChanged"]) expect(forked).toContain(type)
      expect(forked).not.toContain("WorldTicked")
    }),
  )

  it.scopedLive("does what it did in a world of turns", () =>
    inKernel(
      Effect.gen(function* () {
        const group = () =>
          groupOf({ ada: stepping(() => 1, "duel"), bob: stepping(() => 1, "duel") }, { world: "duel", maxRounds: 4 })
        yield* runGroup(group(), { world: "duel", heap: 9 })
        const { forked } = yield* forkedEverywhere(TASK, group, { io: "recorded" })
        expect(forked).toContain("ActuatorCommanded")
      }),
    ),
  )

  it.scopedLive("ends where an agent that replaces another does something else", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* runGroup(groupOf({ ada: stepping(() => 1), bob: stepping(() => 0) }, { maxRounds: 3 }))
        const at = (yield* eventsOf(TASK)).filter(of("SensorRead", "bob"))[1]?.position ?? 0
        const other = groupOf({ ada: stepping(() => 1), bob: stepping(() => 1) }, { maxRounds: 3 })
        const { audit } = yield* kernel.fork(other, { task: TASK, at, io: "recorded", timeline: "other" })
        expect(audit).toMatchObject({ outcome: "truncated", reason: "a round of ada 1, bob 1 was not recorded" })
        expect(yield* kernel.replay(TASK, other, { timeline: "other" })).toMatchObject({ divergence: null })
      }),
    ),
  )
})

describe("a group that is forked at each of its events", () => {
  it.scopedLive("takes each step once, also where one of a round was denied before the others were taken", () =>
    Effect.gen(function* () {
      const { forked } = yield* inKernel(
        Effect.zipRight(runGroup(eventful(), { burn: 250 }), forkedEverywhere(TASK, eventful)),
      )
      for (const type of ["ActuatorCommanded", "CommandDenied", "CommandAllowed"]) expect(forked).toContain(type)
    }),
  )
})

describe("a fork of a group with one of its agents replaced", () => {
  const ada = stepping(() => 0)
  const other: Agent.DecidingAgent = { ...stepping(() => 1), name: "other" }
  const run = runGroup(groupOf({ ada, bob: stepping(() => 0) }, { maxRounds: 3 }))

  it.scopedLive("goes on with it from each round, and is replayed", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* run
        const rounds = (yield* eventsOf(TASK)).filter(of("SensorRead", "ada"))
        expect(rounds).toHaveLength(3)
        for (const [index, { position: at }] of rounds.entries()) {
          const timeline = `round-${index}`
          const group = () => groupOf({ ada, bob: other }, { maxRounds: 3 })
          const { audit } = yield* kernel.fork(group(), { task: TASK, at, timeline })
          expect(audit.acting).toMatchObject({ commanded: 6, succeeded: 6 })
          const log = yield* EventLog
          const events = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read({ taskId: TASK, timeline })))
          const moved = events.filter((event) => of("ActuatorCommanded", "bob")(event) && event.position > at)
          expect(moved.map(({ payload }) => payload.args)).toEqual(Array(3 - index).fill({ action: 1 }))
          expect(yield* kernel.replay(TASK, group(), { timeline })).toMatchObject({
            verdict: "identical",
            complete: true,
          })
        }
      }),
    ),
  )

  it.scopedLive("starts afresh with agents of another kind where it is told to", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* run
        const at = (yield* eventsOf(TASK)).filter(of("SensorRead", "ada"))[1]?.position ?? 0
        const walking = Agent.fromAdvance({
          name: "walking",
          version: "1",
          advance: (task) => Effect.as(task.act("arena/step", { action: 1 }), true),
        })
        const group = () => groupOf({ ada, bob: walking }, { maxRounds: 2 })
        const led = yield* Effect.flip(kernel.fork(group(), { task: TASK, at }))
        expect(led.message).toContain("diverged from the recording")
        const { audit } = yield* kernel.fork(group(), { task: TASK, at, fresh: true, timeline: "afresh" })
        expect(audit.acting).toMatchObject({ commanded: 6, succeeded: 6 })
        const replayed = yield* kernel.replay(TASK, group(), { timeline: "afresh" })
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      }),
    ),
  )

  it.scopedLive("shows an agent another reading, and is replayed", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const looking = Agent.fromAdvance({
          name: "looking",
          version: "1",
          advance: (task) =>
            Effect.gen(function* () {
              const [{ reading = null } = {}] = yield* task.perceive()
              const isAlone = (reading as { readonly others?: number } | null)?.others === 0
              yield* task.act("arena/step", { action: isAlone ? 1 : 0 })
              return true
            }),
        })
        const group = () => groupOf({ ada, bob: looking }, { maxRounds: 3 })
        yield* runGroup(group())
        const at = (yield* eventsOf(TASK)).filter(of("SensorRead", "bob"))[1]?.position ?? 0
        const overrides = { readings: { "arena/observation": { at: 0, others: 0 } } }
        yield* kernel.fork(group(), { task: TASK, at, overrides, timeline: "alone" })
        const log = yield* EventLog
        const events = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read({ taskId: TASK, timeline: "alone" })))
        const moved = events.filter(of("ActuatorCommanded", "bob"))
        expect(moved.map(({ payload }) => payload.args)).toEqual([{ action: 1 }, { action: 0 }])
        expect(yield* kernel.replay(TASK, group(), { timeline: "alone" })).toMatchObject({ verdict: "identical" })
      }),
    ),
  )

  it.scopedLive("is refused without an agent for each, before anything is recorded", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* run
        const events = yield* eventsOf(TASK)
        const at = events.find(of("SensorRead", "bob"))?.position ?? 0
        for (const [agent, found] of [
          [groupOf({ ada }), "found ada"],
          [groupOf({ ada, bob: ada, cem: ada }), "found ada, bob, cem"],
          [other, "found other@1 alone"],
        ] as const) {
          const refused = yield* Effect.flip(kernel.fork(agent, { task: TASK, at }))
          expect(refused).toMatchObject({ _tag: "NotForkable" })
          expect(refused.message).toContain(`expected an agent for each of ada, bob, ${found}`)
        }
        expect(yield* eventsOf(TASK)).toEqual(events)
      }),
    ),
  )
})
