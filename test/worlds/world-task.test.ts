import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as SetScores from "../../src/projections/comparison/SetScores.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import type { Json, JsonObject } from "../../src/values/Json.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"

const DRIFT = inRepository("test/worlds/samples/drift")

const started = Effect.flatMap(testKernel({ plugins: [DRIFT] }), ({ start }) => start)

const eventsOf = (taskId: string) =>
  Effect.flatMap(EventLog, (log) => log.readPage({ stream: `task/${taskId}`, after: 0 }, 1_000))

/** Goes on by one until the world ends the run. */
const ahead = Agent.fromPolicy({
  name: "ahead",
  version: "1",
  policy: () => ({ act: "drift/step", args: { action: 1 } }),
})

const opened = (options: JsonObject = {}) =>
  Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "Sail", seed: 42, environment: { drift: options } }))

const step = (action: Json, options: JsonObject = {}) =>
  Effect.flatMap(opened(options), (task) => task.act("drift/step", { action }))

const inKernel = <A, E>(test: Effect.Effect<A, E, Kernel | EventLog | Projector>) =>
  Effect.flatMap(started, ({ run }) => run(test))

describe("a world in a task", () => {
  it.scopedLive("is sensed and stepped as a sensor and an actuator, and its rewards are a score set of their own", () =>
    inKernel(
      Effect.gen(function* () {
        const task = yield* opened()
        const [observation, mask] = yield* task.perceive()
        // numpy's `default_rng(42).random()`.
        expect(observation).toMatchObject({ sensor: "drift/observation", reading: [0, 0.7739560485559633] })
        expect(mask).toMatchObject({ sensor: "drift/action_mask", reading: [1, 1, 1] })
        const outcome = yield* task.act("drift/step", { action: 1 })
        expect(outcome).toMatchObject({
          status: "succeeded",
          result: {
            reward: 1 - 0.4388784397520523,
            rewards: { way: 1, wind: -0.4388784397520523 },
            terminated: false,
            truncated: false,
            info: { gust: 0.4388784397520523 },
          },
        })
        yield* task.close("achieved")
        const events = yield* eventsOf(task.id)
        const commanded = events.find(({ type }) => type === "ActuatorCommanded")
        expect(events.flatMap(({ type, payload }) => (/Given$/.test(type) ? [[type, payload]] : []))).toMatchObject([
          [
            "RewardGiven",
            { measure: "drift/return", name: "way", weight: 1, amount: 1, because: [commanded?.position] },
          ],
          ["PunishmentGiven", { name: "wind", amount: 0.4388784397520523 }],
        ])
        const { scores } = yield* Effect.flatMap(Kernel, (kernel) => kernel.audit(task.id))
        expect(scores.map(({ label, critic, net, finished }) => ({ label, critic, net, finished }))).toEqual([
          { label: "return", critic: "environment", net: 0.56112156, finished: true },
          { label: "live", critic: "rule@4", net: 0, finished: true },
        ])
      }),
    ),
  )

  it.scopedLive("has a return in each timeline that it is finished in", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const { taskId } = yield* kernel.tasks.run(ahead, { goal: "Sail", seed: 42 })
        const decided = (yield* eventsOf(taskId)).filter(({ type }) => type === "DecisionMade")
        const back = Agent.fromPolicy({
          name: "back",
          version: "1",
          policy: () => ({ act: "drift/step", args: { action: -1 } }),
        })
        const at = decided[1]?.position ?? 0
        yield* kernel.fork(back, { task: taskId, at: at - 1, timeline: "other", fresh: true })
        const returns = yield* Effect.forEach(["return", "main/return", "other/return"], SetScores.load)
        const nets = returns.map(({ scores }) => scores.get(taskId)?.net ?? Number.NaN)
        expect(nets[0]).toBe(nets[1])
        expect(nets[2]).toBeLessThan(nets[1] ?? 0)
        expect(returns.every(({ scores }) => scores.get(taskId)?.finished)).toBe(true)
      }),
    ),
  )

  it.scopedLive("keeps the episode in its document: steps, status, return and random numbers", () =>
    inKernel(
      Effect.gen(function* () {
        const task = yield* opened()
        yield* task.act("drift/step", { action: 1 })
        const state = yield* Effect.flatMap(Projector, (projector) => projector.current(EnvironmentState.projection))
        expect(EnvironmentState.taskScope(state, task.id).environment.drift).toMatchObject({
          at: 1,
          episode: { step: 1, agents: { agent: { status: "active", return: 0.5611215602479477 } }, rng: {} },
        })
      }),
    ),
  )

  it.scopedLive("ends the run of an agent when its episode is over, as it says", () =>
    inKernel(
      Effect.gen(function* () {
        const { tasks } = yield* Kernel
        const won = yield* tasks.run(ahead, { goal: "Sail" })
        expect(won).toMatchObject({ outcome: "achieved", acting: { commanded: 3 } })
        const back = { ...ahead, decide: () => ({ act: "drift/step", args: { action: -1 } }) }
        expect(yield* tasks.run(back, { goal: "Sail" })).toMatchObject({ outcome: "failed" })
        const stay = { ...ahead, decide: () => ({ act: "drift/step", args: { action: 0 } }) }
        expect(yield* tasks.run(stay, { goal: "Sail" })).toMatchObject({
          outcome: "truncated",
          acting: { commanded: 6 },
        })
      }),
    ),
  )

  it.scopedLive("gives the same episode for the same seed, and goes on from a fork as it would have", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const first = yield* kernel.tasks.run(ahead, { goal: "Sail", seed: 9 })
        const second = yield* kernel.tasks.run(ahead, { goal: "Sail", seed: 9 })
        const shown = (taskId: string) =>
          Effect.map(eventsOf(taskId), (events) =>
            events.flatMap(({ type, payload }) => (type === "SensorRead" ? [payload.reading] : [])),
          )
        expect(yield* shown(second.taskId)).toEqual(yield* shown(first.taskId))
        const replayed = yield* kernel.replay(first.taskId, ahead)
        expect(replayed.divergence).toBe(null)
        const [decision] = (yield* eventsOf(first.taskId)).filter(({ type }) => type === "DecisionMade").slice(1)
        const forked = yield* kernel.fork(ahead, { task: first.taskId, at: decision?.position ?? 0, timeline: "again" })
        expect(forked.audit).toMatchObject({ outcome: "achieved", acting: { commanded: 3 } })
      }),
    ),
  )
})

describe("what is wrong in a world", () => {
  it.scopedLive("an action outside its space is denied, and nothing changes", () =>
    inKernel(
      Effect.gen(function* () {
        expect(yield* step(2)).toMatchObject({ status: "denied", rule: "args-schema" })
      }),
    ),
  )

  it.scopedLive("a step after the end of the episode fails with EpisodeOver", () =>
    inKernel(
      Effect.gen(function* () {
        const task = yield* opened({ at: 2 })
        yield* task.act("drift/step", { action: 1 })
        expect(yield* task.act("drift/step", { action: 1 })).toMatchObject({
          status: "failed",
          error: { code: "EpisodeOver" },
        })
      }),
    ),
  )

  it.scopedLive("a reward that is no number, and flags that are none, fail the step", () =>
    inKernel(
      Effect.gen(function* () {
        expect(yield* step(1, { wrong: "reward" })).toMatchObject({
          status: "failed",
          error: {
            code: "InvalidReward",
            message: expect.stringContaining("expected a finite number of at most 1000000000000000, found NaN"),
          },
        })
        expect(yield* step(1, { wrong: "flags" })).toMatchObject({ status: "failed", error: { code: "InvalidFlag" } })
        expect(yield* step(1, { wrong: "refuses" })).toMatchObject({ status: "failed", error: { code: "TornSail" } })
      }),
    ),
  )

  it.scopedLive("an observation outside its space is a failed reading", () =>
    inKernel(
      Effect.gen(function* () {
        const task = yield* opened({ wrong: "observation" })
        expect((yield* task.perceive()).map(({ sensor }) => sensor)).toEqual(["drift/action_mask"])
        const failed = (yield* eventsOf(task.id)).find(({ type }) => type === "SensorFailed")
        expect(failed?.payload).toMatchObject({ error: { code: "ObservationOutsideSpace" } })
      }),
    ),
  )

  it.scopedLive("a mask that is none of its actions is a failed reading", () =>
    inKernel(
      Effect.gen(function* () {
        const task = yield* opened({ wrong: "mask" })
        expect((yield* task.perceive()).map(({ sensor }) => sensor)).toEqual(["drift/observation"])
        const failed = (yield* eventsOf(task.id)).find(({ type }) => type === "SensorFailed")
        expect(failed?.payload).toMatchObject({
          error: { code: "MaskOutsideSpace", message: "the mask of agent: expected a list of 3, found a list of 2" },
        })
      }),
    ),
  )

  it.scopedLive("has its return in a fork from the very event of its reset, live and on the recording", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const { taskId } = yield* kernel.tasks.run(ahead, { goal: "Sail", seed: 42 })
        const log = yield* EventLog
        const startsOn = (timeline: string) =>
          Effect.map(
            log.readPage({ timeline, types: ["ScoringStarted", "ScoringFinished"], after: 0 }, 100),
            (events) =>
              events.flatMap(({ type, payload }) => (payload.scoreSetId === `return-${taskId}` ? [type] : [])),
          )
        const reset = (yield* eventsOf(taskId)).find(({ type }) => type === "EnvironmentReset")
        for (const io of ["live", "recorded"] as const) {
          yield* kernel.fork(ahead, { task: taskId, at: reset?.position ?? 0, timeline: io, io })
          expect(yield* startsOn(io)).toEqual(["ScoringStarted", "ScoringFinished"])
        }
      }),
    ),
  )

  it.scopedLive("options that break its schema, or that it refuses, open no episode", () =>
    inKernel(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(opened({ at: "shore" }))
        expect(refused).toMatchObject({ _tag: "EnvironmentRefused", reason: expect.stringContaining("at") })
        // It was found before the task was recorded.
        const log = yield* EventLog
        expect(yield* log.readPage({ types: ["TaskOpened"], after: 0 }, 10)).toEqual([])
        expect(yield* Effect.flip(opened({ wrong: "reset" }))).toMatchObject({
          reason: expect.stringContaining("NoWind"),
        })
        const two = yield* Effect.flip(
          Effect.flatMap(Kernel, (kernel) => kernel.tasks.open({ goal: "Sail", agents: ["a", "b"] })),
        )
        expect(two).toMatchObject({ reason: expect.stringContaining("at most 1") })
      }),
    ),
  )
})
