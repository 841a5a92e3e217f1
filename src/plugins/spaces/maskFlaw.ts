/** Checks masks of action spaces, in the forms that Gymnasium's `Space.sample(mask)` accepts. */

import type { Space } from "../author.ts"
import { isList, LONGEST_LIST } from "./bounds.ts"
import { contains } from "./contains.ts"
import { describe, token } from "./describe.ts"

/**
 * Returns undefined for a valid mask; otherwise the mistake, as `contains` does. `null`, as a whole or as a part, masks
 * nothing. The other forms:
 *
 * - Discrete: a list with 1 or 0 per action. MultiDiscrete: such a list in place of each number.
 * - MultiBinary: 0 or 1 where the action must have that value, 2 where it is free.
 * - Tuple, Dict and OneOf: the masks of their parts.
 * - Sequence: a list of the length (a number, several to choose from, or null) and the mask of each value.
 * - Graph: a list of the mask of each node and the mask of each edge.
 * - Box and Text: none.
 */
export const maskFlaw = (space: Space, mask: unknown): string | undefined => flawAt(space, mask, "")

const flawAt = (space: Space, mask: unknown, path: string): string | undefined => {
  if (mask === null) return undefined
  switch (space.type) {
    case "Discrete":
      return located(path, contains({ type: "MultiBinary", n: space.n }, mask))
    case "MultiDiscrete":
      return flawAt(separate(space.nvec), mask, path)
    case "MultiBinary": {
      const shape = typeof space.n === "number" ? [space.n] : space.n
      return located(path, contains({ type: "MultiDiscrete", nvec: filled(shape, 3) }, mask))
    }
    case "Tuple":
    case "OneOf": {
      const { subspaces } = space
      if (!Array.isArray(mask) || mask.length !== subspaces.length)
        return located(path, `expected a list of ${subspaces.length}, found ${describe(mask)}`)
      return first(subspaces.map((part, index) => () => flawAt(part, mask[index], `${path}/${index}`)))
    }
    case "Dict": {
      const keys = Object.keys(space.subspaces)
      if (typeof mask !== "object" || Array.isArray(mask) || !sameNames(Object.keys(mask ?? {}), keys))
        return located(path, `expected an object with ${keys.join(", ")}, found ${describe(mask)}`)
      const masks = new Map<string, unknown>(Object.entries(mask ?? {}))
      return first(
        Object.entries(space.subspaces).map(
          ([key, part]) =>
            () =>
              flawAt(part, masks.get(key), `${path}/${token(key)}`),
        ),
      )
    }
    case "Sequence": {
      const [lengths, values] = pairIn(mask)
      if (values === undefined)
        return located(path, `expected a list of 2: the length and a mask of the values, found ${describe(mask)}`)
      const known = lengths === null || (Array.isArray(lengths) && lengths.length > 0) ? lengths : [lengths]
      if (known !== null && !known.every(isLength))
        return located(
          `${path}/0`,
          `expected null, a whole number from 0 to ${LONGEST_LIST}, or a list of such numbers, found ${describe(lengths)}`,
        )
      return flawAt(space.feature_space, values, `${path}/1`)
    }
    case "Graph": {
      const [nodes, edges] = pairIn(mask)
      if (edges === undefined)
        return located(path, `expected a list of 2: a mask of the nodes and one of the edges, found ${describe(mask)}`)
      const flaw = flawAt(space.node_space, nodes, `${path}/0`)
      if (flaw !== undefined || edges === null) return flaw
      return space.edge_space === undefined || space.edge_space === null
        ? located(`${path}/1`, `expected null, since the edges have no space, found ${describe(edges)}`)
        : flawAt(space.edge_space, edges, `${path}/1`)
    }
    case "Box":
    case "Text":
      return located(path, `expected null, since there are no masks of ${space.type}, found ${describe(mask)}`)
  }
}

const pairIn = (mask: unknown): ReadonlyArray<unknown> => (Array.isArray(mask) && mask.length === 2 ? mask : [])

const isLength = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_LIST

type Counts = Extract<Space, { readonly type: "MultiDiscrete" }>["nvec"]

/** A MultiDiscrete space as separate Discrete spaces. */
const separate = (nvec: Counts): Space =>
  isList(nvec) ? { type: "Tuple", subspaces: nvec.map(separate) } : { type: "Discrete", n: nvec }

const filled = ([length, ...shape]: ReadonlyArray<number>, count: number): Counts =>
  length === undefined ? count : Array.from({ length }, () => filled(shape, count))

const sameNames = (found: ReadonlyArray<string>, expected: ReadonlyArray<string>): boolean =>
  found.length === expected.length && expected.every((name) => found.includes(name))

const located = (path: string, flaw: string | undefined): string | undefined => {
  if (flaw === undefined || path === "") return flaw
  return flaw.startsWith("/") ? path + flaw : `${path}: ${flaw}`
}

const first = (checks: ReadonlyArray<() => string | undefined>): string | undefined => {
  for (const check of checks) {
    const flaw = check()
    if (flaw !== undefined) return flaw
  }
  return undefined
}
