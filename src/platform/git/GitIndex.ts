/**
 * Finds files that Git tracks, by parsing the index itself: a repository may come from a stranger, and its
 * configuration can make Git run programs.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import * as SmallFile from "../SmallFile.ts"
import * as SplitIndex from "./SplitIndex.ts"

export interface TrackedFiles {
  readonly repository: string
  /** Relative to the repository, with `/`. */
  readonly names: ReadonlyArray<string>
}

/**
 * Undefined if there is no repository or its files are unknown: an index that is too large or has an unsupported format.
 * Never throws.
 */
export const tracked = (directory: string): TrackedFiles | undefined => {
  try {
    const repository = repositoryAround(fs.realpathSync(directory))
    if (repository === undefined) return undefined
    const read = (name: string): Buffer | undefined => {
      const bytes = SmallFile.readRegular(path.join(repository.gitDirectory, name), MAX_BYTES + 1)
      return bytes === undefined || bytes.length > MAX_BYTES ? undefined : bytes
    }
    const bytes = read("index")
    if (bytes === undefined) return undefined
    const names = namesIn(bytes, SHA1_BYTES, read) ?? namesIn(bytes, SHA256_BYTES, read)
    return names && { repository: repository.root, names }
  } catch {
    return undefined
  }
}

/** The first tracked file that is wanted, relative to its repository. Undefined as for `tracked`. */
export const firstTracked = (
  directory: string,
  wanted: (absolute: string) => boolean,
): { readonly repository: string; readonly file: string } | undefined => {
  const files = tracked(directory)
  if (files === undefined) return undefined
  const { repository, names } = files
  const file = names.find((name) => wanted(path.join(repository, name)))
  return file === undefined ? undefined : { repository, file }
}

const MAX_BYTES = 64 * 1024 * 1024
/** Of all names. In version 4, a name may repeat most of the one before it in a few bytes. */
const MAX_NAMES_BYTES = 4 * MAX_BYTES
const SHA1_BYTES = 20
const SHA256_BYTES = 32

/** The repository around a directory, and its Git directory; undefined if there is none. */
export const repositoryAround = (
  directory: string,
): { readonly root: string; readonly gitDirectory: string } | undefined => {
  for (let root = directory; ; root = path.dirname(root)) {
    const git = path.join(root, ".git")
    const found = fs.lstatSync(git, { throwIfNoEntry: false })
    if (found?.isDirectory() === true) return { root, gitDirectory: git }
    // A linked worktree or a submodule has a file that names its directory.
    if (found?.isFile() === true && found.size < MAX_POINTER_BYTES) {
      const [, named] = /^gitdir: (.+)/.exec(fs.readFileSync(git, "utf8")) ?? []
      return named === undefined ? undefined : { root, gitDirectory: path.resolve(root, named.trim()) }
    }
    if (path.dirname(root) === root) return undefined
  }
}

/** The Git directory that linked worktrees share. */
export const commonDirectory = (gitDirectory: string): string => {
  try {
    const named = SmallFile.readRegular(path.join(gitDirectory, "commondir"), MAX_POINTER_BYTES)
    return named === undefined ? gitDirectory : path.resolve(gitDirectory, named.toString("utf8").trim())
  } catch {
    return gitDirectory
  }
}

const MAX_POINTER_BYTES = 8192

/** The names in an index, of which a shared one may hold a part. */
const namesIn = (
  bytes: Buffer,
  hashBytes: number,
  read: (name: string) => Buffer | undefined,
): ReadonlyArray<string> | undefined => {
  const entries = entriesIn(bytes, hashBytes)
  if (entries === undefined) return undefined
  const link = SplitIndex.linkIn(bytes, entries.end, hashBytes)
  if (link === undefined) return entries.names.includes("") ? undefined : entries.names
  const base = link.shared === undefined ? undefined : read(link.shared)
  const shared = base === undefined ? { names: [] } : entriesIn(base, hashBytes)
  if (shared === undefined) return undefined
  // A replaced entry has its name in the shared index only.
  return [...shared.names.filter((_, at) => !link.isDeleted(at)), ...entries.names.filter((name) => name !== "")]
}

/**
 * Reads versions 2 to 4 (gitformat-index(5)). Extensions and a hash follow the entries, so a truncated index does not
 * end within them.
 */
const entriesIn = (
  bytes: Buffer,
  hashBytes: number,
): { readonly names: ReadonlyArray<string>; readonly end: number } | undefined => {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  if (version < 2 || version > 4) return undefined
  const end = bytes.length - hashBytes
  const names: Array<string> = []
  let at = HEADER_BYTES
  let last = Buffer.alloc(0)
  let total = 0
  for (let entry = 0; entry < count; entry++) {
    const start = at
    at += STAT_BYTES + hashBytes
    if (at + 2 > end) return undefined
    const flags = bytes.readUInt16BE(at)
    at += 2 + ((flags & EXTENDED) === 0 ? 0 : 2)
    let kept = 0
    if (version === 4) {
      const dropped = varint(bytes, at)
      if (dropped === undefined) return undefined
      at = dropped.next
      kept = last.length - dropped.value
      if (kept < 0) return undefined
    }
    const stop = bytes.indexOf(0, at)
    if (stop < 0 || stop > end) return undefined
    total += kept + stop - at
    if (total > MAX_NAMES_BYTES) return undefined
    const name = Buffer.concat([last.subarray(0, kept), bytes.subarray(at, stop)])
    const length = flags & NAME_LENGTH
    if (length < NAME_LENGTH && length !== name.length) return undefined
    names.push(name.toString("utf8"))
    last = version === 4 ? name : last
    at = version === 4 ? stop + 1 : start + Math.ceil((stop + 1 - start) / 8) * 8
  }
  return { names, end: at }
}

const HEADER_BYTES = 12

/** Times, device, inode, mode, owner and size of an entry. */
const STAT_BYTES = 40

const EXTENDED = 0x4000
const NAME_LENGTH = 0xfff

/** Git's variable-width number (as in `OFS_DELTA`). */
const varint = (bytes: Buffer, at: number): { readonly value: number; readonly next: number } | undefined => {
  let next = at
  let byte = bytes[next++]
  if (byte === undefined) return undefined
  let value = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = bytes[next++]
    if (byte === undefined || value > 0xffffff) return undefined
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, next }
}
