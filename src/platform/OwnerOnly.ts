/** Files and directories that only their owner can access, and the test whether to follow a symbolic link. */

import * as fs from "node:fs"
import * as path from "node:path"

/** Read and write for the owner only. */
export const FILE_MODE = 0o600

/** Access for the owner only. */
export const DIRECTORY_MODE = 0o700

/**
 * Creates a file with `FILE_MODE`, regardless of the umask. Returns false if the name is taken, even by a dangling
 * symbolic link.
 */
export const makeFile = (file: string): boolean => {
  try {
    fs.closeSync(fs.openSync(file, "wx", FILE_MODE))
    return true
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false
    throw cause
  }
}

/**
 * Creates a directory and missing parents with `DIRECTORY_MODE`. An existing directory keeps its mode. (Node's
 * recursive `mkdirSync` never returns where a directory cannot have subdirectories, as below `/proc`.)
 */
export const makeDirectory = (directory: string): void => {
  if (isDirectory(directory)) return
  const parent = path.dirname(directory)
  if (parent !== directory) makeDirectory(parent)
  try {
    fs.mkdirSync(directory, { mode: DIRECTORY_MODE })
  } catch (cause) {
    // Another process may have created it in the meantime.
    if (!isDirectory(directory)) throw cause
  }
}

const isDirectory = (directory: string): boolean => fs.existsSync(directory) && fs.statSync(directory).isDirectory()

/**
 * Removes the access of group and others. Throws if the path is a symbolic link, not a directory, or another user's:
 * its owner could exchange the files in it.
 */
export const restrictDirectory = (directory: string): void => {
  const found = fs.lstatSync(directory)
  const user = process.geteuid?.()
  const refuse = (what: string) => {
    throw new Error(`${directory}, which is ${what}. Expected a directory of your own: remove it, or change its owner`)
  }
  if (found.isSymbolicLink()) refuse("a link")
  if (!found.isDirectory()) refuse("no directory")
  if (user !== undefined && found.uid !== user) refuse(`another user's (${found.uid})`)
  if (user !== undefined && (found.mode & OTHERS) !== 0) fs.chmodSync(directory, found.mode & DIRECTORY_MODE)
}

const OTHERS = 0o077

/**
 * True if this user or root created the link: in a directory that several users can write, another's could lead
 * anywhere. (Linux protects plain opens the same way: `fs.protected_symlinks`.)
 */
export const isTrusted = (link: fs.Stats): boolean => {
  const user = process.geteuid?.()
  return user === undefined || link.uid === user || link.uid === 0
}
