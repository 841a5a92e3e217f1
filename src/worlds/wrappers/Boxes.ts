/** Boxes of numbers, for the wrappers of actions and observations. Pure. */

import { Either } from "effect"
import { contains, type Space } from "../../plugins/spaces/Space.ts"
import type { Json } from "../../values/Json.ts"
import type { Spaces, World } from "../handle/World.ts"
import { ActionRefused } from "../handle/WorldError.ts"
import { DoesNotFit } from "./Wrapper.ts"

/** A space of numbers in nested lists. */
export type Box = Extract<Space, { readonly type: "Box" }>

/**
 * Returns each agent's Box of observations or actions. Fails if an agent has another space, or one that does not fit.
 */
export const boxOf = (
  wrapper: string,
  world: World,
  which: keyof Spaces,
  expected: string,
  fits: (box: Box) => boolean = () => true,
): Either.Either<(agent: string) => Box, DoesNotFit> => {
  const boxes = new Map<string, Box>()
  for (const agent of world.agents()) {
    const space = world.spaces(agent)[which]
    if (space.type !== "Box" || !fits(space)) {
      const found = JSON.stringify(space)
      return Either.left(new DoesNotFit({ wrapper, world: world.name, expected: `${expected} for ${which}s`, found }))
    }
    boxes.set(agent, space)
  }
  // An agent that joined later has no entry: ask the world.
  return Either.right((agent) => {
    const space = boxes.get(agent) ?? world.spaces(agent)[which]
    return space.type === "Box" ? space : EMPTY
  })
}

const EMPTY: Box = { type: "Box", dtype: "float64", shape: [0], low: 0, high: 0 }

/** Whether every bound of a Box is a finite number. */
export const isBounded = ({ low, high }: Box): boolean => isNumber(low) && isNumber(high)

const isNumber = (bound: Json): boolean => (Array.isArray(bound) ? bound.every(isNumber) : Number.isFinite(bound))

/** A Box of the same shape and type without bounds. */
export const unbounded = ({ dtype, shape }: Box): Box => ({
  type: "Box",
  dtype,
  shape,
  low: "-Infinity",
  high: "Infinity",
})

/** Maps each number of an action, with the bounds of its cell. Refuses an action outside `accepted`. */
export const mapped = (
  world: World,
  agent: string,
  accepted: Box,
  bounds: Box,
  action: Json,
  how: (number: number, low: number, high: number) => number,
): Either.Either<Json, ActionRefused> => {
  const problem = contains(accepted, action)
  return problem === undefined
    ? Either.right(cells(action, bounds.low, bounds.high, how))
    : Either.left(new ActionRefused({ world: world.name, agent, code: "ActionOutsideSpace", reason: problem }))
}

const cells = (value: Json, low: Json, high: Json, how: (number: number, low: number, high: number) => number): Json =>
  Array.isArray(value)
    ? value.map((part, index) => cells(part, partOf(low, index), partOf(high, index), how))
    : how(Number(value), Number(low), Number(high))

const partOf = (bound: Json, index: number): Json => (Array.isArray(bound) ? (bound[index] ?? 0) : bound)
