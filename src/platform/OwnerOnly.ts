import * as fs from "node:fs"

/** The owner may read and write, and nobody else may do anything. */
export const FILE_MODE = 0o600

/** The same for a directory. */
export const DIRECTORY_MODE = 0o700

/**
 * Makes an empty file for its owner alone, whatever the umask. It is closed to others from its first moment, and it is a file of
 * its own: where anything has that name already, be it a link to nothing, nothing is made. Answers whether it was made.
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

/** Makes a directory, with those above it, for its owner alone. One that is there already stays as it is. */
export const makeDirectory = (directory: string): void => {
  fs.mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE })
}

/**
 * Closes a directory to others that is there already: for one that nobody but Hindcast has any business in. What is not a directory
 * of this user's own cannot be closed, and fails: whoever it belongs to, or leads to, could exchange what is kept in it.
 */
export const closeDirectory = (directory: string): void => {
  const found = fs.lstatSync(directory)
  const user = process.geteuid?.()
  const refuse = (what: string) => {
    throw new Error(`${directory}, which is ${what}. Expected a directory of one's own: remove it, or give it back`)
  }
  if (found.isSymbolicLink()) refuse("a link")
  if (!found.isDirectory()) refuse("no directory")
  if (user !== undefined && found.uid !== user) refuse(`another user's (${found.uid})`)
  if (user !== undefined && (found.mode & OTHERS) !== 0) fs.chmodSync(directory, found.mode & DIRECTORY_MODE)
}

const OTHERS = 0o077

/**
 * Whether a link was laid by this user, or by root. Somebody else's link in a directory that both may write may lead anywhere:
 * no file is made where it leads. (Linux does the same with `fs.protected_symlinks`, where a path is opened as it is.)
 */
export const isTrusted = (link: fs.Stats): boolean => {
  const user = process.geteuid?.()
  return user === undefined || link.uid === user || link.uid === 0
}
