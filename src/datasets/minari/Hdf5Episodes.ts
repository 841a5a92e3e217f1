/** Writes the episodes of a Minari data set as one HDF5 file, `main_data.hdf5`, with a group for each episode. */

import * as fs from "node:fs"
import * as path from "node:path"
import type { Space } from "../../plugins/author.ts"
import type { Json } from "../../values/Json.ts"
import type { Episode, EpisodeWriter } from "./EpisodeWriter.ts"
import * as Hdf5 from "./Hdf5.ts"
import { type Leaf, leafOf, leavesOf, NotRepresentable } from "./Leaves.ts"

/** The file's name, which Minari expects. */
export const FILE = "main_data.hdf5"

/** Opens the file in `directory`. Rejects with `NoHdf5` without the package `h5wasm`. */
export const open = async (directory: string, observation: Space, action: Space): Promise<EpisodeWriter> => {
  const [observed, acted] = [leavesOf(observation), leavesOf(action)]
  for (const { path: keys } of [...observed, ...acted]) for (const key of keys) checkName(key)
  const descriptor = fs.openSync(path.join(directory, FILE), "wx+")
  const file = await Hdf5.open(descriptor, "w").catch((cause) => {
    fs.closeSync(descriptor)
    throw cause
  })
  let bytes = 0
  let isOpen = true
  return {
    write: async (index, episode) => {
      const group = file.root.create_group(`episode_${index}`)
      writeSpace(group, "observations", observed, episode.observations)
      writeSpace(group, "actions", acted, episode.actions)
      const rows = [episode.rewards.length]
      group.create_dataset({ name: "rewards", data: Float64Array.from(episode.rewards), shape: rows, dtype: "<d" })
      for (const name of ["terminations", "truncations"] as const)
        group.create_dataset({ name, data: Uint8Array.from(episode[name], Number), shape: rows, dtype: "<B" })
      writeAttributes(group, index, episode)
    },
    close: async () => {
      if (!isOpen) return bytes
      isOpen = false
      file.close()
      fs.fsyncSync(descriptor)
      bytes = fs.fstatSync(descriptor).size
      fs.closeSync(descriptor)
      return bytes
    },
  }
}

const writeAttributes = (group: Hdf5.Group, index: number, { rewards, seed }: Episode): void => {
  group.create_attribute("id", index, [], "<i")
  group.create_attribute("total_steps", rewards.length, [], "<i")
  if (seed !== null && Math.abs(seed) < 2 ** 31) group.create_attribute("seed", seed, [], "<i")
}

/** HDF5 separates the names of groups by slashes. */
const checkName = (key: string | number): void => {
  if (typeof key === "string" && (key === "" || key === "." || /[/\0]/.test(key)))
    throw new NotRepresentable(`a space with the key ${JSON.stringify(key)}, which HDF5 cannot name; use Parquet`)
}

const writeSpace = (
  group: Hdf5.Group,
  name: string,
  leaves: ReadonlyArray<Leaf>,
  values: ReadonlyArray<Json>,
): void => {
  for (const leaf of leaves) {
    const names = [name, ...leaf.path.map((key) => (typeof key === "number" ? `_index_${key}` : key))]
    const parent = names.slice(0, -1).reduce(groupIn, group)
    writeLeaf(parent, names.at(-1) ?? name, leaf, values)
  }
}

const groupIn = (group: Hdf5.Group, name: string): Hdf5.Group => {
  if (!group.keys().includes(name)) return group.create_group(name)
  const found = group.get(name)
  if (found === null || !("keys" in found)) throw new Error(`${name} is no group`)
  return found
}

/** Rows of a chunk, so that a reader of a part need not read a whole episode. */
const ROWS_PER_CHUNK = 1024

const writeLeaf = (group: Hdf5.Group, name: string, leaf: Leaf, values: ReadonlyArray<Json>): void => {
  const rows = values.length
  if (leaf.shape === undefined) {
    group.create_dataset({ name, data: values.map((value) => String(leafOf(leaf, value))), shape: [rows] })
    return
  }
  const cells = leaf.shape.reduce((product, length) => product * length, 1)
  const { array, dtype, of } = STORED[leaf.dtype ?? ""] ?? FLOAT64
  const data = new array(rows * cells)
  for (const [row, value] of values.entries()) {
    const numbers = leafOf(leaf, value) as ReadonlyArray<number>
    for (const [cell, number] of numbers.entries()) data[row * cells + cell] = of(number)
  }
  const shape = [rows, ...leaf.shape]
  const chunks = shape.map((length, level) => Math.max(1, level === 0 ? Math.min(length, ROWS_PER_CHUNK) : length))
  group.create_dataset({
    name,
    data: data as ArrayLike<number>,
    shape,
    dtype,
    ...(cells === 0 ? {} : { chunks, maxshape: [null, ...leaf.shape] }),
  })
}

interface Stored {
  readonly array: new (length: number) => { [index: number]: number | bigint }
  readonly dtype: string
  readonly of: (number: number) => number | bigint
}

const same = (number: number): number => number

const FLOAT64: Stored = { array: Float64Array, dtype: "<d", of: same }

/** How each number type is stored. A `bool` is a byte. */
const STORED: Readonly<Record<string, Stored>> = {
  float64: FLOAT64,
  float32: { array: Float32Array, dtype: "<f", of: same },
  float16: { array: Float32Array, dtype: "<f", of: same },
  int64: { array: BigInt64Array as unknown as Stored["array"], dtype: "<q", of: BigInt },
  uint64: { array: BigUint64Array as unknown as Stored["array"], dtype: "<Q", of: BigInt },
  int32: { array: Int32Array, dtype: "<i", of: same },
  uint32: { array: Uint32Array, dtype: "<I", of: same },
  int16: { array: Int16Array, dtype: "<h", of: same },
  uint16: { array: Uint16Array, dtype: "<H", of: same },
  int8: { array: Int8Array, dtype: "<b", of: same },
  uint8: { array: Uint8Array, dtype: "<B", of: same },
  bool: { array: Uint8Array, dtype: "<B", of: same },
}
