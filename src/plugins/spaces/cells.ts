/** Sizes of sampled values. */

import type { Nested, Space, TextSpace } from "../author.ts"
import { isList } from "./bounds.ts"

/**
 * The maximum count of numbers and characters in a sampled value. Each list without a fixed length, and each graph,
 * counts as one.
 */
export const cellsOf = (space: Space): number => {
  switch (space.type) {
    case "Box":
      return product(space.shape)
    case "MultiDiscrete":
      return numbersIn(space.nvec)
    case "MultiBinary":
      return typeof space.n === "number" ? space.n : product(space.n)
    case "Text":
      return longestText(space)
    case "Tuple":
      return total(space.subspaces)
    case "Dict":
      return total(Object.values(space.subspaces))
    case "OneOf":
      return 1 + space.subspaces.reduce((most, subspace) => Math.max(most, cellsOf(subspace)), 0)
    case "Discrete":
    case "Sequence":
    case "Graph":
      return 1
  }
}

/** Maximum length of a sampled text, unless the space requires more. */
const LONGEST_TEXT = 1000

/** Maximum length of a text sampled from the space. */
export const longestText = ({ min_length: least = 1, max_length }: TextSpace): number =>
  Math.max(least, Math.min(max_length, LONGEST_TEXT))

const total = (spaces: ReadonlyArray<Space>): number => spaces.reduce((sum, space) => sum + cellsOf(space), 0)

const product = (lengths: ReadonlyArray<number>): number => lengths.reduce((cells, length) => cells * length, 1)

const numbersIn = (nested: Nested): number =>
  isList(nested) ? nested.reduce<number>((sum, part) => sum + numbersIn(part), 0) : 1
