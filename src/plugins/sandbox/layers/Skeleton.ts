/** Makes the targets of a plugin's mounts in its cache directory: mount points, devices and mount tables. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as AtomicFile from "../../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import { DEVICES, type VisiblePath } from "./Disk.ts"

/** Directories in the plugin's cache, reused at the next start. */
export interface MountPoints {
  /** A tree of empty mount points for every path on the plugin's disk, and nothing else. */
  readonly bare: string
  /** The disk's mount point. */
  readonly root: string
}

/**
 * Replaces entries of the wrong kind and removes files with content, because the plugin sees every part of the tree
 * that no mount covers.
 */
export const makeMountPoints = (denoDir: string, places: ReadonlyArray<VisiblePath>): MountPoints => {
  const [bare, root] = [path.join(denoDir, "bare"), path.join(denoDir, "root")]
  ensureDirectory(root)
  addMountPoints(bare, places)
  removeContents(bare)
  return { bare, root }
}

/** Removes everything but directories and empty files. */
const removeContents = (root: string): void => {
  for (const entry of fs.readdirSync(root, { withFileTypes: true })) {
    const place = path.join(root, entry.name)
    if (entry.isDirectory()) removeContents(place)
    else if (!isEmptyFile(fs.lstatSync(place))) fs.rmSync(place)
  }
}

const isEmptyFile = (stats: fs.Stats): boolean => stats.isFile() && stats.size === 0

const addMountPoints = (root: string, places: ReadonlyArray<VisiblePath>): void => {
  ensureDirectory(path.join(root, "proc"))
  for (const device of DEVICES) ensureFile(path.join(root, device))
  for (const { kind, place } of places) {
    const isFile = kind === "file" || kind === "program" || kind === "no file"
    if (isFile) ensureFile(path.join(root, place))
    else ensureDirectory(path.join(root, place))
  }
}

/** Creates a `/dev` for commands, to mount over the machine's. Returns its path. */
export const makeDevices = (denoDir: string): string => {
  const root = path.join(denoDir, "dev")
  ensureDirectory(path.join(root, "shm"))
  for (const device of DEVICES) ensureFile(path.join(root, path.basename(device)))
  for (const [name, target] of Object.entries(STREAMS)) ensureLink(target, path.join(root, name))
  return root
}

/**
 * Writes a table for mount(8), which reads tables from files only, and returns its path: the same for the same mounts.
 * Always rewrites the file, because mount(8) may run as root and must not read a stranger's table.
 */
export const writeMountTable = (denoDir: string, mounts: ReadonlyArray<string>): string => {
  const text = `${mounts.join("\n")}\n`
  const place = path.join(denoDir, `mounts-${crypto.createHash("sha256").update(text).digest("hex").slice(0, 16)}`)
  const whole = AtomicFile.nameFor(place)
  fs.writeFileSync(whole, text, { flag: "wx", mode: OwnerOnly.FILE_MODE })
  fs.renameSync(whole, place)
  return place
}

/** The links in the `/dev` of commands. Each leads to a descriptor of the process that follows it, and of no other. */
export const STREAMS: { readonly [name: string]: string } = {
  fd: "/proc/self/fd",
  stdin: "/proc/self/fd/0",
  stdout: "/proc/self/fd/1",
  stderr: "/proc/self/fd/2",
}

const ensureDirectory = (place: string): void => {
  const stats = fs.lstatSync(place, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return
  if (stats !== undefined) fs.rmSync(place)
  ensureDirectory(path.dirname(place))
  fs.mkdirSync(place, { recursive: true, mode: 0o755 })
}

const ensureFile = (place: string): void => {
  const stats = fs.lstatSync(place, { throwIfNoEntry: false })
  if (stats !== undefined && isEmptyFile(stats)) return
  if (stats !== undefined) fs.rmSync(place, { recursive: true })
  ensureDirectory(path.dirname(place))
  fs.writeFileSync(place, "", { flag: "a", mode: 0o644 })
}

const ensureLink = (target: string, place: string): void => {
  const stats = fs.lstatSync(place, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink() === true && fs.readlinkSync(place) === target) return
  if (stats !== undefined) fs.rmSync(place, { recursive: true })
  fs.symlinkSync(target, place)
}
