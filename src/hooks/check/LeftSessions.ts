/** Removes the session files that a check's runs left in a client's own directory. */

import * as fs from "node:fs"
import * as path from "node:path"

/** A session file of a check is small. */
const MAX_BYTES = 1024 * 1024

/** How deep a client keeps its session files below their directory. */
const MAX_DEPTH = 5

const SESSION = /\.jsonl?$/

/**
 * Removes the files below a directory that were written since a time and hold the check's prompt, which no other file
 * has, and the directories that are empty then. Ignores what cannot be read: the check's verdict does not depend on it.
 */
export const remove = (directory: string, since: number, prompt: string, depth = MAX_DEPTH): void => {
  for (const entry of entriesOf(directory)) {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory()) {
      if (depth === 0) continue
      const before = entriesOf(file).length
      remove(file, since, prompt, depth - 1)
      if (before > 0 && entriesOf(file).length === 0) fs.rmdirSync(file)
    } else if (entry.isFile() && SESSION.test(entry.name) && holds(file, since, prompt))
      fs.rmSync(file, { force: true })
  }
}

const entriesOf = (directory: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

const holds = (file: string, since: number, prompt: string): boolean => {
  try {
    const { mtimeMs, size } = fs.statSync(file)
    return mtimeMs >= since && size <= MAX_BYTES && fs.readFileSync(file, "utf8").includes(prompt)
  } catch {
    return false
  }
}
