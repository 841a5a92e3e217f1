/** Values of spaces as lists of numbers, for programs that learn: Gymnasium's `flatten` and `flatdim`. */

import type { GraphSpace, Json, Nested, Space, TextSpace } from "../author.ts"

/**
 * A flattened value: numbers, or of a space with lists of no fixed length the flattened values of its parts, in their
 * order and by their keys.
 */
export type Flat = ReadonlyArray<number> | ReadonlyArray<Flat> | { readonly [key: string]: Flat | null }

/** The number of numbers of a flattened value; undefined if it depends on the value. */
export const flatdim = (space: Space): number | undefined => {
  switch (space.type) {
    case "Box":
      return product(space.shape)
    case "Discrete":
      return space.n
    case "MultiDiscrete":
      return numbersIn(space.nvec).reduce((sum, n) => sum + n, 0)
    case "MultiBinary":
      return typeof space.n === "number" ? space.n : product(space.n)
    case "Tuple":
      return total(space.subspaces)
    case "Dict":
      return total(Object.values(space.subspaces))
    case "Text":
      return space.max_length
    case "OneOf": {
      const all = space.subspaces.map(flatdim)
      return all.every((one) => one !== undefined) ? 1 + Math.max(...all) : undefined
    }
    default:
      return undefined
  }
}

/**
 * Flattens a value of the space, which must contain it, as Gymnasium does. A number of `Discrete` and `MultiDiscrete` is
 * one-hot; characters of `Text` are their indexes in the charset, filled up with its length, and a `OneOf` is the index
 * followed by the value, filled up with its first number. A text without a charset has the code points of its characters,
 * filled up with -1; Gymnasium has no such texts.
 */
export const flatten = (space: Space, value: Json): Flat => {
  switch (space.type) {
    case "Box":
    case "MultiBinary":
      return cellsIn(value)
    case "Discrete":
      return oneHot(space.n, Number(value) - (space.start ?? 0))
    case "MultiDiscrete": {
      const counts = numbersIn(space.nvec)
      const starts = space.start === undefined ? counts.map(() => 0) : numbersIn(space.start)
      return cellsIn(value).flatMap((cell, index) => oneHot(counts[index] ?? 0, cell - (starts[index] ?? 0)))
    }
    case "Tuple":
      return together(
        space,
        listIn(value).map((part, index) => flatPart(space.subspaces[index], part)),
      )
    case "Dict": {
      const parts = Object.entries(space.subspaces).map(
        ([key, part]) => [key, flatPart(part, own(value, key))] as const,
      )
      return flatdim(space) === undefined
        ? Object.fromEntries(parts)
        : together(
            space,
            parts.map(([, part]) => part),
          )
    }
    case "Text":
      return characters(space, String(value))
    case "Sequence":
      return listIn(value).map((part) => flatten(space.feature_space, part))
    case "Graph":
      return graph(space, value)
    case "OneOf": {
      const [index = 0, part = null] = listIn(value)
      const flat = flatPart(space.subspaces[Number(index)], part)
      const length = flatdim(space)
      if (length === undefined) return [[Number(index)], flat]
      const numbers = flat as ReadonlyArray<number>
      return [Number(index), ...numbers, ...filled(length - 1 - numbers.length, numbers[0] ?? 0)]
    }
  }
}

const product = (shape: ReadonlyArray<number>): number => shape.reduce((size, length) => size * length, 1)

const total = (spaces: ReadonlyArray<Space>): number | undefined => {
  const all = spaces.map(flatdim)
  return all.every((one) => one !== undefined) ? all.reduce((sum, one) => sum + one, 0) : undefined
}

const numbersIn = (nested: Nested): ReadonlyArray<number> =>
  typeof nested === "number" ? [nested] : nested.flatMap((part) => numbersIn(part))

/** False and true are 0 and 1. */
const cellsIn = (value: Json): ReadonlyArray<number> =>
  Array.isArray(value) ? value.flatMap((part: Json) => cellsIn(part)) : [Number(value)]

const oneHot = (length: number, index: number): ReadonlyArray<number> =>
  Array.from({ length }, (_, at) => (at === index ? 1 : 0))

const filled = (length: number, value: number): ReadonlyArray<number> => Array.from({ length }, () => value)

const listIn = (value: Json): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const own = (value: Json, key: string): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? ((value as { readonly [key: string]: Json })[key] ?? null)
    : null

const flatPart = (space: Space | undefined, value: Json): Flat => (space === undefined ? [] : flatten(space, value))

/** One list of numbers if every part is one of a fixed length. */
const together = (space: Space, parts: ReadonlyArray<Flat>): Flat =>
  flatdim(space) === undefined ? parts : (parts as ReadonlyArray<ReadonlyArray<number>>).flat()

const characters = ({ charset, max_length }: TextSpace, value: string): ReadonlyArray<number> => {
  const known = charset === undefined ? undefined : [...charset]
  const codes = [...value].map((one) => (known === undefined ? (one.codePointAt(0) ?? -1) : known.indexOf(one)))
  return [...codes, ...filled(max_length - codes.length, known?.length ?? -1)]
}

const graph = ({ node_space, edge_space }: GraphSpace, value: Json): Flat => {
  const [nodes, edges, links] = ["nodes", "edges", "edge_links"].map((key) => own(value, key))
  return {
    nodes: listIn(nodes ?? null).map((node) => flatten(node_space, node)),
    edges: edges === null || !edge_space ? null : listIn(edges ?? null).map((edge) => flatten(edge_space, edge)),
    edge_links: links === null ? null : listIn(links ?? null).map((link) => cellsIn(link)),
  }
}
