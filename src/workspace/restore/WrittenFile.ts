/** Writes one recorded file or link below a directory, and compares the result with the recorded state. */

import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Entry } from "../model/Entry.ts"
import * as ReadFile from "../scan/ReadFile.ts"
import { digestOf } from "../store/ContentStore.ts"

/**
 * Writes a file with its mode, or a link. Creates directories, and passes through no link. Throws the system's error,
 * or says what is in the way. Sets no bit but those of permission.
 *
 * @param root an absolute path without links
 * @param file a path that `RestorablePaths` does not refuse
 * @param whyNot is called right before a file is replaced, and may prevent that
 * @returns the reason of `whyNot`
 */
export const write = (
  root: string,
  file: string,
  { kind, mode }: Entry,
  bytes: Uint8Array,
  way: Way,
  whyNot: () => string | undefined = () => undefined,
): string | undefined => {
  const place = placeIn(root, file)
  makeDirectories(root, file)
  const isAtOnce = kind === "link" ? way !== "replace" : way === "create"
  const make = (at: string) => (kind === "link" ? fs.symlinkSync(Buffer.from(bytes), at) : createFile(at, mode, bytes))
  if (isAtOnce) {
    make(place)
    return undefined
  }
  const made = path.join(path.dirname(place), `.hindcast-${crypto.randomBytes(8).toString("hex")}`)
  make(made)
  try {
    const why = whyNot()
    if (why !== undefined) fs.rmSync(made, { force: true })
    else if (way === "replace") fs.renameSync(made, place)
    else moveToFree(made, place)
    return why
  } catch (cause) {
    fs.rmSync(made, { force: true })
    throw cause
  }
}

/**
 * `create`: in a directory that nobody else uses. `add`: whole, at once, and only if nothing is there. `replace`: in
 * the place of a file or a link, at once.
 */
export type Way = "create" | "add" | "replace"

/** Whether `write` made the file first and a killed process left it. */
export const isUnfinished = (file: string): boolean => UNFINISHED.test(file)

const UNFINISHED = /(?:^|\/)\.hindcast-[0-9a-f]{16}$/

/** Moves a file to a free place: a rename would overwrite a file that appeared in the meantime. */
const moveToFree = (made: string, place: string): void => {
  try {
    fs.linkSync(made, place)
    fs.unlinkSync(made)
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    // A file system without hard links.
    if (!NO_LINKS.has(code) || fs.lstatSync(place, { throwIfNoEntry: false }) !== undefined) throw cause
    fs.renameSync(made, place)
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

const createFile = (place: string, mode: number, bytes: Uint8Array): void => {
  const { O_WRONLY, O_CREAT, O_EXCL } = fs.constants
  // Nobody else can open it before it has its own mode.
  const handle = fs.openSync(place, O_WRONLY | O_CREAT | O_EXCL, 0o600)
  try {
    fs.writeFileSync(handle, bytes)
    fs.fchmodSync(handle, mode & PERMISSIONS)
  } catch (cause) {
    fs.rmSync(place, { force: true })
    throw cause
  } finally {
    fs.closeSync(handle)
  }
}

/** Without setuid, setgid and the sticky bit: no snapshot records them, and no restore sets them. */
const PERMISSIONS = 0o777

/**
 * Sets a present file's permissions. Its setuid, setgid and sticky bits stay: they belong to its content, which stays
 * too. Follows no link, and leaves links as they are, because their modes mean nothing.
 */
export const setMode = (root: string, file: string, { kind, mode }: Entry): void => {
  if (kind === "link" || process.platform === "win32") return
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  const handle = fs.openSync(placeIn(root, file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const found = fs.fstatSync(handle)
    if (!found.isFile()) throw new Error("it is no file")
    fs.fchmodSync(handle, (found.mode & SPECIAL) | (mode & PERMISSIONS))
  } finally {
    fs.closeSync(handle)
  }
}

const SPECIAL = 0o7000

/** A file's absolute path. */
export const placeIn = (root: string, file: string): string => path.join(root, ...file.split("/"))

const makeDirectories = (root: string, file: string): void => {
  let directory = root
  for (const name of file.split("/").slice(0, -1)) {
    directory = path.join(directory, name)
    const found = fs.lstatSync(directory, { throwIfNoEntry: false })
    if (found === undefined) fs.mkdirSync(directory)
    else if (!found.isDirectory()) throw new Error(`${directory} is no directory`)
  }
}

/** Whether each directory above a file is one, and no link. */
export const isReachable = (root: string, file: string): boolean => {
  let directory = root
  return file
    .split("/")
    .slice(0, -1)
    .every((name) => {
      directory = path.join(directory, name)
      return fs.lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
    })
}

/** The difference between the disk and a recorded content and mode; undefined if there is none. Follows no link. */
export const difference = (root: string, file: string, { kind, mode, digest }: Entry): string | undefined => {
  const place = placeIn(root, file)
  const stats = isReachable(root, file) ? fs.lstatSync(place, { throwIfNoEntry: false }) : undefined
  if (stats === undefined) return "it is missing"
  if (kind === "link" ? !stats.isSymbolicLink() : !stats.isFile()) return `it is no ${kind}`
  const read = ReadFile.read(place, stats, Number.MAX_SAFE_INTEGER)
  if (read.kind !== "content") return `it cannot be read back: ${read.kind === "gone" ? "it is missing" : read.why}`
  if (digestOf(read.bytes) !== digest) return "its content differs from the recorded one"
  const isModeKept = kind === "link" || process.platform === "win32"
  const found = read.stats.mode & PERMISSIONS
  return isModeKept || found === (mode & PERMISSIONS) ? undefined : `its mode is ${found.toString(8)}`
}
