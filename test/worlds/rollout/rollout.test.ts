import { it } from "@effect/vitest"
import { Chunk, Effect, Either, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Pages from "../../../src/events/read/Pages.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import type * as Policy from "../../../src/worlds/rollout/Policy.ts"
import * as Rollout from "../../../src/worlds/rollout/Rollout.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"

const world = (name: string) => inRepository("packages", "worlds", name)

/** Pushes where the pole leans, with this share of mistakes. */
const balancing = (mistakes: number): Policy.Policy => ({
  name: "balances",
  version: "1",
  act: ({ observation, random }) => {
    const [, , angle = 0, turn = 0] = observation as ReadonlyArray<number>
    return random() < mistakes ? Math.floor(random() * 2) : angle + turn > 0 ? 1 : 0
  },
})

const balances = balancing(0.4)

const eventsOf = (query: Parameters<EventLog["Type"]["readPage"]>[0]) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events: Array<Event> = []
    yield* Pages.forEach(log.readPage, query, (page) => void events.push(...page))
    return events
  })

/** What the log has of each episode: actions, readings, changes, rewards and the end, without ids and times. */
const meaningOf = (result: Rollout.RolloutResult) =>
  Effect.forEach(result.episodes, ({ taskId, ...episode }) =>
    Effect.map(eventsOf({ taskId }), (events) => ({
      ...episode,
      events: events
        .filter(({ type, stream }) => MEANING.has(type) && stream.startsWith("task/"))
        .map(({ type, payload }) => {
          const { commandId: _c, latencyMs: _l, because: _b, scoreSetId: _s, totals, agent: _a, ...rest } = payload
          return [type, totals === undefined ? rest : Object.values(totals as JsonObject)]
        }),
    })),
  )

const MEANING = new Set([
  ...["EnvironmentReset", "SensorRead", "ActuatorCommanded", "CommandSucceeded", "CommandFailed"],
  ...["EnvironmentChanged", "RewardGiven", "PunishmentGiven", "TaskClosed"],
])

describe("a rollout", () => {
  it.scopedLive("has the same episodes for 1, 8 and 64 at a time, and in full", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [world("cart-pole")] })
      const { run } = yield* start
      const options = { world: "cart-pole", policy: balancing(0.9), episodes: 12, seed: 3, maxSteps: 60 }
      const played = (more: Partial<Rollout.RolloutOptions>) =>
        run(
          Effect.flatMap(Rollout.run({ ...options, ...more }), (result) =>
            Effect.map(meaningOf(result), (meaning) => ({ result, meaning })),
          ),
        )
      const one = yield* played({ parallel: 1 })
      expect(one.result.episodes.map(({ episode, seed }) => [episode, seed])).toEqual(
        Array.from({ length: 12 }, (_, index) => [index, 3 + index]),
      )
      expect(one.result.steps).toBeGreaterThan(200)
      expect(new Set(one.result.episodes.map(({ outcome }) => outcome))).toEqual(new Set(["failed", "truncated"]))
      expect((yield* played({ parallel: 8 })).meaning).toEqual(one.meaning)
      expect((yield* played({ parallel: 64 })).meaning).toEqual(one.meaning)
      const full = yield* played({ record: "full", parallel: 2, episodes: 4 })
      const withoutEnds = (meaning: typeof one.meaning) =>
        meaning
          .slice(0, 4)
          .map(({ events, ...rest }) => ({ ...rest, events: events.filter(([type]) => type !== "TaskClosed") }))
      expect(withoutEnds(full.meaning)).toEqual(withoutEnds(one.meaning))
      const rollouts = yield* run(eventsOf({ types: ["RolloutStarted", "RolloutEnded"] }))
      expect(rollouts.map(({ type }) => type)).toEqual(
        Array.from({ length: 3 }, () => ["RolloutStarted", "RolloutEnded"]).flat(),
      )
      expect(rollouts[0]?.payload).toMatchObject({
        plugin: "cart-pole",
        policy: "balances@1",
        rule: "default",
        parallel: 1,
      })
    }),
  )

  it.scopedLive("streams its episodes, each once it is in the log", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [world("frozen-lake")] })
      const { run } = yield* start
      const policy: Policy.PolicyView extends infer V ? (view: V) => number : never = ({ integer }) => integer(4)
      const streamed = yield* run(
        Effect.gen(function* () {
          const log = yield* EventLog
          return yield* Rollout.stream({ world: "frozen-lake", policy, episodes: 20, seed: 1 }).pipe(
            Stream.mapEffect((episode) =>
              Effect.map(log.readPage({ taskId: episode.taskId, types: ["TaskClosed"] }, 1), (closed) => ({
                episode,
                closed: closed.length,
              })),
            ),
            Stream.runCollect,
          )
        }),
      )
      expect(Chunk.size(streamed)).toBe(20)
      expect([...streamed].every(({ closed }) => closed === 1)).toBe(true)
      // A consumer that stops early stops the rollout.
      const some = yield* run(
        Stream.runCollect(Stream.take(Rollout.stream({ world: "frozen-lake", policy, episodes: 100_000 }), 3)),
      )
      expect(Chunk.size(some)).toBe(3)
    }),
  )

  it.scopedLive("fails with the policy if its promise fails while an episode that ended is recorded", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [world("cart-pole")] })
      const { run } = yield* start
      const pushes = (act: Policy.Policy["act"]): Policy.Policy => ({ name: "pushes", version: "1", act })
      const options = { world: "cart-pole", episodes: 4, seed: 3, parallel: 4 }
      const { episodes } = yield* run(Rollout.run({ ...options, policy: pushes(() => Promise.resolve(1)) }))
      const lengths = episodes.map(({ steps }) => steps)
      const shortest = Math.min(...lengths)
      const longest = lengths.indexOf(Math.max(...lengths))
      expect(lengths[longest]).toBeGreaterThan(shortest)
      const ways: ReadonlyArray<() => Promise<number>> = [
        () => Promise.reject(new RangeError("out of ideas")),
        () => Promise.resolve({ made: () => 1 } as unknown as number),
      ]
      for (const fails of ways) {
        const act: Policy.Policy["act"] = ({ episode, step }) =>
          episode === longest && step === shortest ? fails() : Promise.resolve(1)
        const failed = yield* run(Effect.flip(Rollout.run({ ...options, policy: pushes(act) })))
        expect(failed).toMatchObject({ _tag: "PolicyFailed", episode: longest, step: shortest })
        expect(failed.message).toMatch(/out of ideas|could not be cloned/)
      }
    }),
  )

  it.scopedLive("keeps every step if the policy throws, and continues with the same result", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [world("cart-pole")] })
      const { run } = yield* start
      const options = { world: "cart-pole", episodes: 6, seed: 11, parallel: 3, maxSteps: 400 }
      const whole = yield* run(Effect.flatMap(Rollout.run({ ...options, policy: balances }), meaningOf))
      for (const autoreset of ["Disabled", "NextStep"] as const) {
        const expected =
          autoreset === "Disabled"
            ? whole
            : yield* run(Effect.flatMap(Rollout.run({ ...options, policy: balances, autoreset }), meaningOf))
        let calls = 0
        const breaks: Policy.Policy = {
          ...balances,
          act: (view) => {
            calls += 1
            if (calls === 301) throw new RangeError("out of ideas")
            return balances.act(view)
          },
        }
        const failed = yield* run(Effect.flip(Rollout.run({ ...options, policy: breaks, autoreset })))
        expect(failed).toMatchObject({ _tag: "PolicyFailed", policy: "balances@1" })
        expect(failed.message).toContain("out of ideas")
        if (failed._tag !== "PolicyFailed") return
        const { rolloutId, episode, step } = failed
        const steps = yield* run(eventsOf({ types: ["StepsRecorded", "TaskOpened"] }))
        const own = steps.filter(
          ({ payload }) => (payload.rollout as { rolloutId?: string } | undefined)?.rolloutId === rolloutId,
        )
        const tasks = new Set(own.map(({ taskId }) => taskId))
        const recorded = steps
          .filter(({ type, taskId }) => type === "StepsRecorded" && tasks.has(taskId))
          .reduce((sum, { payload }) => sum + Number(payload.steps), 0)
        // The three slots act in turn; the steps of the round in which the policy broke were not made.
        expect(recorded).toBe(300)
        expect(step).toBe(100)
        expect(episode).toBe(0)
        const resumed = yield* run(Rollout.resume(rolloutId, balances))
        expect(yield* run(meaningOf(resumed))).toEqual(expected)
        const again = yield* run(Effect.flip(Rollout.resume(rolloutId, balances)))
        expect(again.message).toContain("it has ended")
      }
    }),
  )

  it.scopedLive("loses nothing if the policy throws at its step 40,123, and continues with the same result", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [world("cart-pole")] })
      const { run } = yield* start
      const options = { world: "cart-pole", episodes: 100, seed: 5, parallel: 64 }
      const steady: Policy.Policy = {
        name: "steady",
        version: "1",
        act: ({ observation }) => {
          const [place = 0, speed = 0, angle = 0, turn = 0] = observation as ReadonlyArray<number>
          return angle + turn + 0.05 * place + 0.1 * speed > 0 ? 1 : 0
        },
      }
      let calls = 0
      const breaks: Policy.Policy = {
        ...steady,
        act: (view) => {
          calls += 1
          if (calls === 40_123) throw new RangeError("out of ideas")
          return steady.act(view)
        },
      }
      const failed = yield* run(Effect.flip(Rollout.run({ ...options, policy: breaks })))
      expect(failed).toMatchObject({ _tag: "PolicyFailed", policy: "steady@1" })
      if (failed._tag !== "PolicyFailed") return
      expect(failed.message).toContain(`at step ${failed.step} of episode ${failed.episode}: out of ideas`)
      const recorded = yield* run(eventsOf({ types: ["StepsRecorded"] }))
      const steps = recorded.reduce((sum, { payload }) => sum + Number(payload.steps), 0)
      // The steps of the round in which the policy broke were not made.
      expect(40_123 - steps).toBeGreaterThan(0)
      expect(40_123 - steps).toBeLessThanOrEqual(64)
      const resumed = yield* run(Rollout.resume(failed.rolloutId, steady))
      const whole = yield* run(Rollout.run({ ...options, policy: steady }))
      const resultOf = ({ episodes }: Rollout.RolloutResult) => episodes.map(({ taskId: _, ...episode }) => episode)
      expect(whole.steps).toBeGreaterThan(40_123)
      expect(resultOf(resumed)).toEqual(resultOf(whole))
    }),
  )

  it.scopedLive("refuses what it cannot do, with the reason", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({
        plugins: [world("cart-pole"), world("connect-four")],
        gate: { rules: [{ name: "ask", actuator: "cart-pole/*", decision: "confirm" }], default: "allow" },
      })
      const { run } = yield* start
      const reasonOf = (options: Rollout.RolloutOptions) =>
        Effect.map(run(Effect.either(Rollout.run(options))), (found) =>
          Either.isLeft(found) ? found.left.message : "none",
        )
      const policy = () => 0
      expect(yield* reasonOf({ world: "cart-pole", policy, episodes: 1 })).toContain("its rule ask says confirm")
      expect(yield* reasonOf({ world: "connect-four", policy, episodes: 1 })).toContain(
        "expected a world for one agent, found one for 2",
      )
      expect(yield* reasonOf({ world: "nowhere", policy, episodes: 1 })).toContain(
        "expected an active plugin of this name",
      )
      expect(yield* reasonOf({ world: "cart-pole", policy, episodes: 0 })).toContain("episodes")
      expect(yield* reasonOf({ world: "cart-pole", policy, episodes: 1, parallel: 5000 })).toContain("parallel")
      expect(yield* run(eventsOf({ types: ["RolloutStarted"] }))).toEqual([])
    }),
  )

  it.scopedLive("ends with the reason if the policy chooses an action that the space does not have", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [world("cart-pole")] })
      const { run } = yield* start
      const failed = yield* run(
        Effect.flip(Rollout.run({ world: "cart-pole", policy: ({ step }) => (step === 3 ? 7 : 1), episodes: 1 })),
      )
      expect(failed).toMatchObject({ _tag: "PolicyFailed", step: 3, episode: 0 })
      expect(failed.message).toContain("the action of agent")
    }),
  )
})
