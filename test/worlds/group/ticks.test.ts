import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf } from "../../agents/given.ts"
import { groupOf, inKernel, inNextKernel, logged, of, runGroup, stepping, TASK } from "./given.ts"

/** Ada walks on, bob stays where he is and is burnt. */
const group = groupOf(
  { ada: stepping(({ step }) => (step === 0 ? 1 : 0)), bob: stepping(() => 0) },
  {
    ticks: 100,
    maxRounds: 5,
  },
)

describe("the ticks of a world that moves by itself", () => {
  it.scopedLive("end the runs of agents whose episode they end, with their rewards in the same commit", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const audit = yield* runGroup(group, { burn: 250 })
        const events = yield* eventsOf(TASK)
        const ticks = events.filter(of("WorldTicked"))
        expect(ticks).toHaveLength(5)
        const [fatal] = ticks.filter(({ payload }) => payload.steps !== undefined)
        expect(fatal?.payload.steps).toMatchObject({ bob: { reward: -1, terminated: true, outcome: "failed" } })
        const at = events.findIndex(({ id }) => id === fatal?.id)
        expect(events.slice(at, at + 4).map(({ type, payload }) => [type, payload.agentId])).toEqual([
          ...[
            ["WorldTicked", undefined],
            ["EnvironmentChanged", undefined],
          ],
          ...[
            ["PunishmentGiven", "bob"],
            ["AgentLeft", "bob"],
          ],
        ])
        expect(events[at + 2]).toMatchObject({ causationId: fatal?.id, payload: { because: [], amount: 1 } })
        expect(events[at + 3]?.payload).toMatchObject({ outcome: "failed" })
        expect(events.slice(at).some(of("ActuatorCommanded", "bob"))).toBe(false)
        expect(audit).toMatchObject({ outcome: "failed", agents: { bob: { outcome: "failed", return: -1 } } })
        expect(yield* kernel.replay(TASK, group)).toMatchObject({ verdict: "identical" })
      }),
    ),
  )

  it.scopedLive("are not repeated when the task is resumed, but where its world is brought back by them", () =>
    inNextKernel(
      group,
      { burn: 250 },
      logged(2, of("WorldTicked")),
      Effect.gen(function* () {
        const audit = yield* (yield* Kernel).tasks.resume(TASK, group, { rewind: "re-execution" })
        expect(audit.outcome).toBe("failed")
        const ticks = (yield* eventsOf(TASK)).filter(of("WorldTicked"))
        expect(ticks.map(({ payload }) => payload.steps !== undefined)).toEqual([false, false, true, false, false])
      }),
    ),
  )

  it.scopedLive("are refused by a world that does not move by itself, in words that say so", () =>
    inKernel(
      Effect.gen(function* () {
        const still = groupOf(
          { ada: stepping(() => 1, "duel"), bob: stepping(() => 1, "duel") },
          {
            world: "duel",
            ticks: 100,
          },
        )
        const refused = yield* Effect.exit(runGroup(still, { world: "duel" }))
        expect(JSON.stringify(refused)).toContain("this world does not move by itself")
      }),
    ),
  )
})
