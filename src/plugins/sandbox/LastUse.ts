/**
 * When an entry of a plugin's cache directory was last used: its modification time. Several versions of a plugin, and of Hindcast,
 * may use one cache, so that an entry is removed only after it was not used for a long time.
 */
import * as fs from "node:fs"
import * as path from "node:path"

/** Time after which an entry that was not used is removed, in milliseconds: 30 days. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000

/** Notes that an entry is used now. Never fails: without it, the entry is removed too early and made again. */
export const note = (entry: string): void => {
  try {
    const now = new Date()
    fs.utimesSync(entry, now, now)
  } catch {
    // It belongs to another user, or the disk is read-only.
  }
}

/** Removes those entries of a directory whose names match and that were not used for 30 days. Never fails: an entry may stay. */
export const removeUnused = (directory: string, names: RegExp): void => {
  try {
    for (const name of fs.readdirSync(directory)) if (names.test(name)) removeIfUnused(path.join(directory, name))
  } catch {
    // The directory cannot be listed.
  }
}

const removeIfUnused = (entry: string): void => {
  try {
    if (Date.now() - fs.lstatSync(entry).mtimeMs > UNUSED_MS) fs.rmSync(entry, { recursive: true, force: true })
  } catch {
    // Another process removes it, or it belongs to another user.
  }
}
