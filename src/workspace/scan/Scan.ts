/**
 * Finds the files of a workspace: those that Git would add, including nested repositories. Reads no content, and lists
 * a directory again only if it changed.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import * as Slices from "../../platform/Slices.ts"
import * as FileTimes from "./FileTimes.ts"
import type { IgnoreRules } from "./IgnoreRules.ts"

/** Something in the workspace that a snapshot cannot contain. */
export interface Gap {
  readonly what: "a name that is not UTF-8" | typeof UNREAD_DIRECTORY | "a pipe, socket or device"
  readonly path: string
}

export const UNREAD_DIRECTORY = "a directory without permission"

export class TooManyFiles extends Error {
  override readonly name = "TooManyFiles"
  constructor(root: string, limit: number) {
    super(
      `${root} has more than ${limit} files or directories that Git does not ignore. Ignore generated ones in .gitignore`,
    )
  }
}

/** The root, or a directory above it, is now a link, so it leads elsewhere. */
export class RootReplaced extends Error {
  override readonly name = "RootReplaced"
  constructor(root: string, found: string) {
    super(`${root}: expected the recorded directory, found a link in its path, which leads to ${found}`)
  }
}

export interface ScanOptions {
  /** An absolute path without links. */
  readonly root: string
  readonly rules: IgnoreRules
  /** Maximum number of files, and of directories. */
  readonly limit: number
  /** Whether an absolute path belongs to the recorder itself. */
  readonly isOwn: (file: string) => boolean
}

/** The contents of a directory when it was listed. Paths are relative to the root, with `/`. */
interface Listing {
  readonly isIgnored: boolean
  readonly times: FileTimes.FileTimes
  readonly files: ReadonlyArray<string>
  readonly directories: ReadonlyArray<{ readonly directory: string; readonly isIgnored: boolean }>
  readonly rules: { readonly has: boolean; readonly isRepository: boolean }
  readonly gaps: ReadonlyArray<Gap>
}

export class Scan {
  readonly #options: ScanOptions
  #listings = new Map<string, Listing>()

  constructor(options: ScanOptions) {
    this.#options = options
  }

  /**
   * Calls `visit` for each regular file and link, and returns the gaps of the snapshot. Follows no link. Leaves out
   * files that vanish in the meantime. Throws `TooManyFiles`, `RootReplaced`, and the system's error if the root cannot
   * be read.
   */
  run(visit: Visit): ReadonlyArray<Gap> {
    return Slices.atOnce(this.steps(visit))
  }

  /** Like `run`, in short steps, which the caller takes one after the other. */
  *steps(visit: Visit): Slices.Steps<ReadonlyArray<Gap>> {
    const { root } = this.#options
    const found = fs.realpathSync(root)
    if (found !== root) throw new RootReplaced(root, found)
    const listings = yield* this.#listed()
    let count = 0
    for (const { files } of listings) {
      for (const file of files) {
        const stats = statOf(root + path.sep + file)
        // A link or file may have become a directory, which the next scan finds.
        if (stats !== undefined && (stats.isFile() || stats.isSymbolicLink())) visit(file, stats)
        if (++count % FILES_A_STEP === 0) yield
      }
    }
    return listings.flatMap(({ gaps }) => gaps)
  }

  /** The listings of all directories, from the root down. */
  *#listed(): Slices.Steps<ReadonlyArray<Listing>> {
    const { rules, root, limit } = this.#options
    if (rules.refresh()) this.#listings.clear()
    let count = 0
    const current = new Map<string, Listing>()
    const pending = [{ directory: "", isIgnored: false }]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { directory, isIgnored } = next
      const before = this.#listings.get(directory)
      const listing = this.#listing(directory, isIgnored, before)
      if (listing === undefined) continue
      // Rules apply to everything below, whose listings may be older.
      const hasRules = listing.rules.has || listing.rules.isRepository
      if (listing === before && hasRules && rules.enter(directory, listing.rules)) {
        this.#listings.clear()
        return yield* this.#listed()
      }
      current.set(directory, listing)
      count += listing.files.length
      if (count > limit || current.size > limit) throw new TooManyFiles(root, limit)
      for (const one of listing.directories) pending.push(one)
      yield
    }
    this.#listings = current
    return [...current.values()]
  }

  /** A directory's listing, or `before` if it is certainly the same; undefined if the directory vanished. */
  #listing(directory: string, isIgnored: boolean, before: Listing | undefined): Listing | undefined {
    const { root, rules, isOwn } = this.#options
    const absolute = directory === "" ? root : root + path.sep + directory
    const at = Date.now()
    const stats = statOf(absolute)
    if (stats === undefined && directory !== "") return undefined
    if (stats !== undefined && before?.isIgnored === isIgnored && FileTimes.isFresh(before.times, stats)) return before
    const entries = entriesOf(absolute, directory === "")
    const times = FileTimes.of(stats ?? fs.lstatSync(absolute), at)
    if (entries === undefined) {
      const gap = { what: UNREAD_DIRECTORY, path: directory } as const
      return { isIgnored, times, files: [], directories: [], rules: NO_RULES, gaps: [gap] }
    }
    const own = {
      has: entries.some(({ name }) => name === ".gitignore"),
      isRepository: entries.some(({ name }) => name === ".git"),
    }
    if (rules.enter(directory, own)) this.#forgetBelow(directory)
    const files: Array<string> = []
    const directories: Array<{ readonly directory: string; readonly isIgnored: boolean }> = []
    const gaps: Array<Gap> = []
    for (const entry of entries) {
      const { name } = entry
      const relative = directory === "" ? name : `${directory}/${name}`
      const isDirectory = entry.isDirectory()
      if (name.toLowerCase() === ".git" || isOwn(absolute + path.sep + name)) continue
      // In an ignored directory, only tracked files count.
      const isExcluded = isIgnored || rules.isExcluded(relative, isDirectory)
      if (isExcluded && !rules.isTracked(relative)) continue
      if (name.includes("\ufffd") && !isUtf8(absolute, name))
        gaps.push({ what: "a name that is not UTF-8", path: relative })
      else if (isDirectory) directories.push({ directory: relative, isIgnored: isExcluded })
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(relative)
      else gaps.push({ what: "a pipe, socket or device", path: relative })
    }
    return { isIgnored, times, files, directories, rules: own, gaps }
  }

  #forgetBelow(directory: string): void {
    const prefix = directory === "" ? "" : `${directory}/`
    for (const known of this.#listings.keys()) if (known.startsWith(prefix)) this.#listings.delete(known)
  }
}

type Visit = (relative: string, stats: fs.Stats) => void

const FILES_A_STEP = 50

const NO_RULES = { has: false, isRepository: false }

/** A directory's entries; none if it vanished, undefined without permission. */
const entriesOf = (directory: string, isRoot: boolean): ReadonlyArray<fs.Dirent> | undefined => {
  try {
    return fs.readdirSync(directory, { withFileTypes: true })
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined
    if (isRoot) throw cause
    if (code === "ENOENT" || code === "ENOTDIR") return []
    if (code === "EACCES" || code === "EPERM") return undefined
    throw cause
  }
}

const statOf = (file: string): fs.Stats | undefined => {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false })
  } catch {
    // A directory above it vanished, or lost its permission; the next snapshot shows which.
    return undefined
  }
}

/** Whether the name itself contains the character U+FFFD. Otherwise, its bytes are no UTF-8. */
const isUtf8 = (directory: string, name: string): boolean => {
  try {
    return fs.readdirSync(directory, { encoding: "buffer" }).some((bytes) => bytes.equals(Buffer.from(name)))
  } catch {
    return false
  }
}
