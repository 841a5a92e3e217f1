/**
 * Notes the last use of a cache entry in its modification time. Several versions of a plugin, and of Hindcast, may
 * share a cache, so entries go only after long disuse.
 */
import * as fs from "node:fs"
import * as path from "node:path"

/** 30 days. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000

/** Marks an entry as used now. Never fails: the worst case is that an entry goes too early and is made again. */
export const note = (entry: string): void => {
  try {
    const now = new Date()
    fs.utimesSync(entry, now, now)
  } catch {
    // Another user's entry, or a read-only disk.
  }
}

/** Removes a directory's entries with matching names and 30 days of disuse. Never fails. */
export const removeUnused = (directory: string, names: RegExp): void => {
  try {
    for (const name of fs.readdirSync(directory)) if (names.test(name)) removeIfUnused(path.join(directory, name))
  } catch {
    // An unreadable directory.
  }
}

const removeIfUnused = (entry: string): void => {
  try {
    if (Date.now() - fs.lstatSync(entry).mtimeMs > UNUSED_MS) fs.rmSync(entry, { recursive: true, force: true })
  } catch {
    // Another process removes it, or another user owns it.
  }
}
