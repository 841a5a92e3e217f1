/** Reads the groups of an HDF5 file as columns, a part of the rows at a time. */

import * as fs from "node:fs"
import * as Hdf5 from "../Hdf5.ts"
import { type Column, Damaged } from "./Column.ts"

/**
 * How much larger than the whole file a data set may be. DEFLATE compresses to a thousandth at best; HDF5 stores nothing
 * for rows that were never written, however many there are.
 */
const MAX_RATIO = 2000

/** Maximum number of bytes that one read returns. */
const MAX_READ_BYTES = 256 * 1024 * 1024

/** An open file of episodes. */
export interface EpisodeFile {
  /** Names of the episodes' groups. */
  readonly names: ReadonlyArray<string>
  readonly attributes: (name: string) => ReadonlyMap<string, unknown>
  readonly episode: (name: string) => ReadonlyMap<string, Column>
  readonly close: () => void
}

/** Opens a file. Rejects with `NoHdf5` without the package `h5wasm`, and with `Damaged` for another file. */
export const open = async (file: string): Promise<EpisodeFile> => {
  const descriptor = fs.openSync(file, "r")
  try {
    const { size } = fs.fstatSync(descriptor)
    const opened = await Hdf5.open(descriptor, "r").catch((cause) => {
      if (cause instanceof Hdf5.NoHdf5) throw cause
      throw new Damaged(`a file that is no whole HDF5: ${firstLine(cause)}`)
    })
    const limit = size * MAX_RATIO
    const groupOf = (name: string): Hdf5.Group => {
      const group = guarded(() => memberOf(opened.root, name))
      if (!("keys" in group)) throw new Damaged(`${name}, which is no group`)
      return group
    }
    return {
      names: guarded(() => opened.root.keys()),
      attributes: (name) =>
        guarded(() => new Map(Object.entries(groupOf(name).attrs).map(([key, attribute]) => [key, attribute?.value]))),
      episode: (name) => partsOf(groupOf(name), limit, 1),
      close: () => {
        opened.close()
        fs.closeSync(descriptor)
      },
    }
  } catch (cause) {
    fs.closeSync(descriptor)
    throw cause
  }
}

const firstLine = (cause: unknown): string => {
  const lines = (cause instanceof Error ? cause.message : String(cause))
    .split("\n")
    .filter((line) => line.trim() !== "")
  // HDF5's last line is the innermost cause.
  return (lines.at(-1) ?? "").trim().slice(0, 200)
}

/** Turns errors of HDF5's library into `Damaged`. */
const guarded = <A>(run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof Damaged) throw cause
    throw new Damaged(`HDF5 that cannot be read: ${firstLine(cause)}`)
  }
}

const memberOf = (group: Hdf5.Group, name: string): Hdf5.Group | Hdf5.Dataset => {
  const type = group.get_type(`${group.path === "/" ? "" : group.path}/${name}`)
  const member = type === Hdf5.GROUP || type === Hdf5.DATASET ? group.get(name) : null
  if (member === null || !("keys" in member || "slice" in member))
    throw new Damaged(`${JSON.stringify(name)}, a link that leads out of the file or to nothing`)
  return member
}

const MAX_DEPTH = 16

const partsOf = (group: Hdf5.Group, limit: number, depth: number): ReadonlyMap<string, Column> => {
  if (depth > MAX_DEPTH) throw new Damaged(`groups of more than ${MAX_DEPTH} levels`)
  return guarded(
    () =>
      new Map(
        group.keys().map((name) => {
          const member = memberOf(group, name)
          return [name, "keys" in member ? structureOf(member, limit, depth) : columnOf(name, member, limit)] as const
        }),
      ),
  )
}

const structureOf = (group: Hdf5.Group, limit: number, depth: number): Column => {
  const parts = partsOf(group, limit, depth + 1)
  return {
    rows: Math.min(Number.MAX_SAFE_INTEGER, ...[...parts.values()].map(({ rows }) => rows)),
    parts,
    read: () => [],
  }
}

/** HDF5's classes of types that have a meaning here: integers, floats, enumerations such as FALSE and TRUE. */
const KNOWN_TYPES: ReadonlySet<number> = new Set([0, 1, 8])

const columnOf = (name: string, dataset: Hdf5.Dataset, limit: number): Column => {
  const { shape, metadata } = dataset
  const what = JSON.stringify(name)
  if (shape === null || shape.length === 0) return { rows: 0, parts: undefined, read: () => [] }
  const [rows = 0, ...inner] = shape
  const cells = inner.reduce((product, length) => product * length, 1)
  const rowBytes = cells * Math.max(1, metadata.size)
  if (rows * rowBytes > limit)
    throw new Damaged(`${what} of shape [${shape.join(", ")}], far more than a file of its size can hold`)
  if (metadata.virtual_sources !== undefined) throw new Damaged(`${what}, whose values lie in other files`)
  const isKnown = KNOWN_TYPES.has(metadata.type) && !metadata.vlen
  return {
    rows,
    parts: undefined,
    cells,
    read: (from, to) => {
      // Opaque bytes may be pickles, which nobody loads; lists of varying length are JPEG images.
      if (!isKnown && metadata.type !== TEXT) throw new Damaged(`${what} of a type that is neither numbers nor text`)
      if (to > rows) throw new Damaged(`${what} with ${rows} rows, where the episode needs ${to}`)
      if ((to - from) * rowBytes > MAX_READ_BYTES) throw new Damaged(`${what} with rows of ${rowBytes} bytes`)
      const ranges = [[from, to] as const, ...inner.map((length) => [0, length] as const)]
      const values = from === to ? [] : guarded(() => dataset.slice(ranges))
      if (!isList(values)) throw new Damaged(`${what} without values`)
      if (cells === 1) return values
      return Array.from({ length: to - from }, (_, row) => values.slice(row * cells, (row + 1) * cells))
    },
  }
}

/** The class of texts, of fixed or varying length. */
const TEXT = 3

type List = ReadonlyArray<unknown> | Float64Array

const isList = (value: unknown): value is List =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))
