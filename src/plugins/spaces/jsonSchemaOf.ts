/** Translates spaces to JSON Schema, for models and for the validation of arguments. */

import type { BoxSpace, GraphSpace, JsonObject, Nested, Space, TextSpace } from "../author.ts"
import { type Bounds, intervalOf, isList, isUniform, LONGEST_LIST, partOf } from "./bounds.ts"

/**
 * JSON Schema (draft 2020-12) that accepts the values that {@link contains} accepts. It cannot require that a graph's
 * links fit its nodes and edges. The space must have no {@link flaws}.
 */
export const jsonSchemaOf = (space: Space): JsonObject => {
  switch (space.type) {
    case "Box":
      return isUniform(space) ? uniform(space, space.shape) : cells(space, space.dtype, space.shape)
    case "Discrete":
      return integers(space.start ?? 0, space.n)
    case "MultiDiscrete":
      return multiDiscrete(space.nvec, space.start ?? 0)
    case "MultiBinary":
      return [...(typeof space.n === "number" ? [space.n] : space.n)].reduceRight<JsonObject>(listOf, integers(0, 2))
    case "Tuple":
      return tuple(space.subspaces.map(jsonSchemaOf))
    case "Dict":
      return {
        type: "object",
        properties: Object.fromEntries(
          Object.entries(space.subspaces).map(([key, subspace]) => [key, jsonSchemaOf(subspace)]),
        ),
        required: Object.keys(space.subspaces),
        additionalProperties: false,
      }
    case "Text":
      return text(space)
    case "Sequence":
      return anyNumberOf(jsonSchemaOf(space.feature_space))
    case "Graph":
      return graph(space)
    case "OneOf":
      return { anyOf: space.subspaces.map((subspace, index) => pairOf({ const: index }, jsonSchemaOf(subspace))) }
  }
}

const uniform = (space: BoxSpace, shape: ReadonlyArray<number>): JsonObject =>
  [...shape].reduceRight<JsonObject>(listOf, number(space, space.dtype))

const cells = (bounds: Bounds, dtype: string, [length, ...shape]: ReadonlyArray<number>): JsonObject =>
  length === undefined
    ? number(bounds, dtype)
    : tuple(Array.from({ length }, (_, index) => cells(partOf(bounds, index), dtype, shape)))

const number = (bounds: Bounds, dtype: string): JsonObject => {
  const { low, high, whole, truth } = intervalOf(bounds, dtype)
  if (truth) return { type: "boolean", ...(low === high ? { const: low === 1 } : {}) }
  return {
    type: whole ? "integer" : "number",
    ...(low === -Infinity ? {} : { minimum: low }),
    ...(high === Infinity ? {} : { maximum: high }),
  }
}

const integers = (start: number, n: number): JsonObject => ({
  type: "integer",
  minimum: start,
  maximum: start + n - 1,
})

const multiDiscrete = (nvec: Nested, start: Nested): JsonObject =>
  isList(nvec)
    ? tuple(nvec.map((part, index) => multiDiscrete(part, isList(start) ? (start[index] ?? 0) : start)))
    : integers(Number(start), nvec)

const anyNumberOf = (items: JsonObject): JsonObject => ({ type: "array", items, maxItems: LONGEST_LIST })

const pairOf = (first: JsonObject, second: JsonObject): JsonObject => ({
  type: "array",
  prefixItems: [first, second],
  minItems: 2,
  maxItems: 2,
})

const graph = ({ node_space, edge_space }: GraphSpace): JsonObject => {
  const orNull = (items: JsonObject): JsonObject =>
    edge_space === undefined || edge_space === null
      ? { type: "null" }
      : { ...anyNumberOf(items), type: ["array", "null"] }
  return {
    type: "object",
    properties: {
      nodes: anyNumberOf(jsonSchemaOf(node_space)),
      edges: orNull(edge_space === undefined || edge_space === null ? {} : jsonSchemaOf(edge_space)),
      edge_links: {
        ...orNull(listOf(integers(0, LONGEST_LIST), 2)),
        description: "For each edge, the places in `nodes` of the two nodes that it joins. Null if `edges` is null.",
      },
    },
    required: ["nodes", "edges", "edge_links"],
    additionalProperties: false,
  }
}

const listOf = (items: JsonObject, length: number): JsonObject => ({
  type: "array",
  items,
  minItems: length,
  maxItems: length,
})

/** A list with one schema per index, or with a single schema if all are equal. */
const tuple = (parts: ReadonlyArray<JsonObject>): JsonObject => {
  const [first = {}] = parts
  const written = JSON.stringify(first)
  return parts.every((part) => JSON.stringify(part) === written)
    ? listOf(first, parts.length)
    : { type: "array", prefixItems: parts, minItems: parts.length, maxItems: parts.length }
}

const text = ({ min_length, max_length, charset }: TextSpace): JsonObject => ({
  type: "string",
  minLength: min_length ?? 1,
  maxLength: max_length,
  ...(charset === undefined ? {} : { pattern: `^[${charset.replaceAll(/[\\\]^-]/g, "\\$&")}]*$` }),
})
