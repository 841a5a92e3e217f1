/** Writes the episodes of a Minari data set as Parquet: a file for each episode, with a row for each observation. */

import * as fs from "node:fs/promises"
import * as path from "node:path"
import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer"
import type { Space } from "../../plugins/author.ts"
import type { Json } from "../../values/Json.ts"
import type { Episode, EpisodeWriter } from "./EpisodeWriter.ts"
import { type Leaf, leafOf, leavesOf } from "./Leaves.ts"

/**
 * Writes episodes into `directory`. As in Minari's own files, actions, rewards and flags have a last row that means
 * nothing, because there is one more observation than steps.
 */
export const open = (directory: string, observation: Space, action: Space): EpisodeWriter => {
  const groups = [groupOf("observations", observation), groupOf("actions", action)]
  const schema: ReadonlyArray<SchemaElement> = [
    { name: "root", num_children: 5 },
    ...groups.flatMap(({ elements }) => elements),
    { name: "rewards", type: "DOUBLE", repetition_type: "REQUIRED" },
    { name: "terminations", type: "BOOLEAN", repetition_type: "REQUIRED" },
    { name: "truncations", type: "BOOLEAN", repetition_type: "REQUIRED" },
  ]
  let size = 0
  return {
    write: async (index, episode) => {
      const folder = path.join(directory, String(index))
      await fs.mkdir(folder)
      const bytes = new ByteWriter()
      const writer = new ParquetWriter({ writer: bytes, schema: [...schema], createdBy: "hindcast" })
      const { observations, actions, rewards, terminations, truncations } = episode
      const padding = actions.at(-1) ?? null
      writer.write({
        columnData: [
          { name: "observations", data: observations.map((value) => groups[0]?.value(value)) },
          { name: "actions", data: [...actions, padding].map((value) => groups[1]?.value(value)) },
          { name: "rewards", data: Float64Array.from([...rewards, 0]) },
          { name: "terminations", data: [...terminations, false] },
          { name: "truncations", data: [...truncations, false] },
        ],
        rowGroupSize: observations.length,
      })
      writer.finish()
      const content = bytes.getBytes()
      await fs.writeFile(path.join(folder, "part-0.parquet"), content)
      const stated = `${JSON.stringify(metadataOf(index, episode))}\n`
      await fs.writeFile(path.join(folder, "metadata.json"), stated)
      size += content.length + stated.length
    },
    close: async () => size,
  }
}

const metadataOf = (id: number, { rewards, seed, options }: Episode) => ({
  id,
  total_steps: rewards.length,
  ...(seed === null ? {} : { seed }),
  ...(Object.keys(options).length === 0 ? {} : { options }),
})

interface Group {
  readonly elements: ReadonlyArray<SchemaElement>
  /** A row of the column, from a value of the space. */
  readonly value: (value: Json) => unknown
}

/** A space as a column: a struct for `Dict` and `Tuple` spaces, a list or a number for others. */
const groupOf = (name: string, space: Space): Group => {
  const parts = partsOf(space)
  if (parts === undefined) {
    const [leaf] = leavesOf(space)
    return leaf === undefined ? { elements: [], value: () => null } : leafGroup(name, leaf)
  }
  const groups = parts.map(([key, subspace]) => [key, groupOf(key, subspace)] as const)
  return {
    elements: [
      { name, num_children: parts.length, repetition_type: "REQUIRED" },
      ...groups.flatMap(([, { elements }]) => elements),
    ],
    value: (value) =>
      Object.fromEntries(
        groups.map(([key, group]) => [key, group.value((value as Record<string, Json>)?.[key] ?? null)]),
      ),
  }
}

const partsOf = (space: Space): ReadonlyArray<readonly [string, Space]> | undefined => {
  if (space.type === "Dict") return Object.entries(space.subspaces)
  return space.type === "Tuple" ? space.subspaces.map((one, index) => [String(index), one] as const) : undefined
}

const leafGroup = (name: string, leaf: Leaf): Group => {
  const own = { ...leaf, path: [] }
  if (leaf.shape === undefined)
    return {
      elements: [{ name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" }],
      value: (value) => leafOf(own, value),
    }
  const element = elementOf(leaf.dtype)
  const convert = converterOf(leaf.dtype)
  if (leaf.isScalar)
    return {
      elements: [{ name, ...element, repetition_type: "REQUIRED" }],
      value: (value) => convert(Number(leafOf(own, value)[0])),
    }
  return {
    elements: [
      { name, num_children: 1, converted_type: "LIST", repetition_type: "REQUIRED" },
      { name: "list", num_children: 1, repetition_type: "REPEATED" },
      { name: "element", ...element, repetition_type: "REQUIRED" },
    ],
    value: (value) => Array.from(leafOf(own, value) as ReadonlyArray<number>, convert),
  }
}

type Element = Pick<SchemaElement, "type" | "converted_type">

const ELEMENTS: Readonly<Record<string, Element>> = {
  float64: { type: "DOUBLE" },
  float32: { type: "FLOAT" },
  float16: { type: "FLOAT" },
  int64: { type: "INT64" },
  uint64: { type: "INT64", converted_type: "UINT_64" },
  int32: { type: "INT32" },
  uint32: { type: "INT32", converted_type: "UINT_32" },
  int16: { type: "INT32", converted_type: "INT_16" },
  uint16: { type: "INT32", converted_type: "UINT_16" },
  int8: { type: "INT32", converted_type: "INT_8" },
  uint8: { type: "INT32", converted_type: "UINT_8" },
  bool: { type: "BOOLEAN" },
}

const elementOf = (dtype = "float64"): Element => ELEMENTS[dtype] ?? { type: "DOUBLE" }

const converterOf = (dtype: string | undefined): ((number: number) => number | bigint | boolean) => {
  if (dtype === "bool") return (number) => number !== 0
  return dtype === "int64" || dtype === "uint64" ? BigInt : (number) => number
}
