import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Scope } from "effect"
import * as DmEnv from "../../src/worlds/adapters/DmEnv.ts"
import * as Hal from "../../src/worlds/adapters/Hal.ts"
import * as PluginEnvironment from "../../src/worlds/handle/PluginEnvironment.ts"
import * as World from "../../src/worlds/World.ts"
import { ClipAction } from "../../src/worlds/wrappers/ActionWrappers.ts"
import { RecordEpisodeStatistics, TimeLimit } from "../../src/worlds/wrappers/EpisodeWrappers.ts"
import { wrapped } from "../../src/worlds/wrappers/Wrapper.ts"
import { textRoom } from "../first-party/text-room/playing.ts"
import { events } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"

const asArray = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const started = Effect.gen(function* () {
  const plugins = [inRepository("test/worlds/samples/drift"), textRoom]
  const { run } = yield* Effect.flatMap(testKernel({ plugins }), ({ start }) => start)
  const scope = yield* Effect.scope
  return {
    run,
    open: (options: World.WorldOptions) => run(Scope.extend(World.open(options), scope)),
    openEnvironment: (options: PluginEnvironment.PluginEnvironmentOptions) =>
      run(Scope.extend(PluginEnvironment.open(options), scope)),
  }
})

describe("a world on a kernel", () => {
  it.scopedLive("is reset, stepped and read as a handle, and each episode is a task", () =>
    Effect.gen(function* () {
      const { run, open } = yield* started
      const world = yield* open({ world: "drift" })
      expect(world.info).toMatchObject({ name: "Drift", version: "1.0.0", maxAgents: 1, maxEpisodeSteps: 6 })
      expect([world.mode(), world.agents(), world.spaces().action]).toEqual([
        "single",
        ["agent"],
        { type: "Discrete", n: 3, start: -1 },
      ])
      const first = yield* world.reset({ seed: 42 })
      expect(first).toMatchObject({ observation: [0, 0.7739560485559633], info: { gust: 0.7739560485559633 } })
      expect(yield* world.step(1)).toEqual({
        observation: [1, 0.4388784397520523],
        reward: 1 - 0.4388784397520523,
        rewards: { way: 1, wind: -0.4388784397520523 },
        terminated: false,
        truncated: false,
        info: { gust: 0.4388784397520523 },
      })
      expect(yield* world.observe()).toEqual([1, 0.4388784397520523])
      expect(yield* world.mask()).toEqual([1, 1, 1])
      expect(yield* world.state).toMatchObject({ at: 1, episode: { step: 1 } })
      expect([yield* world.status(), yield* world.turn]).toEqual(["active", null])
      for (const action of [1]) yield* world.step(action)
      expect(yield* world.step(1)).toMatchObject({ terminated: true })
      expect(yield* world.status()).toBe("terminated")
      expect(yield* Effect.flip(world.step(1))).toMatchObject({ _tag: "ActionRefused", code: "EpisodeOver" })

      expect((yield* world.reset({ seed: 42, options: { at: -2 } })).observation).toEqual([-2, 0.7739560485559633])
      yield* world.step(-1)
      yield* world.reset()
      yield* world.close
      yield* world.close
      const outcomes = (yield* run(events("TaskClosed"))).map(({ payload }) => payload.outcome)
      expect(outcomes).toEqual(["achieved", "failed", "truncated"])
      // What was observed once is not read again.
      expect(
        (yield* run(events("SensorRead"))).filter(({ payload }) => payload.sensor === "drift/observation").length,
      ).toBe(7)
      expect(yield* Effect.flip(world.observe())).toMatchObject({ _tag: "NoEpisode" })
    }),
  )

  it.scopedLive("refuses actions with a code, and stays as it was", () =>
    Effect.gen(function* () {
      const { open } = yield* started
      const world = yield* open({ world: "drift", options: { wrong: "refuses" } })
      expect(yield* Effect.flip(world.step(1))).toMatchObject({ _tag: "NoEpisode" })
      yield* world.reset()
      const before = yield* world.state
      expect(yield* Effect.flip(world.step(7))).toMatchObject({ _tag: "ActionRefused", code: "ActionOutsideSpace" })
      expect(yield* Effect.flip(world.step(1))).toMatchObject({ code: "TornSail", reason: "the sail is torn" })
      expect(yield* Effect.flip(world.step(1, "bob"))).toMatchObject({ _tag: "NoSuchAgent", agents: ["agent"] })
      expect(yield* world.state).toEqual(before)
      const message = "drift refused the action of agent (TornSail): the sail is torn"
      expect((yield* Effect.flip(world.step(1))).message).toBe(message)
      expect(yield* Effect.flip(world.reset({ options: { wrong: "reset" } }))).toMatchObject({
        _tag: "EnvironmentRefused",
      })
    }),
  )

  it.scopedLive("is not opened with options that break its schema, and such a reset records nothing", () =>
    Effect.gen(function* () {
      const { run, open } = yield* started
      const broken = { at: "shore" }
      const refused = { _tag: "EnvironmentRefused", plugin: "drift", reason: expect.stringContaining("options.at") }
      expect(yield* Effect.flip(open({ world: "drift", options: broken }))).toMatchObject(refused)
      const world = yield* open({ world: "drift", options: { at: 1 } })
      expect(yield* Effect.flip(world.reset({ options: broken }))).toMatchObject(refused)
      expect(yield* run(events("TaskOpened"))).toEqual([])
    }),
  )

  it.scopedLive("is reset for as many agents as it is for, each with a name of its own", () =>
    Effect.gen(function* () {
      const { open } = yield* started
      const world = yield* open({ world: "drift" })
      for (const agents of [[], ["ada", "ada"], ["ada", "bob"]])
        expect(yield* Effect.flip(world.reset({ agents }))).toMatchObject({
          _tag: "InvalidOptions",
          problems: [{ path: "agents" }],
        })
      expect((yield* world.reset({ agents: ["ada"] })).agents).toHaveProperty("ada")
    }),
  )

  it.scopedLive("is reset one time after the other, and leaves no episode open", () =>
    Effect.gen(function* () {
      const { run, open } = yield* started
      const world = yield* open({ world: "drift" })
      const resets = [1, 2, 3].map((at) => Effect.fork(world.reset({ seed: 42, options: { at } })))
      const forked = yield* Effect.all(resets)
      const begun = yield* Effect.forEach(forked, Fiber.join)
      expect(begun.map(({ observation }) => observation)).toEqual([1, 2, 3].map((at) => [at, 0.7739560485559633]))
      yield* world.close
      expect([(yield* run(events("TaskOpened"))).length, (yield* run(events("TaskClosed"))).length]).toEqual([3, 3])
    }),
  )

  it.scopedLive("has steps of one episode each, where they overlap a reset", () =>
    Effect.gen(function* () {
      const { run, open } = yield* started
      const world = yield* open({ world: "drift" })
      yield* world.reset({ seed: 42, options: { at: 0 } })
      const step = Effect.either(world.step(1))
      const ended = yield* Effect.all(
        [step, step, Effect.either(world.reset({ seed: 42, options: { at: -3 } })), step],
        { concurrency: "unbounded" },
      )
      const [first, second, reset, late] = ended.map((result) =>
        result._tag === "Left" ? result.left._tag : asArray(result.right.observation)[0],
      )
      expect(reset).toBe(-3)
      // The reset comes between the first two and their ends; the last one waits for it.
      for (const step of [first, second]) expect([1, 2, "EpisodeReplaced"]).toContain(step)
      expect([first, second]).toContain("EpisodeReplaced")
      expect(late).toBe(-2)
      expect((yield* run(events("TaskClosed"))).length).toBe(1)
    }),
  )

  it.scopedLive("names what is wrong where there is no such world", () =>
    Effect.gen(function* () {
      const { open } = yield* started
      const none = yield* Effect.flip(open({ world: "cartpole" }))
      expect(none.message).toContain("no plugin of this name")
      const room = yield* Effect.flip(open({ world: "text-room" }))
      expect(room.message).toContain("an environment without spaces")
    }),
  )

  it.scopedLive("works in wrappers, and under the names of dm_env and HAL", () =>
    Effect.gen(function* () {
      const { open, openEnvironment } = yield* started
      const opened = yield* open({ world: "drift" })
      expect(yield* Effect.flip(wrapped(opened, ClipAction))).toMatchObject({ _tag: "DoesNotFit", world: "drift" })
      const env = DmEnv.of(yield* wrapped(opened, TimeLimit(2), RecordEpisodeStatistics))
      expect((yield* env.step(0)).step_type).toBe("FIRST")
      yield* env.step(0)
      expect(yield* env.step(0)).toMatchObject({ step_type: "LAST", discount: 1 })
      expect((yield* env.step(0)).step_type).toBe("FIRST")

      const environment = yield* openEnvironment({ plugin: "drift", agents: ["sailor"] })
      const hal = yield* Hal.of(environment)
      expect(yield* hal.reset()).toMatchObject({
        sensor_data: { observation: [0, expect.any(Number)], action_mask: [1, 1, 1] },
        agent_specific_data: { status: "active", return: 0 },
      })
      expect((yield* hal.get_action_space()).step?.parameters).toMatchObject({ action: { type: "integer" } })
      const step = (action: number) => hal.step("sailor", { action_type: "step", parameters: { action } })
      expect(yield* step(1)).toMatchObject({ status: "success", details: { result: { rewards: { way: 1 } } } })
      for (const action of [1, 1]) yield* step(action)
      expect(yield* hal.is_done("sailor")).toBe(true)
      expect(yield* step(1)).toMatchObject({ status: "failure", details: { code: "EpisodeOver" } })
    }),
  )
})
