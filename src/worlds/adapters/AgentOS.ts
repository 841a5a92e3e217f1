/**
 * AgentOS over a world: environments whose `step` returns four values, policies with checked spaces, agents that
 * advance, and rollouts.
 */

import { Data, Effect, Schema } from "effect"
import { contains, type Space } from "../../plugins/spaces/Space.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { Json, type JsonObject } from "../../values/Json.ts"
import type { World } from "../handle/World.ts"
import type { WorldError } from "../handle/WorldError.ts"

/** The result of a step. `done` is true if the episode terminated or was truncated; `context` says which. */
export type FourValues = readonly [observation: Json, reward: number, done: boolean, context: JsonObject]

/** AgentOS's environment: the interface of the early `gym.Env`. */
export interface Env {
  readonly observation_space: Space
  readonly action_space: Space
  /** Begins a new episode and returns its first observation. */
  readonly reset: () => Effect.Effect<Json, WorldError>
  /** Takes an action and returns observation, reward, done and info. */
  readonly step: (action: Json) => Effect.Effect<FourValues, WorldError>
}

/** Maps observations to actions. */
export interface Policy<E = never, R = never> {
  readonly observation_space: Space
  readonly action_space: Space
  /** Returns the action for an observation. */
  readonly compute_action: (observation: Json) => Effect.Effect<Json, E, R>
}

/** An agent that a program advances step by step. */
export interface Agent<E = never, R = never> {
  /** Takes one step of the episode and returns whether the episode is over. */
  readonly advance: () => Effect.Effect<boolean, E, R>
}

/** A policy declares other spaces than the environment. Give it the environment's spaces. */
export class SpacesDiffer extends Data.TaggedError("SpacesDiffer")<{
  readonly which: "observation_space" | "action_space"
  readonly expected: Space
  readonly found: Space
}> {
  override get message() {
    return `The policy's ${this.which} differs from the environment's: expected ${JSON.stringify(this.expected)}, found ${JSON.stringify(this.found)}.`
  }
}

/** An observation or action is outside its declared space. Fix the environment or the policy. */
export class OutsideSpace extends Data.TaggedError("OutsideSpace")<{
  readonly what: "observation" | "action"
  readonly problem: string
}> {
  override get message() {
    return `The ${this.what} is outside its space: ${this.problem}`
  }
}

/** One step of a rollout. */
export type TrajectoryStep = readonly [action: Json, observation: Json, reward: number]

/** A world as AgentOS's environment, for its first agent. Stateless. */
export const of = (world: World): Env => {
  const { observation, action } = world.spaces()
  return {
    observation_space: observation,
    action_space: action,
    reset: () => Effect.map(world.reset(), ({ observation }) => observation),
    step: (action) =>
      Effect.map(
        world.step(action),
        ({ observation, reward, rewards, terminated, truncated, info }) =>
          [observation, reward, terminated || truncated, { ...info, rewards, terminated, truncated }] as const,
      ),
  }
}

/**
 * A policy for an environment: it must declare the environment's spaces, and each observation and action is checked
 * against them.
 */
export const checked = <E, R>(
  env: Pick<Env, "observation_space" | "action_space">,
  policy: Policy<E, R>,
): Effect.Effect<Policy<E | OutsideSpace, R>, SpacesDiffer> =>
  Effect.gen(function* () {
    for (const which of ["observation_space", "action_space"] as const) {
      const [expected, found] = [env[which], policy[which]]
      if (!isSame(expected, found)) return yield* new SpacesDiffer({ which, expected, found })
    }
    const { observation_space, action_space } = policy
    return {
      observation_space,
      action_space,
      compute_action: (observation) =>
        within("observation", observation_space, observation).pipe(
          Effect.flatMap((shown) => policy.compute_action(shown)),
          Effect.flatMap((action) => within("action", action_space, action)),
        ),
    }
  })

const isJson = Schema.is(Json)

const isSame = (one: Space, other: Space): boolean => isJson(one) && isJson(other) && JsonPatch.equal(one, other)

const within = (what: OutsideSpace["what"], space: Space, value: Json): Effect.Effect<Json, OutsideSpace> => {
  const problem = contains(space, value)
  return problem === undefined ? Effect.succeed(value) : Effect.fail(new OutsideSpace({ what, problem }))
}

/**
 * Makes an agent that takes one step per `advance`. The first call begins an episode, and the call that ends it returns
 * true. The next call begins another episode.
 */
export const agent = <E1, R1, E2, R2>(
  Env: Effect.Effect<Env, E1, R1>,
  Policy: Effect.Effect<Policy<E2, R2>, E1, R1>,
): Effect.Effect<Agent<E2 | OutsideSpace | WorldError, R2>, E1 | SpacesDiffer, R1> =>
  Effect.gen(function* () {
    const env = yield* Env
    const policy = yield* checked(env, yield* Policy)
    let observation: Json | undefined
    return {
      advance: () =>
        Effect.gen(function* () {
          const shown = observation ?? (yield* env.reset())
          const [next, , done] = yield* env.step(yield* policy.compute_action(shown))
          observation = done ? undefined : next
          return done
        }),
    }
  })

/** Advances an agent until its episode ends, or `maxSteps` times. Returns the number of steps. */
export const run = <E, R>(agent: Agent<E, R>, maxSteps = Number.POSITIVE_INFINITY): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    for (let steps = 1; ; steps++) if ((yield* agent.advance()) || steps >= maxSteps) return steps
  })

/** Plays one episode with a new environment and a new policy. */
export const rollout = <E1, R1, E2, R2, E3, R3>(
  Env: Effect.Effect<Env, E1, R1>,
  Policy: Effect.Effect<Policy<E2, R2>, E3, R3>,
): Effect.Effect<
  ReadonlyArray<TrajectoryStep>,
  E1 | E2 | E3 | SpacesDiffer | OutsideSpace | WorldError,
  R1 | R2 | R3
> =>
  Effect.gen(function* () {
    const env = yield* Env
    const policy = yield* checked(env, yield* Policy)
    const trajectory: Array<TrajectoryStep> = []
    let observation = yield* env.reset()
    for (let done = false; !done; ) {
      const action = yield* policy.compute_action(observation)
      const [next, reward, over] = yield* env.step(action)
      trajectory.push([action, next, reward])
      observation = next
      done = over
    }
    return trajectory
  })
