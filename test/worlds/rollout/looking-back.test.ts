import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Pages from "../../../src/events/read/Pages.ts"
import * as Timelines from "../../../src/events/read/Timelines.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { Projector } from "../../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../../src/projections/state/EnvironmentState.ts"
import { TimeTravel } from "../../../src/projections/timetravel/TimeTravel.ts"
import * as Rollout from "../../../src/worlds/rollout/Rollout.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"

const eventsOf = (query: Parameters<EventLog["Type"]["readPage"]>[0], log?: EventLog["Type"]) =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    yield* Pages.forEach((log ?? (yield* EventLog)).readPage, query, (page) => void events.push(...page))
    return events
  })

const right = Agent.fromPolicy({
  name: "right",
  version: "1",
  policy: () => ({ act: "cart-pole/step", args: { action: 1 } }),
})

describe("a step of a compact episode", () => {
  it.scopedLive("is found by its address, and a fork continues after it with the recorded state", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [inRepository("packages", "worlds", "cart-pole")] })
      const { run } = yield* start
      yield* run(
        Effect.gen(function* () {
          const log = yield* EventLog
          const { episodes } = yield* Rollout.run({
            world: "cart-pole",
            policy: ({ step }) => step % 2,
            episodes: 3,
            seed: 2,
          })
          const [, { taskId = "" } = {}] = episodes
          const [recorded] = yield* log.readPage({ taskId, types: ["StepsRecorded"] }, 1)
          const at = `@${recorded?.position}#7`
          const travel = yield* TimeTravel
          const projector = yield* Projector
          const before = yield* eventsOf({ taskId, types: ["ActuatorCommanded"] })
          const { position } = before[8] ?? { position: 0 }
          const state = yield* projector.stateAt(EnvironmentState.projection, position)
          // Every question takes the address.
          const asked = yield* travel.stateAt(at, `/tasks/${taskId}/environment`)
          expect(asked).toEqual(state.tasks[taskId]?.environment)
          const outside = yield* Effect.flip(travel.stateAt(`@${recorded?.position}#900`))
          expect(outside.message).toContain(
            `There is no step @${recorded?.position}#900: the event at @${recorded?.position} holds the steps #0 to #`,
          )
          expect((yield* Effect.flip(travel.stateAt("@1#0"))).message).toContain("holds no steps (KernelStarted)")

          const kernel = yield* Kernel
          const forked = yield* kernel.fork(right, { at, task: taskId, maxSteps: 3 })
          const view = Timelines.view(log, yield* Timelines.named(log, forked.timeline))
          const events = yield* eventsOf({ taskId, timeline: view.timeline }, view)
          const actions = events.filter(({ type }) => type === "ActuatorCommanded").map(({ payload }) => payload.args)
          expect(actions).toEqual([...[0, 1, 0, 1, 0, 1, 0, 1], ...[1, 1, 1]].map((action) => ({ action })))
          const restored = events.find(({ type }) => type === "EnvironmentRestored")
          expect(restored?.payload).toMatchObject({ plugin: "cart-pole", by: "snapshot", checked: { document: true } })
          // The parent's later steps are not part of the fork.
          expect(events.some(({ type }) => type === "StepsRecorded")).toBe(false)
        }),
      )
    }),
  )
})
