/** dm_env's `Environment` over a world: an episode is a sequence of time steps. */

import { Effect } from "effect"
import type { Space } from "../../plugins/spaces/Space.ts"
import type { Json } from "../../values/Json.ts"
import type { ResetOptions, StepResult, World } from "../handle/World.ts"
import type { WorldError } from "../handle/WorldError.ts"

/** The place of a time step in its episode. */
export type StepType = "FIRST" | "MID" | "LAST"

/** One time step. `reward` and `discount` are null at the first one. */
export interface TimeStep {
  readonly step_type: StepType
  readonly reward: number | null
  /** 0 if the episode terminated; otherwise 1, also if it was truncated. */
  readonly discount: number | null
  readonly observation: Json
}

/** A space in dm_env's form (`specs`). */
export type Spec =
  | { readonly type: "Array"; readonly shape: ReadonlyArray<number>; readonly dtype: string }
  | {
      readonly type: "BoundedArray"
      readonly shape: ReadonlyArray<number>
      readonly dtype: string
      /** One bound for all cells, or nested lists of the shape. */
      readonly minimum: Json
      readonly maximum: Json
    }
  | { readonly type: "DiscreteArray"; readonly num_values: number; readonly dtype: string }
  | { readonly type: "StringArray"; readonly shape: readonly [] }
  | ReadonlyArray<Spec>
  | NestedSpec

/** Specs by name, under `fields`: a field named `type` could otherwise be taken for the kind of a spec. */
export interface NestedSpec {
  readonly fields: { readonly [name: string]: Spec }
}

/** dm_env's `Environment`. */
export interface Environment {
  /** Begins an episode and returns its first time step. */
  readonly reset: (options?: Omit<ResetOptions, "agents">) => Effect.Effect<TimeStep, WorldError>
  /** Takes a step. Before the first reset and after the last time step, it begins an episode and ignores the action. */
  readonly step: (action: Json) => Effect.Effect<TimeStep, WorldError>
  /** The spec of observations. */
  readonly observation_spec: () => Spec
  /** The spec of actions. */
  readonly action_spec: () => Spec
  /** The spec of rewards: one float. */
  readonly reward_spec: () => Spec
  /** The spec of discounts: one float from 0 to 1. */
  readonly discount_spec: () => Spec
  /** Ends the episode and releases the world. */
  readonly close: () => Effect.Effect<void, WorldError>
}

/** A world under dm_env's names, for its first agent. Stateless. */
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

/** Converts a step's result to a time step. Pure. */
export const timeStepOf = ({ observation, reward, terminated, truncated }: StepResult): TimeStep => ({
  step_type: terminated || truncated ? "LAST" : "MID",
  reward,
  discount: terminated ? 0 : 1,
  observation,
})

/**
 * Converts a space to a spec. A space without an equivalent becomes a `BoundedArray`, or an `Array` of objects if its
 * values have no shape. Pure.
 */
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
    // numpy has no array type for these.
    case "Sequence":
    case "Graph":
    case "OneOf":
      return { type: "Array", shape: [], dtype: "object" }
  }
}

const shapeOf = (nested: Json): ReadonlyArray<number> =>
  Array.isArray(nested) ? [nested.length, ...shapeOf(nested[0] ?? 0)] : []

/** The greatest value of each cell: `start + count - 1`. */
const lastOf = (counts: Json, start: Json): Json =>
  Array.isArray(counts)
    ? counts.map((count, index) => lastOf(count, Array.isArray(start) ? (start[index] ?? 0) : start))
    : Number(counts) + Number(start) - 1
