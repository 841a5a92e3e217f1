/** Writes one recorded file or link below a directory, and compares what is there with what was recorded. */

import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Entry } from "../model/Entry.ts"
import * as ReadFile from "../scan/ReadFile.ts"
import { digestOf } from "../store/ContentStore.ts"

/**
 * Writes a file with its mode, or a link. Creates directories, and passes through no link. Throws the system's error, or
 * says what is in the way. Sets no bit but those of permission.
 *
 * @param root an absolute path without links
 * @param file a path that `RestorablePaths` does not refuse
 * @param replaces whether to take the place of a file or a link, at once; otherwise one in the way is an error
 */
export const write = (
  root: string,
  file: string,
  { kind, mode }: Entry,
  bytes: Uint8Array,
  { replaces }: { readonly replaces: boolean },
): void => {
  const place = placeIn(root, file)
  makeDirectories(root, file)
  const made = replaces ? path.join(path.dirname(place), `.hindcast-${crypto.randomBytes(8).toString("hex")}`) : place
  if (kind === "link") fs.symlinkSync(Buffer.from(bytes), made)
  else createFile(made, mode, bytes)
  if (!replaces) return
  try {
    fs.renameSync(made, place)
  } catch (cause) {
    fs.rmSync(made, { force: true })
    throw cause
  }
}

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

/** Without setuid, setgid and the sticky bit. */
const PERMISSIONS = 0o777

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

/** How what is on the disk differs from a recorded content and mode; undefined if it does not. Follows no link. */
export const difference = (root: string, file: string, { kind, mode, digest }: Entry): string | undefined => {
  const place = placeIn(root, file)
  const stats = isReachable(root, file) ? fs.lstatSync(place, { throwIfNoEntry: false }) : undefined
  if (stats === undefined) return "it is missing"
  if (kind === "link" ? !stats.isSymbolicLink() : !stats.isFile()) return `it is no ${kind}`
  const read = ReadFile.read(place, stats, Number.MAX_SAFE_INTEGER)
  if (read.kind !== "content") return `it cannot be read back: ${read.kind === "gone" ? "it is missing" : read.why}`
  if (digestOf(read.bytes) !== digest) return "its content differs from the recorded one"
  const isModeKept = kind === "link" || process.platform === "win32"
  const found = read.stats.mode & 0o7777
  return isModeKept || found === (mode & PERMISSIONS) ? undefined : `its mode is ${found.toString(8)}`
}
