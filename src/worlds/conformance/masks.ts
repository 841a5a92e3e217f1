/** Draws actions that masks exclude. */

import type { Generator, Space } from "../../plugins/author.ts"
import { sample } from "../../plugins/spaces/Space.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"

type Draw = (rng: Generator) => Json

/**
 * Returns draws of actions that a mask excludes, one for each part of the space with exclusions; the other parts get
 * legal values. None for a Sequence or a Graph.
 */
export const exclusions = (space: Space, mask: Json): ReadonlyArray<Draw> => {
  switch (space.type) {
    case "Discrete":
    case "MultiDiscrete":
      return ofFlags(mask).map((other) => (rng) => sample(space, rng, other))
    case "MultiBinary":
      return ofForced(mask).map((other) => (rng) => sample(space, rng, other))
    case "Tuple":
      return space.subspaces.flatMap((part, index) =>
        exclusions(part, partIn(mask, index)).map(
          (draw): Draw =>
            (rng) =>
              space.subspaces.map((each, at) => (at === index ? draw(rng) : sample(each, rng, partIn(mask, at)))),
        ),
      )
    case "Dict": {
      const parts = Object.entries(space.subspaces)
      return parts.flatMap(([key, part]) =>
        exclusions(part, fieldIn(mask, key)).map(
          (draw): Draw =>
            (rng) =>
              Object.fromEntries(
                parts.map(([name, each]) => [name, name === key ? draw(rng) : sample(each, rng, fieldIn(mask, name))]),
              ),
        ),
      )
    }
    case "OneOf":
      return space.subspaces.flatMap((part, index) =>
        exclusions(part, partIn(mask, index)).map(
          (draw): Draw =>
            (rng) => [index, draw(rng)],
        ),
      )
    case "Box":
    case "Text":
    case "Sequence":
    case "Graph":
      return []
  }
}

const partIn = (mask: Json, index: number): Json => (Array.isArray(mask) ? (mask[index] ?? null) : null)

const fieldIn = (mask: Json, key: string): Json =>
  isObject(mask) && Object.hasOwn(mask, key) ? (mask[key] ?? null) : null

/** The inverted masks of a list of flags, or of nested lists of flags. */
const ofFlags = (mask: Json): ReadonlyArray<Json> => {
  if (!Array.isArray(mask)) return []
  if (mask.every((flag) => typeof flag === "number"))
    return mask.includes(0) ? [mask.map((flag) => (flag === 0 ? 1 : 0))] : []
  return mask.flatMap((part, index) => ofFlags(part).map((found) => mask.with(index, found)))
}

/** The inverted masks of a MultiBinary mask, in which 0 and 1 force a value and 2 leaves it free. */
const ofForced = (mask: Json): ReadonlyArray<Json> => {
  if (mask === 0 || mask === 1) return [1 - mask]
  return Array.isArray(mask)
    ? mask.flatMap((part, index) => ofForced(part).map((found) => mask.with(index, found)))
    : []
}
