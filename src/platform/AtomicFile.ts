/**
 * Creates files and directories atomically, by a temporary name and a rename. The name identifies its process, so that
 * others can remove those of dead ones.
 */

import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { isAlive } from "./LiveProcess.ts"
import * as OwnerOnly from "./OwnerOnly.ts"

/** A temporary name next to the target: `<target>.<host>-<process>-<id>.partial`. */
export const nameFor = (target: string): string =>
  `${target}.${HOST}-${process.pid}-${crypto.randomBytes(4).toString("hex")}${SUFFIX}`

/**
 * Removes a target's temporary files and directories of dead processes of this machine, with their SQLite `-wal`,
 * `-shm` and `-journal` files and a log's side files. Leaves those of other machines or containers on a shared disk.
 * Never fails: a file that it cannot remove stays.
 */
export const removeAbandonedFile = (target: string): void =>
  removeFrom(path.dirname(target), (name) => name.startsWith(`${path.basename(target)}.`))

/** `removeAbandonedFile` for all targets of a directory, which must be Hindcast's own. */
export const removeAbandonedIn = (directory: string): void => removeFrom(directory, () => true)

const removeFrom = (directory: string, isOfTarget: (name: string) => boolean): void => {
  for (const name of namesIn(directory)) {
    const writer = WRITER.exec(name)
    if (writer === null || !isOfTarget(name) || writer[1] !== HOST || isAlive(Number(writer[2]))) continue
    try {
      fs.rmSync(path.join(directory, name), { recursive: true, force: true })
    } catch {
      // Another user's file, or another process removes it. Clean-up is best effort.
    }
  }
}

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(directory)
  } catch {
    // Unreadable or missing: the following write reports that.
    return []
  }
}

/**
 * Moves a complete file to its target, and fails with `EEXIST` if that exists. It uses a hard link, since a rename
 * would replace the target. Where links are refused (FAT, some shares), it reserves the target with an empty file,
 * opened exclusively, and renames over that.
 */
export const moveNew = (partial: string, target: string): void => {
  try {
    fs.linkSync(partial, target)
  } catch (cause) {
    if (!isRefused(cause)) throw cause
    fs.closeSync(fs.openSync(target, "wx", OwnerOnly.FILE_MODE))
    try {
      fs.renameSync(partial, target)
    } catch (failure) {
      fs.rmSync(target)
      throw failure
    }
    return
  }
  fs.rmSync(partial)
}

const isRefused = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && NO_LINKS.has(String(cause.code))

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Process ids are unique only within one machine and container. */
const hostNow = (): string => {
  let container = ""
  try {
    container = fs.readlinkSync("/proc/self/ns/pid")
  } catch {
    // Not on Linux.
  }
  return crypto.createHash("sha256").update(`${os.hostname()}\0${container}`).digest("hex").slice(0, 8)
}

const HOST = hostNow()

const SUFFIX = ".partial"

const WRITER =
  /\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.partial(?:-wal|-shm|-journal|\.segments|\.plugins|\.keys|\.snapshot-key)?$/
