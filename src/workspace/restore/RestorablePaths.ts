/** Decides which paths of a recorded tree may be written, because a log from elsewhere can name any. Pure. */

import type { Tree } from "../model/Entry.ts"

/** Why no file may be written at a path. */
export type Refusal = "outside" | "repository" | "below-a-file"

export const refused = (tree: Tree): ReadonlyMap<string, Refusal> => {
  const found = new Map<string, Refusal>()
  for (const path of tree.keys()) {
    const why = refusal(path) ?? (isBelowFile(path, tree) ? "below-a-file" : undefined)
    if (why !== undefined) found.set(path, why)
  }
  return found
}

const refusal = (path: string): Refusal | undefined => {
  if (path.length > MAX_PATH || path.includes("\0") || !path.isWellFormed() || WINDOWS_ONLY.test(path)) return "outside"
  const names = path.split("/")
  if (names.some((name) => name === "" || name === "." || name === "..")) return "outside"
  return names.some(isRepository) ? "repository" : undefined
}

/** Longer than any system accepts. */
const MAX_PATH = 4096

/** Separators, drives and streams of Windows, where they lead to another place. */
const WINDOWS_ONLY = process.platform === "win32" ? /[\\:]/ : /(?!)/

/** Whether some file system takes the name for `.git`, as in Git's `core.protectHFS` and `core.protectNTFS`. */
const isRepository = (name: string): boolean => {
  const [seen = ""] = name.replace(IGNORED_BY_HFS, "").toLowerCase().split(":")
  const plain = seen.replace(/[. ]+$/, "")
  return plain === ".git" || plain === "git~1"
}

const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Whether a file or a link takes the place of one of the path's directories. */
const isBelowFile = (path: string, tree: Tree): boolean => {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1))
    if (tree.has(path.slice(0, end))) return true
  return false
}
