/** Wrappers of observations: `FrameStack` and `TimeAware`. */

import { Effect, Either } from "effect"
import type { Space } from "../../plugins/spaces/Space.ts"
import type { Json } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { type Box, boxOf } from "./Boxes.ts"
import { changed, DoesNotFit, type Wrapper } from "./Wrapper.ts"

/**
 * Shows the last `size` observations as one list, the current one last; the others are the last ones shown before each
 * of the agent's steps. At the start of an episode, the first observation fills the list. The observation space must be
 * a Box.
 */
export const FrameStack =
  (size: number): Wrapper =>
  (world) => {
    if (!Number.isSafeInteger(size) || size < 1) {
      const expected = "a whole number of frames, 1 or more"
      return Either.left(new DoesNotFit({ wrapper: "FrameStack", world: world.name, expected, found: String(size) }))
    }
    const stacks = new Map<string, ReadonlyArray<Json>>()
    const stackOf = (agent: string, observation: Json) =>
      stacks.get(agent) ?? Array.from({ length: size }, () => observation)
    const pushed = (agent: string, observation: Json, before: ReadonlyArray<Json>) => {
      const stack = [...before, observation]
      stacks.set(agent, stack)
      return stack
    }
    return Either.map(boxOf("FrameStack", world, "observation", "a Box"), (boxOf) =>
      changed(world, {
        spaces: (spaces, agent) => ({ ...spaces, observation: stackedBox(boxOf(agent), size) }),
        begin: (agent) => Effect.sync(() => stacks.delete(agent)),
        shown: (observation, agent) => pushed(agent, observation, stackOf(agent, observation).slice(1)),
        again: (observation, agent) => pushed(agent, observation, stackOf(agent, observation).slice(0, -1)),
      }),
    )
  }

const stackedBox = ({ dtype, shape, low, high }: Box, size: number): Box => {
  const repeated = (bound: Box["low"]): Box["low"] =>
    Array.isArray(bound) ? Array.from({ length: size }, () => bound) : bound
  return { type: "Box", dtype, shape: [size, ...shape], low: repeated(low), high: repeated(high) }
}

/**
 * Adds the agent's number of steps, from 0 to the limit of steps, to its observation: appended to a list of numbers,
 * under `time` in an object, or otherwise as `{ obs, time }`. The world must limit its steps, for example by
 * `TimeLimit`.
 */
export const TimeAware: Wrapper = (world) => {
  const { maxEpisodeSteps } = world.info
  if (maxEpisodeSteps === null) {
    const expected = "a limit of steps (put TimeLimit inside)"
    return Either.left(new DoesNotFit({ wrapper: "TimeAware", world: world.name, expected, found: "none" }))
  }
  const taken = new Map<string, number>()
  const withTime = (observation: Json, agent: string) =>
    timed(world.spaces(agent).observation, observation, taken.get(agent) ?? 0)
  return Either.right(
    changed(world, {
      spaces: (spaces) => ({ ...spaces, observation: timedSpace(spaces.observation, maxEpisodeSteps) }),
      // The observation of the reset raises it to 0.
      begin: (agent) => Effect.sync(() => taken.set(agent, -1)),
      shown: (observation, agent) => {
        taken.set(agent, (taken.get(agent) ?? -1) + 1)
        return withTime(observation, agent)
      },
      again: withTime,
    }),
  )
}

const isList = (space: Space): space is Box =>
  space.type === "Box" && space.shape.length === 1 && space.dtype !== "bool"

const timed = (space: Space, observation: Json, time: number): Json => {
  if (isList(space)) return Array.isArray(observation) ? [...observation, time] : [time]
  return space.type === "Dict" ? { ...asObject(observation), time: [time] } : { obs: observation, time: [time] }
}

const timedSpace = (space: Space, limit: number): Space => {
  const time: Box = { type: "Box", dtype: "int32", shape: [1], low: 0, high: limit }
  if (space.type === "Dict") return { type: "Dict", subspaces: { ...space.subspaces, time } }
  if (!isList(space)) return { type: "Dict", subspaces: { obs: space, time } }
  const { dtype, shape, low, high } = space
  const [length = 0] = shape
  const bounds = (bound: Box["low"]) => (Array.isArray(bound) ? bound : Array.from({ length }, () => bound))
  return { type: "Box", dtype, shape: [length + 1], low: [...bounds(low), 0], high: [...bounds(high), limit] }
}
