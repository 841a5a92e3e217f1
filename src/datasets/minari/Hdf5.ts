/**
 * HDF5 by `h5wasm`, an optional package: HDF5's own C library as WebAssembly. It runs on a file system in memory that has
 * one file, whose bytes it reads from and writes to a descriptor. So links to other files lead nowhere, and the memory
 * of a large file is that of its parts.
 */

import * as fs from "node:fs"
import { Effect } from "effect"
import * as OptionalPackage from "../../platform/packages/OptionalPackage.ts"

/** The suitable versions. */
export const VERSION = "0.10"

/** `h5wasm` is not installed, or in an unsuitable version. */
export class NoHdf5 extends Error {
  constructor(found: string | undefined) {
    super(
      `the package h5wasm ${VERSION}, which reads and writes HDF5; found ${found ?? "none"}. Install it: npm install h5wasm@${VERSION}`,
    )
  }
}

/** A data set in a file: an array of numbers or texts. */
export interface Dataset {
  readonly shape: ReadonlyArray<number> | null
  readonly metadata: {
    readonly type: number
    readonly size: number
    readonly vlen: boolean
    readonly virtual_sources?: unknown
  }
  readonly slice: (ranges: ReadonlyArray<readonly [number, number]>) => unknown
}

/** Attributes by name, read when asked for. */
export interface Attributes {
  readonly [name: string]: { readonly value: unknown } | undefined
}

/** A group of data sets and groups. */
export interface Group {
  /** From the root. */
  readonly path: string
  readonly attrs: Attributes
  readonly keys: () => ReadonlyArray<string>
  /** The type of the object at a path from the root. */
  readonly get_type: (path: string) => number
  readonly get: (name: string) => Group | Dataset | null
  readonly create_group: (name: string) => Group
  readonly create_dataset: (options: {
    readonly name: string
    readonly data: ArrayLike<number> | ArrayLike<bigint> | ReadonlyArray<string>
    readonly shape: ReadonlyArray<number>
    readonly dtype?: string
    readonly chunks?: ReadonlyArray<number>
    readonly maxshape?: ReadonlyArray<number | null>
  }) => unknown
  readonly create_attribute: (name: string, data: number | string, shape: ReadonlyArray<number>, dtype: string) => void
}

interface Stream {
  readonly node: Node
}

interface Node {
  usedBytes: number
  stream_ops: object
  node_ops: object
}

interface FileSystem {
  readonly createFile: (parent: string, name: string, options: object, readable: boolean, writable: boolean) => Node
  readonly unlink: (path: string) => void
}

interface Module {
  readonly FS: FileSystem
  readonly activate_throwing_error_handler: () => number
}

interface File extends Group {
  readonly close: () => number
}

type FileClass = new (name: string, mode: "r" | "w") => File

/** An open file. */
export interface OpenFile {
  readonly root: Group
  readonly close: () => void
}

/** HDF5's object types, as `get_type` returns them. */
export const GROUP = 0
export const DATASET = 1

let opened = 0

/**
 * Opens a file on an open descriptor, to read it or to write it from its start. The caller closes the descriptor after the file.
 * Rejects with `NoHdf5` without the package, and with an error of HDF5 for other files.
 */
export const open = async (descriptor: number, mode: "r" | "w"): Promise<OpenFile> => {
  const { File, module } = await load()
  const name = `${opened++}.hdf5`
  const node = module.FS.createFile("/", name, {}, true, mode === "w")
  node.usedBytes = mode === "r" ? fs.fstatSync(descriptor).size : 0
  node.stream_ops = {
    ...node.stream_ops,
    read: (_: Stream, into: Uint8Array, offset: number, length: number, position: number) =>
      position >= node.usedBytes ? 0 : fs.readSync(descriptor, into, offset, length, position),
    write: (_: Stream, from: Uint8Array, offset: number, length: number, position: number) => {
      const written = fs.writeSync(descriptor, from, offset, length, position)
      node.usedBytes = Math.max(node.usedBytes, position + written)
      return written
    },
  }
  node.node_ops = {
    ...node.node_ops,
    setattr: (_: Node, { size }: { readonly size?: number }) => {
      if (size === undefined || mode === "r") return
      fs.ftruncateSync(descriptor, size)
      node.usedBytes = size
    },
  }
  const unlink = () => module.FS.unlink(`/${name}`)
  try {
    const file = new File(`/${name}`, mode)
    return {
      root: file,
      close: () => {
        file.close()
        unlink()
      },
    }
  } catch (cause) {
    unlink()
    throw cause
  }
}

let loading: Promise<{ readonly File: FileClass; readonly module: Module }> | undefined

const load = () => {
  loading ??= loadOnce().catch((cause) => {
    loading = undefined
    throw cause
  })
  return loading
}

const loadOnce = async () => {
  const found = await Effect.runPromise(Effect.either(OptionalPackage.load("h5wasm", VERSION)))
  if (found._tag === "Left") throw new NoHdf5(found.left.found)
  const { exports } = found.right
  const [File, ready] = [exports.get("File"), exports.get("ready")]
  const module: unknown = await ready
  if (typeof File !== "function" || typeof module !== "object" || module === null || !("FS" in module))
    throw new NoHdf5(`${found.right.version}, which has other exports`)
  // The package declares these types; Hindcast compiles without it.
  const known = { File: File as FileClass, module: module as Module }
  // Otherwise, HDF5 prints its errors.
  known.module.activate_throwing_error_handler()
  return known
}
