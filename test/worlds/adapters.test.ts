import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import dilemma from "../../packages/worlds/prisoners-dilemma/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/prisoners-dilemma/world.ts"
import type { Spaces } from "../../src/plugins/author.ts"
import type { Json } from "../../src/values/Json.ts"
import * as AgentOS from "../../src/worlds/adapters/AgentOS.ts"
import * as DmEnv from "../../src/worlds/adapters/DmEnv.ts"
import * as Gymnasium from "../../src/worlds/adapters/Gymnasium.ts"
import * as PettingZoo from "../../src/worlds/adapters/PettingZoo.ts"
import { ActionRefused } from "../../src/worlds/handle/WorldError.ts"
import { TimeLimit } from "../../src/worlds/wrappers/EpisodeWrappers.ts"
import { wrapped } from "../../src/worlds/wrappers/Wrapper.ts"
import { inMemory } from "./InMemoryWorld.ts"
import { counter, matches, nim, pusher } from "./samples.ts"

describe("a world under Gymnasium's names", () => {
  it.effect("is reset with a seed, and stepped with five values", () =>
    Effect.gen(function* () {
      const env = Gymnasium.of(counter(7))
      const [first, info] = yield* env.reset({ seed: 42 })
      // numpy's `default_rng(42).random()`.
      expect([first, info]).toEqual([[0, 0.7739560485559633], { began: true }])
      expect(yield* env.step(1)).toEqual([[1, 0.4388784397520523], 0.5, false, false, { at: 1 }])
      expect((yield* env.reset({ seed: 42 }))[0]).toEqual(first)
      expect(env.spec).toEqual({ id: "sample", max_episode_steps: 7 })
      expect(env.action_space).toMatchObject({ type: "Discrete", n: 3 })
      yield* env.close()
      yield* env.close()
      expect(yield* Effect.flip(env.step(1))).toMatchObject({ _tag: "NoEpisode" })
    }),
  )
})

describe("a world under dm_env's names", () => {
  const steps = (world = counter(2)) => DmEnv.of(world)

  it.effect("begins with FIRST without reward and discount, and ends with LAST", () =>
    Effect.gen(function* () {
      const env = steps()
      expect(yield* env.reset({ seed: 1 })).toMatchObject({ step_type: "FIRST", reward: null, discount: null })
      expect(yield* env.step(0)).toMatchObject({ step_type: "MID", reward: 0, discount: 1 })
      expect(yield* env.step(1)).toMatchObject({ step_type: "LAST", reward: 0.5, discount: 1 })
    }),
  )

  it.effect("has discount 0 where the episode terminated", () =>
    Effect.gen(function* () {
      const env = steps(counter())
      yield* env.reset()
      for (const action of [1, 1]) yield* env.step(action)
      expect(yield* env.step(1)).toMatchObject({ step_type: "LAST", discount: 0 })
    }),
  )

  it.effect("begins an episode where a step comes before the first reset, and after LAST", () =>
    Effect.gen(function* () {
      const env = steps()
      expect(yield* env.step(1)).toMatchObject({ step_type: "FIRST", observation: [0, expect.any(Number)] })
      for (const action of [0, 0]) yield* env.step(action)
      expect(yield* env.step(1)).toMatchObject({ step_type: "FIRST", observation: [0, expect.any(Number)] })
      expect((yield* env.step(1)).step_type).toBe("MID")
    }),
  )

  it("describes its spaces as specs", () => {
    expect(DmEnv.of(counter()).observation_spec()).toEqual({
      type: "BoundedArray",
      shape: [2],
      dtype: "float64",
      minimum: [-100, 0],
      maximum: [100, 1],
    })
    expect(DmEnv.of(counter()).action_spec()).toMatchObject({ type: "BoundedArray", minimum: -1, maximum: 1 })
    expect(DmEnv.specOf({ type: "Discrete", n: 4 })).toEqual({ type: "DiscreteArray", num_values: 4, dtype: "int64" })
    expect(DmEnv.specOf({ type: "MultiDiscrete", nvec: [[2, 3]] })).toEqual({
      type: "BoundedArray",
      shape: [1, 2],
      dtype: "int64",
      minimum: 0,
      maximum: [[1, 2]],
    })
    const box = { type: "Box", dtype: "float32", shape: [1], low: "-Infinity", high: "Infinity" } as const
    expect(DmEnv.specOf({ type: "Dict", subspaces: { a: box, b: { type: "Text", max_length: 3 } } })).toEqual({
      fields: { a: { type: "Array", shape: [1], dtype: "float32" }, b: { type: "StringArray", shape: [] } },
    })
    expect(DmEnv.specOf({ type: "Tuple", subspaces: [{ type: "MultiBinary", n: 2 }] })).toEqual([
      { type: "BoundedArray", shape: [2], dtype: "int8", minimum: 0, maximum: 1 },
    ])
    expect(DmEnv.specOf({ type: "MultiDiscrete", nvec: [2, 3], start: [-1, 5] })).toMatchObject({
      minimum: [-1, 5],
      maximum: [0, 7],
    })
    expect(DmEnv.specOf({ type: "Sequence", feature_space: box })).toEqual({
      type: "Array",
      shape: [],
      dtype: "object",
    })
  })
})

describe("a world under AgentOS's names", () => {
  const ahead = (world = counter()) => ({
    observation_space: world.spaces().observation,
    action_space: world.spaces().action,
    compute_action: () => Effect.succeed<Json>(1),
  })
  const Env = Effect.sync(() => AgentOS.of(counter()))

  it.effect("answers a step with four values", () =>
    Effect.gen(function* () {
      const env = AgentOS.of(counter(1))
      expect(yield* env.reset()).toMatchObject([0, expect.any(Number)])
      expect(yield* env.step(1)).toEqual([
        [1, expect.any(Number)],
        0.5,
        true,
        { at: 1, rewards: { way: 1, effort: -0.5 }, terminated: false, truncated: true },
      ])
    }),
  )

  it.effect("a rollout is the trajectory of one episode in a new environment", () =>
    Effect.gen(function* () {
      const trajectory = yield* AgentOS.rollout(Env, Effect.succeed(ahead()))
      expect(trajectory).toEqual([
        [1, [1, expect.any(Number)], 0.5],
        [1, [2, expect.any(Number)], 1.5],
        [1, [3, expect.any(Number)], 2.5],
      ])
    }),
  )

  it.effect("an agent advances by one step, and says whether it is done", () =>
    Effect.gen(function* () {
      const agent = yield* AgentOS.agent(Env, Effect.succeed(ahead()))
      expect([yield* agent.advance(), yield* agent.advance(), yield* agent.advance()]).toEqual([false, false, true])
      expect(yield* AgentOS.run(agent)).toBe(3)
      expect(yield* AgentOS.run(agent, 2)).toBe(2)
    }),
  )

  it.effect("a policy of other spaces, or one that leaves them, is refused", () =>
    Effect.gen(function* () {
      const other = Effect.succeed(ahead(pusher()))
      expect(yield* Effect.flip(AgentOS.rollout(Env, other))).toMatchObject({
        _tag: "SpacesDiffer",
        which: "observation_space",
      })
      const wild = Effect.succeed({ ...ahead(), compute_action: () => Effect.succeed<Json>(7) })
      expect(yield* Effect.flip(AgentOS.rollout(Env, wild))).toMatchObject({
        _tag: "OutsideSpace",
        message: "The action is outside its space: expected a whole number from -1 to 1, found 7",
      })
    }),
  )
})

const NOTHING = {
  observation: { left: 5 },
  info: {},
  reward: 0,
  rewards: {},
  terminated: false,
  truncated: false,
}

describe("a world under PettingZoo's names", () => {
  it.effect("all act at once, and what is over is no longer among the agents", () =>
    Effect.gen(function* () {
      const env = PettingZoo.parallel(matches())
      expect(yield* env.agents()).toEqual([])
      expect(yield* env.reset({ seed: 3 })).toEqual([
        { alice: { left: 5 }, bob: { left: 5 } },
        { alice: {}, bob: {} },
      ])
      const [observations, rewards, terminations, truncations, infos] = yield* env.step({ alice: 2, bob: 1 })
      expect(observations).toEqual({ alice: { left: 3 }, bob: { left: 4 } })
      expect(rewards).toEqual({ alice: 1, bob: 2 })
      expect([terminations, truncations]).toEqual([
        { alice: false, bob: false },
        { alice: false, bob: false },
      ])
      expect(infos).toEqual({ alice: { taken: 2 }, bob: { taken: 1 } })
      yield* env.step({ alice: 2, bob: 0 })
      expect((yield* env.step({ alice: 1, bob: 0 }))[2]).toEqual({ alice: true, bob: false })
      expect(yield* env.agents()).toEqual(["bob"])
      expect(env.possible_agents()).toEqual(["alice", "bob"])
      expect(yield* env.step({ alice: 1, bob: 1 })).toEqual([
        { alice: { left: 0 }, bob: { left: 3 } },
        { alice: 0, bob: 0 },
        { alice: true, bob: false },
        { alice: false, bob: false },
        { alice: { refused: { code: "EpisodeOver", reason: expect.any(String) } }, bob: { taken: 1 } },
      ])
      expect(yield* Effect.flip(env.step({ alice: 1 }))).toMatchObject({ code: "EpisodeOver" })
    }),
  )

  it.effect("an action outside its space is refused, though the world gives its agent something, too", () =>
    Effect.gen(function* () {
      const { spaces } = dilemma.peas.environment
      const world = inMemory(plugin.environment, { spaces: spaces as Spaces, agents: ["ann", "ben"] })
      yield* world.reset()
      const { ann, ben } = yield* world.stepTogether({ ann: 7, ben: 1 })
      expect([ann?.refused?.code, ben?.reward]).toEqual(["ActionOutsideSpace", 5])
    }),
  )

  /** Plays by the agents' turns. Answers with who was selected, and what each had got when it was. */
  const played = (env: PettingZoo.AECEnv, choose: (agent: string) => Json) =>
    Stream.runCollect(
      Stream.mapEffect(env.agent_iter(40), (agent) =>
        Effect.gen(function* () {
          const [, reward, termination, truncation] = yield* env.last()
          yield* env.step(termination || truncation ? null : choose(agent))
          return [agent, reward, termination || truncation] as const
        }),
      ),
    ).pipe(Effect.map(Chunk.toReadonlyArray))

  it.effect("parallel worlds take the actions of a round together, when the last one has come", () =>
    Effect.gen(function* () {
      const env = PettingZoo.aec(matches())
      yield* env.reset()
      expect(env.agent_selection()).toBe("alice")
      yield* env.step(2)
      expect(env.agent_selection()).toBe("bob")
      expect(yield* env.observe("alice")).toEqual({ left: 5 })
      yield* env.step(1)
      expect(env.rewards()).toEqual({ alice: 1, bob: 2 })
      expect(yield* env.last()).toEqual([{ left: 3 }, 1, false, false, { taken: 2 }])
      expect((yield* env.last(false))[0]).toBeNull()
    }),
  )

  it.effect("of a round that was partly refused, nobody acts twice", () =>
    Effect.gen(function* () {
      const inner = matches()
      const refused = new ActionRefused({ world: "sample", agent: "bob", code: "Denied", reason: "not today" })
      // Bob's first action is not carried out.
      let isFirst = true
      const env = PettingZoo.aec({
        ...inner,
        stepTogether: (actions) => {
          const { bob: _, ...others } = actions
          const wasFirst = isFirst
          isFirst = false
          return wasFirst
            ? Effect.map(inner.stepTogether(others), (results) => ({ ...results, bob: { ...NOTHING, refused } }))
            : inner.stepTogether(actions)
        },
      })
      yield* env.reset()
      yield* env.step(2)
      yield* env.step(2)
      expect(env.agent_selection()).toBe("alice")
      expect(env.infos()).toMatchObject({ alice: { taken: 2 }, bob: { refused: { code: "Denied" } } })
      yield* env.step(1)
      yield* env.step(1)
      expect([yield* env.observe("alice"), yield* env.observe("bob")]).toEqual([{ left: 2 }, { left: 4 }])
    }),
  )

  it.effect("the dead take null and leave, and nobody rises again", () =>
    Effect.gen(function* () {
      const env = PettingZoo.aec(matches(["alice", "bob", "carol"]))
      yield* env.reset()
      const turns = yield* played(env, (agent) => (agent === "alice" ? 2 : 1))
      expect(turns.filter(([, , dead]) => dead).map(([agent]) => agent)).toEqual(["alice", "bob", "carol"])
      expect(env.agents()).toEqual([])
      expect(env.agent_selection()).toBeNull()
      const gone = turns.findIndex(([agent, , dead]) => agent === "alice" && dead)
      expect(turns.slice(gone + 1).some(([agent]) => agent === "alice")).toBe(false)
    }),
  )

  it.effect("worlds in which agents take turns say whose turn it is, and rewards of others' turns add up", () =>
    Effect.gen(function* () {
      const env = PettingZoo.aec(nim())
      yield* env.reset()
      const turns = yield* played(env, () => 1)
      expect(turns).toEqual([
        ["alice", 0, false],
        ["bob", 0, false],
        ["alice", 0, false],
        ["bob", 0, false],
        ["alice", 0, false],
        ["alice", 1, true],
        ["bob", -1, true],
      ])
    }),
  )

  it.effect("refuse what is no action, and let it be tried again", () =>
    Effect.gen(function* () {
      const env = PettingZoo.aec(nim())
      expect(yield* Effect.flip(env.step(1))).toMatchObject({ _tag: "NoEpisode" })
      yield* env.reset()
      expect(yield* Effect.flip(env.step(9))).toMatchObject({ code: "ActionOutsideSpace", agent: "alice" })
      expect(yield* Effect.flip(env.step(0))).toMatchObject({ code: "IllegalMove", agent: "alice" })
      expect(env.agent_selection()).toBe("alice")
      yield* env.step(2)
      yield* env.step(2)
      yield* env.step(1)
      expect(yield* Effect.flip(env.step(1))).toMatchObject({ code: "EpisodeOver", agent: "alice" })
      yield* env.step(null)
      expect(env.agent_selection()).toBe("bob")
    }),
  )

  it.effect("are cut off by a TimeLimit, agent by agent", () =>
    Effect.gen(function* () {
      const env = PettingZoo.parallel(yield* wrapped(matches(), TimeLimit(1)))
      yield* env.reset()
      expect((yield* env.step({ alice: 0, bob: 0 }))[3]).toEqual({ alice: true, bob: true })
      expect(yield* env.agents()).toEqual([])
    }),
  )
})
