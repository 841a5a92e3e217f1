/**
 * A directory in which a command runs on one recorded state after the other. Before each run, it has exactly that
 * state, whatever an earlier run left or changed.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import * as Content from "../history/Content.ts"
import type { Entry, Tree } from "../model/Entry.ts"
import * as RestorablePaths from "../restore/RestorablePaths.ts"
import * as RestoreInto from "../restore/RestoreInto.ts"
import * as WrittenFile from "../restore/WrittenFile.ts"
import * as FileTimes from "../scan/FileTimes.ts"

export interface Written {
  /** Files that the recorder left out on purpose, such as secrets. The command runs without them. */
  readonly omitted: ReadonlyArray<RestoreInto.Left>
  /** Files that are missing: without them, the state cannot be tested. */
  readonly lost: ReadonlyArray<RestoreInto.Left>
}

interface Known {
  readonly entry: Entry
  readonly times: FileTimes.FileTimes
}

export class Scratch {
  readonly directory: string
  #inode: number
  readonly #known = new Map<string, Known>()
  /** Files with another content, which need not be created again. */
  readonly #reusable = new Set<string>()

  /** Makes the directory. Its parent exists, is an absolute path without links, and belongs to this process. */
  constructor(directory: string) {
    this.directory = directory
    this.#inode = made(directory)
  }

  /** Makes the directory's contents those of a tree. Writes nothing outside of it, and nothing through a link. */
  put(tree: Tree, contents: Content.Contents): Written {
    const refusals = RestorablePaths.refused(tree)
    const wanted = new Map([...tree].filter(([file]) => !refusals.has(file)))
    this.#sweep(wanted)
    const omitted: Array<RestoreInto.Left> = []
    const lost: Array<RestoreInto.Left> = []
    for (const [file, refusal] of refusals) omitted.push({ path: file, why: RestoreInto.REFUSALS[refusal] })
    const written: Array<string> = []
    for (const [file, entry] of RestoreInto.linksLast(wanted)) {
      if (this.#known.has(file)) continue
      const why = RestoreInto.attempt(() => this.#write(file, entry, contents))
      if (why === undefined) written.push(file)
      else (entry.omitted === undefined ? lost : omitted).push({ path: file, why })
    }
    this.#settle(written)
    return { omitted, lost }
  }

  #write(file: string, entry: Entry, contents: Content.Contents): string | undefined {
    const bytes = RestoreInto.bytesOf(Content.of(entry, contents))
    if (typeof bytes === "string") return bytes
    const at = Date.now()
    const place = WrittenFile.placeIn(this.directory, file)
    if (this.#reusable.delete(file)) overwrite(place, entry, bytes)
    else WrittenFile.write(this.directory, file, entry, bytes, "create")
    const stats = fs.lstatSync(place)
    this.#known.set(file, { entry, times: FileTimes.of(stats, at) })
    return undefined
  }

  /**
   * Waits until the file system's clock has passed the last write. Later changes then have other times, so unchanged
   * files need no reading. If the clock has long steps, they are read.
   */
  #settle(written: ReadonlyArray<string>): void {
    const newest = written.reduce((latest, file) => Math.max(latest, this.#known.get(file)?.times.ctimeMs ?? 0), 0)
    if (written.length === 0 || !isPast(newest, `${this.directory}.clock`)) return
    for (const file of written) {
      const known = this.#known.get(file)
      if (known !== undefined) this.#known.set(file, { ...known, times: { ...known.times, at: Infinity } })
    }
  }

  /** Removes everything but wanted files that are unchanged or can be overwritten. */
  #sweep(wanted: Tree): void {
    const found = fs.lstatSync(this.directory, { throwIfNoEntry: false })
    const present = new Set<string>()
    this.#reusable.clear()
    // The command may have moved it away, or replaced it with a link.
    if (found?.isDirectory() === true && found.ino === this.#inode)
      this.#sweepIn("", wanted, directoriesOf(wanted), present)
    else this.#renew()
    for (const file of this.#known.keys()) if (!present.has(file)) this.#known.delete(file)
  }

  #sweepIn(directory: string, wanted: Tree, needed: ReadonlySet<string>, present: Set<string>): void {
    const place = path.join(this.directory, directory)
    if ((fs.lstatSync(place).mode & OWNERS) !== OWNERS) fs.chmodSync(place, OWNERS)
    for (const found of fs.readdirSync(place, { withFileTypes: true })) {
      const file = directory === "" ? found.name : `${directory}/${found.name}`
      if (found.isDirectory() && needed.has(file)) this.#sweepIn(file, wanted, needed, present)
      else this.#visit(file, path.join(place, found.name), wanted.get(file), present)
    }
  }

  #visit(file: string, place: string, entry: Entry | undefined, present: Set<string>): void {
    const stats = fs.lstatSync(place)
    if (entry !== undefined && this.#isAsWritten(file, stats, entry)) present.add(file)
    // Another name of the file may be outside.
    else if (entry?.kind === "file" && stats.isFile() && stats.nlink === 1) this.#reusable.add(file)
    else remove(place)
  }

  #isAsWritten(file: string, stats: fs.Stats, entry: Entry): boolean {
    const known = this.#known.get(file)
    if (known === undefined || !isSameFile(known.entry, entry)) return false
    if (FileTimes.isFresh(known.times, stats)) return true
    const at = Date.now()
    if (WrittenFile.difference(this.directory, file, entry) !== undefined) return false
    this.#known.set(file, { entry, times: FileTimes.of(stats, at) })
    return true
  }

  #renew(): void {
    remove(this.directory)
    this.#inode = made(this.directory)
  }
}

/** Overwrites a file's content and mode, which is faster than a new file. */
const overwrite = (place: string, { mode }: Entry, bytes: Uint8Array): void => {
  fs.chmodSync(place, 0o600)
  const handle = fs.openSync(place, fs.constants.O_WRONLY | (fs.constants.O_NOFOLLOW ?? 0))
  try {
    // On some file systems, emptying it first would force a write to the disk.
    fs.writeFileSync(handle, bytes)
    fs.ftruncateSync(handle, bytes.length)
    fs.fchmodSync(handle, mode & 0o777)
  } finally {
    fs.closeSync(handle)
  }
}

/** Whether the file system's clock passes a time soon. Makes and removes a file for that. */
const isPast = (ctimeMs: number, file: string): boolean => {
  remove(file)
  // Not through a link that a command may have put there.
  const handle = fs.openSync(file, "wx", 0o600)
  try {
    const until = performance.now() + MAX_STEP_MS
    for (;;) {
      fs.writeSync(handle, "x")
      if (fs.fstatSync(handle).ctimeMs > ctimeMs) return true
      if (performance.now() > until) return false
    }
  } finally {
    fs.closeSync(handle)
    remove(file)
  }
}

/** Longer than the steps of file times on Linux (at most 10 ms), shorter than those of FAT. */
const MAX_STEP_MS = 50

/** Removes a file, or a directory with everything in it. Follows no link. */
export const remove = (directory: string): void => {
  try {
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: RETRIES })
  } catch {
    permit(directory)
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: RETRIES })
  }
}

/** Gives the owner back the permission to list and change directories, which a command may have removed. */
const permit = (directory: string): void => {
  if (fs.lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return
  fs.chmodSync(directory, OWNERS)
  for (const found of fs.readdirSync(directory, { withFileTypes: true }))
    if (found.isDirectory()) permit(path.join(directory, found.name))
}

/** The owner's permissions for a directory. */
const OWNERS = 0o700

/** A process that left the command's group may still write. */
const RETRIES = 3

const made = (directory: string): number => {
  fs.mkdirSync(directory, { mode: OWNERS })
  return fs.lstatSync(directory).ino
}

const isSameFile = (one: Entry, other: Entry): boolean =>
  one.kind === other.kind && one.mode === other.mode && one.digest === other.digest

/** All directories above the files. */
const directoriesOf = (tree: Tree): ReadonlySet<string> => {
  const directories = new Set<string>()
  for (const file of tree.keys()) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const directory = file.slice(0, end)
      if (directories.has(directory)) break
      directories.add(directory)
    }
  }
  return directories
}
