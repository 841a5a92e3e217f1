import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { contains, type Space } from "../../src/plugins/spaces/Space.ts"
import type { Json } from "../../src/values/Json.ts"
import type { World } from "../../src/worlds/handle/World.ts"
import { ClipAction, RescaleAction } from "../../src/worlds/wrappers/ActionWrappers.ts"
import { OrderEnforcing, RecordEpisodeStatistics, TimeLimit } from "../../src/worlds/wrappers/EpisodeWrappers.ts"
import { FrameStack, TimeAware } from "../../src/worlds/wrappers/ObservationWrappers.ts"
import { type Wrapper, wrapped } from "../../src/worlds/wrappers/Wrapper.ts"
import { inMemory } from "./InMemoryWorld.ts"
import { counter, matches, nim, pusher, shifting } from "./samples.ts"

/** A world whose observations and actions are two flags. */
const switches = (): World => {
  const space: Space = { type: "Box", dtype: "bool", shape: [2], low: false, high: true }
  let lit: Json = [false, false]
  const spaces = { observation: space, action: space }
  return inMemory(
    {
      reset: () => {},
      observe: () => lit,
      step: (_context, action: Json) => {
        lit = action
        return { reward: 0 }
      },
      state: () => ({ lit }),
    },
    { spaces },
  )
}

/** Whether everything that is shown is in the space that the world declares. */
const assertShown = (world: World, ...observations: ReadonlyArray<unknown>) =>
  expect(observations.map((shown) => contains(world.spaces().observation, shown))).toEqual(
    observations.map(() => undefined),
  )

const misfit = (world: World, ...wrappers: ReadonlyArray<Wrapper>) =>
  Either.getOrElse(Either.flip(wrapped(world, ...wrappers)), () => undefined)

describe("TimeLimit", () => {
  it.effect("truncates an episode at its step, refuses further ones, and begins anew with a reset", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(counter(), TimeLimit(2))
      expect(world.info.maxEpisodeSteps).toBe(2)
      yield* world.reset()
      expect(yield* world.step(0)).toMatchObject({ terminated: false, truncated: false })
      expect(yield* world.status()).toBe("active")
      expect(yield* world.step(0)).toMatchObject({ terminated: false, truncated: true })
      expect(yield* world.status()).toBe("truncated")
      expect(yield* Effect.flip(world.step(0))).toMatchObject({ _tag: "ActionRefused", code: "EpisodeOver" })
      yield* world.reset()
      expect(yield* world.step(0)).toMatchObject({ truncated: false })
    }),
  )

  it.effect("says of what terminates at the limit that it is truncated too, as Gymnasium does", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(counter(), TimeLimit(3))
      yield* world.reset()
      for (const action of [1, 1]) yield* world.step(action)
      expect(yield* world.step(1)).toMatchObject({ terminated: true, truncated: true })
    }),
  )

  it.effect("counts the steps of each agent, and keeps the lower of two limits", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(matches(), TimeLimit(2), TimeLimit(7))
      expect(world.info.maxEpisodeSteps).toBe(2)
      yield* world.reset()
      yield* world.stepTogether({ alice: 1 })
      expect(yield* world.stepTogether({ alice: 1, bob: 1 })).toMatchObject({
        alice: { truncated: true },
        bob: { truncated: false },
      })
    }),
  )
})

describe("wrappers of a world in which others act, too", () => {
  it.effect("TimeLimit and TimeAware count an agent's own steps", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(nim(), TimeLimit(2), TimeAware)
      yield* world.reset()
      expect(yield* world.stepTogether({ alice: 1 })).toMatchObject({
        alice: { truncated: false, observation: { time: [1] } },
        bob: { truncated: false, observation: { left: 4, time: [0] } },
      })
      expect(yield* world.stepTogether({ bob: 1 })).toMatchObject({
        alice: { truncated: false, observation: { time: [1] } },
        bob: { truncated: false, observation: { left: 3, time: [1] } },
      })
      expect(yield* world.observe("alice")).toMatchObject({ left: 3, time: [1] })
    }),
  )

  it.effect("RecordEpisodeStatistics adds up what others' steps gave an agent, and counts its own steps", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(nim(), RecordEpisodeStatistics)
      yield* world.reset()
      yield* world.stepTogether({ alice: 2 })
      yield* world.stepTogether({ bob: 2 })
      const { alice, bob } = yield* world.stepTogether({ alice: 1 })
      expect(alice?.info.episode).toMatchObject({ r: alice?.reward, l: 2 })
      expect(bob?.info.episode).toMatchObject({ r: bob?.reward, l: 1 })
    }),
  )

  it.effect("FrameStack shows what is so now, and keeps one frame for each step of the agent", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(shifting(), FrameStack(3))
      yield* world.reset()
      yield* world.step(0, "alice")
      const before = yield* world.observe("alice")
      expect(before).toEqual([[0], [0], [1]])
      yield* world.step(0, "bob")
      expect(yield* world.observe("alice")).toEqual([[0], [0], [2]])
      expect((yield* world.step(0, "alice")).observation).toEqual([[0], [2], [3]])
    }),
  )
})

describe("ClipAction and RescaleAction", () => {
  it.effect("clip each number to the bounds of its cell", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(pusher(), ClipAction)
      yield* world.reset()
      expect(yield* world.step([-7, 0.5])).toMatchObject({ observation: [-2, 0.3] })
      expect(yield* world.step([1, 0.1])).toMatchObject({ observation: [1, 0.1] })
      expect(world.spaces().action).toMatchObject({ low: "-Infinity", high: "Infinity" })
      expect(yield* Effect.flip(world.step([1]))).toMatchObject({ code: "ActionOutsideSpace" })
    }),
  )

  it.effect("stretch numbers to the bounds of their cells, and meet these exactly", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(pusher(), RescaleAction(-1, 1))
      yield* world.reset()
      expect(yield* world.step([1, 1])).toMatchObject({ observation: [2, 0.3] })
      expect(yield* world.step([-1, -1])).toMatchObject({ observation: [-2, 0] })
      expect(yield* world.step([0.5, 0])).toMatchObject({ observation: [1, 0.15] })
      expect(world.spaces().action).toMatchObject({ low: -1, high: 1 })
      expect(yield* Effect.flip(world.step([1.5, 0]))).toMatchObject({
        code: "ActionOutsideSpace",
        reason: expect.stringContaining("/0"),
      })
    }),
  )

  it.effect("can be put together: what is clipped to -1 … 1 is stretched", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(pusher(), RescaleAction(-1, 1), ClipAction)
      yield* world.reset()
      expect(yield* world.step([9, -9])).toMatchObject({ observation: [2, 0] })
    }),
  )

  it("do not fit a world whose actions are no Box, or one without bounds", () => {
    expect(misfit(counter(), ClipAction)).toMatchObject({ _tag: "DoesNotFit", wrapper: "ClipAction", world: "sample" })
    expect(misfit(counter(), ClipAction)?.message).toContain(
      'ClipAction does not fit sample: expected a Box for actions, found {"type":"Discrete"',
    )
    expect(misfit(pusher(), ClipAction, RescaleAction(-1, 1))?.message).toContain(
      "a Box with finite bounds for actions",
    )
    for (const wrapper of [ClipAction, RescaleAction(0, 1)])
      expect(misfit(switches(), wrapper)?.message).toContain('found {"type":"Box","dtype":"bool"')
    expect(misfit(pusher(), RescaleAction(1, 1))?.message).toContain("found 1 and 1")
  })
})

describe("FrameStack", () => {
  it.effect("shows the last observations, the first one repeated at the beginning", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(pusher(), FrameStack(3))
      const { observation } = yield* world.reset()
      expect(observation).toEqual([
        [0, 0],
        [0, 0],
        [0, 0],
      ])
      yield* world.step([1, 0.1])
      const { observation: shown } = yield* world.step([2, 0.2])
      expect(shown).toEqual([
        [0, 0],
        [1, 0.1],
        [2, 0.2],
      ])
      expect(yield* world.observe()).toEqual(shown)
      assertShown(world, observation, shown)
      expect((yield* world.reset()).observation).toEqual(observation)
    }),
  )

  it.effect("repeats bounds that the cells have of their own", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(counter(), FrameStack(2))
      expect(world.spaces().observation).toMatchObject({
        shape: [2, 2],
        low: [
          [-100, 0],
          [-100, 0],
        ],
      })
      assertShown(world, (yield* world.reset()).observation, (yield* world.step(1)).observation)
    }),
  )

  it("does not fit a world whose observations are no Box, nor a size of 0", () => {
    expect(misfit(nim(), FrameStack(2))?.message).toContain("expected a Box for observations")
    expect(misfit(pusher(), FrameStack(0))?.message).toContain("1 or more, found 0")
  })
})

describe("TimeAware", () => {
  it.effect("puts the time beside flags, not among them", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(switches(), TimeLimit(5), TimeAware)
      const { observation } = yield* world.reset()
      expect(observation).toEqual({ obs: [false, false], time: [0] })
      const next = yield* world.step([true, false])
      expect(next.observation).toEqual({ obs: [true, false], time: [1] })
      assertShown(world, observation, next.observation)
      expect(yield* Effect.flip(world.step([1, 0]))).toMatchObject({ code: "ActionOutsideSpace" })
    }),
  )

  it.effect("adds the steps taken to a list of numbers", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(pusher(), TimeLimit(5), TimeAware)
      const { observation } = yield* world.reset()
      expect(observation).toEqual([0, 0, 0])
      const { observation: next } = yield* world.step([1, 0.1])
      expect(next).toEqual([1, 0.1, 1])
      expect(yield* world.observe()).toEqual(next)
      expect(world.spaces().observation).toMatchObject({ shape: [3], high: [10, 10, 5] })
      assertShown(world, observation, next)
    }),
  )

  it.effect("adds them as a key of an object, and beside anything else", () =>
    Effect.gen(function* () {
      const inObject = yield* wrapped(nim(), TimeLimit(5), TimeAware)
      assertShown(inObject, (yield* inObject.reset()).observation)
      yield* inObject.step(2, "alice")
      expect(yield* inObject.observe("alice")).toEqual({ left: 3, time: [1] })
      const beside = yield* wrapped(pusher(), TimeLimit(5), FrameStack(2), TimeAware)
      const { observation } = yield* beside.reset()
      expect(observation).toMatchObject({ obs: [[], []].map(() => [0, 0]), time: [0] })
      assertShown(beside, observation)
    }),
  )

  it("does not fit a world without a limit of steps", () => {
    expect(misfit(pusher(), TimeAware)?.message).toContain("a limit of steps")
  })
})

describe("RecordEpisodeStatistics", () => {
  it.effect("adds return, length and time to the last step", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(counter(), RecordEpisodeStatistics)
      yield* world.reset()
      const { info } = yield* world.step(1)
      expect(info).toEqual({ at: 1 })
      yield* TestClock.adjust("1500 millis")
      yield* world.step(1)
      expect((yield* world.step(1)).info).toEqual({ at: 3, episode: { r: 0.5 + 1.5 + 2.5, l: 3, t: 1.5 } })
      yield* world.reset()
      for (const action of [-1, -1]) yield* world.step(action)
      expect((yield* world.step(-1)).info.episode).toEqual({ r: -7.5, l: 3, t: 0 })
    }),
  )

  it.effect("also where a TimeLimit inside truncates", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(pusher(), TimeLimit(2), RecordEpisodeStatistics)
      yield* world.reset()
      yield* world.step([0, 0])
      expect((yield* world.step([0, 0])).info).toMatchObject({ episode: { r: 2, l: 2 } })
    }),
  )
})

describe("OrderEnforcing", () => {
  it.effect("lets nobody act or observe before a reset, and after the world was closed", () =>
    Effect.gen(function* () {
      const world = yield* wrapped(pusher(), OrderEnforcing)
      const early = [world.step([0, 0]), world.observe(), world.mask(), world.stepTogether({})]
      for (const tried of early.map((effect): Effect.Effect<unknown, unknown> => effect))
        expect(yield* Effect.flip(tried)).toMatchObject({ _tag: "NoEpisode", world: "sample" })
      yield* world.reset()
      expect(yield* world.observe()).toEqual([0, 0])
      yield* world.close
      expect(yield* Effect.flip(world.observe())).toMatchObject({ _tag: "NoEpisode" })
    }),
  )
})
