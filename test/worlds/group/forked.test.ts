import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
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
        ...{ name: "talking", version: "1" },
        decide: ({ step, inputs }) =>
          step === 0 ? { say: "hello" } : { act: "arena/step", args: { action: inputs.length } },
      },
    },
    {
      ...{ maxRounds: 4, ticks: 100 },
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
