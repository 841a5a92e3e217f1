/** dm_env's `Environment` over a world: an episode as a sequence of time steps. */

import { Effect } from "effect"
import type { Space } from "../../plugins/spaces/Space.ts"
import type { Json } from "../../values/Json.ts"
import type { ResetOptions, StepResult, World } from "../handle/World.ts"
import type { WorldError } from "../handle/WorldError.ts"

/** Where a time step is in its episode. */
export type StepType = "FIRST" | "MID" | "LAST"

/** What an environment gives at a time step. `reward` and `discount` are null at the first one. */
export interface TimeStep {
  readonly step_type: StepType
  readonly reward: number | null
  /** 0 where the episode terminated: nothing follows. 1 otherwise, where it was truncated too. */
  readonly discount: number | null
  readonly observation: Json
}

/** What values there are, as dm_env's `specs` describe them. */
export type Spec =
  | { readonly type: "Array"; readonly shape: ReadonlyArray<number>; readonly dtype: string }
  | {
      readonly type: "BoundedArray"
      readonly shape: ReadonlyArray<number>
      readonly dtype: string
      /** One bound for all, or nested lists of the shape. */
      readonly minimum: Json
      readonly maximum: Json
    }
  | { readonly type: "DiscreteArray"; readonly num_values: number; readonly dtype: string }
  | { readonly type: "StringArray"; readonly shape: readonly [] }
  | ReadonlyArray<Spec>
  | NestedSpec

/** Specs by name. The name `type` is in no spec of an environment's own fields, so that the two cannot be confused. */
export interface NestedSpec {
  readonly fields: { readonly [name: string]: Spec }
}

/** dm_env's `Environment`. */
export interface Environment {
  /** Begins an episode, and answers with its first time step. */
  readonly reset: (options?: Omit<ResetOptions, "agents">) => Effect.Effect<TimeStep, WorldError>
  /** Takes a step. After the last time step, and before the first reset, it begins an episode and ignores the action. */
  readonly step: (action: Json) => Effect.Effect<TimeStep, WorldError>
  /** What observations are. */
  readonly observation_spec: () => Spec
  /** What actions are. */
  readonly action_spec: () => Spec
  /** What rewards are: one float. */
  readonly reward_spec: () => Spec
  /** What discounts are: one float from 0 to 1. */
  readonly discount_spec: () => Spec
  /** Ends the episode and releases the world. */
  readonly close: () => Effect.Effect<void, WorldError>
}

/** A world under dm_env's names, played by its first agent. It keeps nothing of its own. */
export const of = (world: World): Environment => {
  const reset = (options?: Omit<ResetOptions, "agents">) =>
    Effect.map(world.reset(options), ({ observation }): TimeStep => first(observation))
  return {
    reset,
    step: (action) =>
      Effect.flatMap(
        Effect.catchTag(world.status(), "NoEpisode", () => Effect.succeed(null)),
        (status) => (status === "active" ? Effect.map(world.step(action), timeStepOf) : reset()),
      ),
    observation_spec: () => specOf(world.spaces().observation),
    action_spec: () => specOf(world.spaces().action),
    reward_spec: () => ({ type: "Array", shape: [], dtype: "float64" }),
    discount_spec: () => ({ type: "BoundedArray", shape: [], dtype: "float64", minimum: 0, maximum: 1 }),
    close: () => world.close,
  }
}

const first = (observation: Json): TimeStep => ({ step_type: "FIRST", reward: null, discount: null, observation })

/** The time step of a step. Pure. */
export const timeStepOf = ({ observation, reward, terminated, truncated }: StepResult): TimeStep => ({
  step_type: terminated || truncated ? "LAST" : "MID",
  reward,
  discount: terminated ? 0 : 1,
  observation,
})

/** A space as a spec. A space without a spec of its own is a `BoundedArray`; one of values without a shape is an `Array` of objects. Pure. */
export const specOf = (space: Space): Spec => {
  switch (space.type) {
    case "Box": {
      const { shape, dtype, low, high } = space
      return low === "-Infinity" && high === "Infinity"
        ? { type: "Array", shape, dtype }
        : { type: "BoundedArray", shape, dtype, minimum: low, maximum: high }
    }
    case "Discrete": {
      const { n, start = 0, dtype = "int64" } = space
      return start === 0
        ? { type: "DiscreteArray", num_values: n, dtype }
        : { type: "BoundedArray", shape: [], dtype, minimum: start, maximum: start + n - 1 }
    }
    case "MultiDiscrete": {
      const { nvec, start = 0, dtype = "int64" } = space
      return { type: "BoundedArray", shape: shapeOf(nvec), dtype, minimum: start, maximum: lastOf(nvec, start) }
    }
    case "MultiBinary": {
      const shape = typeof space.n === "number" ? [space.n] : space.n
      return { type: "BoundedArray", shape, dtype: "int8", minimum: 0, maximum: 1 }
    }
    case "Tuple":
      return space.subspaces.map(specOf)
    case "Dict":
      return { fields: Object.fromEntries(Object.entries(space.subspaces).map(([name, part]) => [name, specOf(part)])) }
    case "Text":
      return { type: "StringArray", shape: [] }
    // numpy has no array of their own for them.
    case "Sequence":
    case "Graph":
    case "OneOf":
      return { type: "Array", shape: [], dtype: "object" }
  }
}

/** The shape of nested lists. */
const shapeOf = (nested: Json): ReadonlyArray<number> =>
  Array.isArray(nested) ? [nested.length, ...shapeOf(nested[0] ?? 0)] : []

/** The greatest values: nested lists with the sum of count and start less one. */
const lastOf = (counts: Json, start: Json): Json =>
  Array.isArray(counts)
    ? counts.map((count, index) => lastOf(count, Array.isArray(start) ? (start[index] ?? 0) : start))
    : Number(counts) + Number(start) - 1
