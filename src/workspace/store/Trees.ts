/**
 * Trees as text: one for each directory, under its digest, so that two trees share equal directories. A line per entry,
 * in order: a JSON array of its name and the entry, or of its name and the directory's digest. Pure.
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

/** Not recursive: a path from elsewhere may have any number of directories. */
const writeDirectory = (root: Directory, put: (text: string) => string): string => {
  const all = [root]
  for (const { directories } of all) for (const one of directories.values()) all.push(one)
  const digests = new Map<Directory, string>()
  let digest = ""
  for (const directory of all.toReversed()) {
    const lines = [
      ...Array.from(directory.files, ([name, entry]) => JSON.stringify([name, ...written(entry)])),
      ...Array.from(directory.directories, ([name, one]) => JSON.stringify([name, "d", digests.get(one)])),
    ]
    digest = put(lines.sort().join("\n"))
    digests.set(directory, digest)
  }
  return digest
}

const written = ({ kind, mode, size, digest, omitted, stamp }: Entry): ReadonlyArray<unknown> =>
  omitted === undefined
    ? [kind === "file" ? "f" : "l", mode, size, digest]
    : [kind === "file" ? "f" : "l", mode, size, digest ?? null, omitted, ...(stamp === undefined ? [] : [stamp])]

/**
 * Reads a tree by its root's digest; undefined if `get` lacks a directory. Throws if the tree is larger than any
 * recorded one: a few directories that contain each other many times would form an endless tree.
 */
export const read = (root: string, get: (digest: string) => string | undefined): Tree | undefined => {
  const tree = new Map<string, Entry>()
  const pending = [{ digest: root, prefix: "" }]
  let count = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { digest, prefix } = next
    const text = get(digest)
    if (text === undefined) return undefined
    for (const line of linesOf(text)) {
      const [name, kind, ...others] = JSON.parse(line)
      const path = prefix + name
      if (++count > MAX_ENTRIES) throw new Error(`the tree ${root} has more than ${MAX_ENTRIES} entries`)
      if (path.length > MAX_PATH) throw new Error(`the tree ${root} has a path of more than ${MAX_PATH} characters`)
      if (kind === "d") pending.push({ digest: others[0], prefix: `${path}/` })
      else tree.set(path, entryOf(kind, others))
    }
  }
  return tree
}

/** Maximum number of a tree's files and directories: several times the limit of snapshots. */
export const MAX_ENTRIES = 500_000

/** Longer than any system accepts, including Windows. */
const MAX_PATH = 32_767

/** The lines of a directory, one after the other: a store from elsewhere may contain any number. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start)
    const end = found < 0 ? text.length : found
    if (end - start > MAX_LINE) throw new Error(`a directory has a line of more than ${MAX_LINE} characters`)
    yield text.slice(start, end)
    start = end + 1
  }
}

/** A name of the maximum length, with each character escaped, and the rest of an entry. */
const MAX_LINE = 8 * MAX_PATH

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
    const line = lineOf(text, prefix)
    if (line === undefined) return { isKnown: true }
    const [, kind, ...others] = JSON.parse(line)
    const isLast = index === names.length - 1
    if (isLast) return kind === "d" ? { isKnown: true } : { isKnown: true, entry: entryOf(kind, others) }
    if (kind !== "d") return { isKnown: true }
    directory = others[0]
  }
  return { isKnown: true }
}

const lineOf = (text: string, prefix: string): string | undefined => {
  for (const line of linesOf(text)) if (line.startsWith(prefix)) return line
  return undefined
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
    for (const line of linesOf(get(root) ?? "")) {
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
