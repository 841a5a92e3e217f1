/**
 * Trees as text: one for each directory, under its digest, so that two trees share the directories that are equal. A line
 * per entry, in order: a JSON array of its name and the entry, or of its name and the digest of the directory. Pure.
 */

import { type Entry, OMISSIONS, type Tree } from "../model/Entry.ts"

interface Directory {
  readonly files: Map<string, Entry>
  readonly directories: Map<string, Directory>
}

const emptyDirectory = (): Directory => ({ files: new Map(), directories: new Map() })

/** Writes a tree's directories by `put`, which returns a text's digest. Returns the root's. */
export const write = (tree: Tree, put: (text: string) => string): string => {
  const root = emptyDirectory()
  for (const [path, entry] of tree) {
    const names = path.split("/")
    const name = names.pop() ?? path
    let directory = root
    for (const one of names) {
      const next = directory.directories.get(one) ?? emptyDirectory()
      directory.directories.set(one, next)
      directory = next
    }
    directory.files.set(name, entry)
  }
  return writeDirectory(root, put)
}

const writeDirectory = ({ files, directories }: Directory, put: (text: string) => string): string => {
  const lines = [
    ...[...files].map(([name, entry]) => JSON.stringify([name, ...written(entry)])),
    ...[...directories].map(([name, directory]) => JSON.stringify([name, "d", writeDirectory(directory, put)])),
  ]
  return put(lines.sort().join("\n"))
}

const written = ({ kind, mode, size, digest, omitted, stamp }: Entry): ReadonlyArray<unknown> =>
  omitted === undefined
    ? [kind === "file" ? "f" : "l", mode, size, digest]
    : [kind === "file" ? "f" : "l", mode, size, digest ?? null, omitted, ...(stamp === undefined ? [] : [stamp])]

/** Reads a tree by its root's digest; undefined if `get` lacks a directory. */
export const read = (root: string, get: (digest: string) => string | undefined): Tree | undefined => {
  const tree = new Map<string, Entry>()
  const readInto = (digest: string, prefix: string): boolean => {
    const text = get(digest)
    if (text === undefined) return false
    for (const line of text === "" ? [] : text.split("\n")) {
      const [name, kind, ...others] = JSON.parse(line)
      if (kind !== "d") tree.set(prefix + name, entryOf(kind, others))
      else if (!readInto(others[0], `${prefix}${name}/`)) return false
    }
    return true
  }
  return readInto(root, "") ? tree : undefined
}

/** An entry of a tree; `isKnown` is false if `get` lacks a directory on the way to it. */
export interface Found {
  readonly isKnown: boolean
  readonly entry?: Entry | undefined
}

/** Looks up one path. Reads only the directories above it. */
export const find = (root: string, path: string, get: (digest: string) => string | undefined): Found => {
  const names = path.split("/")
  let directory: unknown = root
  for (const [index, name] of names.entries()) {
    const text = get(String(directory))
    if (text === undefined) return { isKnown: false }
    const prefix = `[${JSON.stringify(name)},`
    const line = text.split("\n").find((one) => one.startsWith(prefix))
    if (line === undefined) return { isKnown: true }
    const [, kind, ...others] = JSON.parse(line)
    const isLast = index === names.length - 1
    if (isLast) return kind === "d" ? { isKnown: true } : { isKnown: true, entry: entryOf(kind, others) }
    if (kind !== "d") return { isKnown: true }
    directory = others[0]
  }
  return { isKnown: true }
}

/** Paths to look for in several trees. Each directory is read once at each of its places. */
export class Search {
  readonly #wanted: ReadonlySet<string>
  readonly #directories = new Set<string>()
  readonly #read = new Set<string>()

  constructor(wanted: Iterable<string>) {
    this.#wanted = new Set(wanted)
    for (const path of this.#wanted)
      for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1))
        this.#directories.add(path.slice(0, end))
  }

  /** Calls `found` for wanted paths of a tree. Leaves out directories that `get` lacks, and those that it has read. */
  in(
    root: string,
    get: (digest: string) => string | undefined,
    found: (path: string, entry: Entry) => void,
    prefix = "",
  ): void {
    const place = `${root} ${prefix}`
    if (this.#read.has(place)) return
    this.#read.add(place)
    for (const line of get(root)?.split("\n") ?? []) {
      if (line === "") continue
      const [name, kind, ...others] = JSON.parse(line)
      const path = prefix + name
      if (kind === "d" && this.#directories.has(path)) this.in(others[0], get, found, `${path}/`)
      else if (kind !== "d" && this.#wanted.has(path)) found(path, entryOf(kind, others))
    }
  }
}

const entryOf = (kind: unknown, [mode, size, digest, omitted, stamp]: ReadonlyArray<unknown>): Entry => ({
  kind: kind === "l" ? "link" : "file",
  mode: Number(mode),
  size: Number(size),
  ...(typeof digest === "string" ? { digest } : {}),
  ...(omitted === undefined ? {} : { omitted: OMISSIONS.find((one) => one === omitted) }),
  ...(typeof stamp === "string" ? { stamp } : {}),
})
