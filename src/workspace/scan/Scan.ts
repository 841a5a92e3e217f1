/** Finds the files of a workspace: those that Git would add, nested repositories included. Reads no content. */

import * as fs from "node:fs"
import * as path from "node:path"
import type { IgnoreRules } from "./IgnoreRules.ts"

/** Something in the workspace that a snapshot cannot contain. */
export interface Gap {
  readonly what: "a name that is not UTF-8" | "a directory without permission" | "a pipe, socket or device"
  readonly path: string
}

export interface Scanned {
  /** By path relative to the root, with `/`. */
  readonly files: ReadonlyMap<string, fs.Stats>
  readonly gaps: ReadonlyArray<Gap>
}

export class TooManyFiles extends Error {
  override readonly name = "TooManyFiles"
  constructor(root: string, limit: number) {
    super(`${root} has more than ${limit} files that Git does not ignore. Ignore generated ones in .gitignore`)
  }
}

/**
 * Lists regular files and links. Follows no link. Files that vanish meanwhile are left out. Throws `TooManyFiles`, and the
 * system's error if the root cannot be read.
 *
 * @param root an absolute path without links
 * @param isOwn whether an absolute path belongs to the recorder itself
 */
export const scan = (root: string, rules: IgnoreRules, limit: number, isOwn: (file: string) => boolean): Scanned => {
  const files = new Map<string, fs.Stats>()
  const gaps: Array<Gap> = []
  rules.refresh()
  // In an ignored directory, only tracked files count.
  const pending: Array<{ readonly directory: string; readonly isIgnored: boolean }> = [
    { directory: "", isIgnored: false },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { directory, isIgnored } = next
    const absolute = directory === "" ? root : `${root}${path.sep}${directory}`
    const entries = entriesOf(absolute, directory === "")
    if (entries === undefined) {
      gaps.push({ what: "a directory without permission", path: directory })
      continue
    }
    rules.enter(
      directory,
      entries.some(({ name }) => name === ".gitignore"),
    )
    for (const entry of entries) {
      const { name } = entry
      if (name.toLowerCase() === ".git") continue
      const relative = directory === "" ? name : `${directory}/${name}`
      const file = `${absolute}${path.sep}${name}`
      const isDirectory = entry.isDirectory()
      if (isOwn(file)) continue
      const isExcluded = isIgnored || rules.isExcluded(relative, isDirectory)
      if (isExcluded && !rules.isTracked(relative)) continue
      if (name.includes("\ufffd") && !isUtf8(absolute, name))
        gaps.push({ what: "a name that is not UTF-8", path: relative })
      else if (isDirectory) pending.push({ directory: relative, isIgnored: isExcluded })
      else if (entry.isFile() || entry.isSymbolicLink()) {
        const stats = statOf(file)
        if (stats === undefined) continue
        files.set(relative, stats)
        if (files.size > limit) throw new TooManyFiles(root, limit)
      } else gaps.push({ what: "a pipe, socket or device", path: relative })
    }
  }
  return { files, gaps }
}

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
    // A directory above it vanished, or lost its permission; the next snapshot tells which.
    return undefined
  }
}

/** Whether the name has the character U+FFFD itself. Otherwise its bytes are no UTF-8. */
const isUtf8 = (directory: string, name: string): boolean => {
  try {
    return fs.readdirSync(directory, { encoding: "buffer" }).some((bytes) => bytes.equals(Buffer.from(name)))
  } catch {
    return false
  }
}
