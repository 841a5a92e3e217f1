import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { isAlive } from "./LiveProcess.ts"
import * as OwnerOnly from "./OwnerOnly.ts"

/**
 * A name beside a target for what is to take its name once it is whole: `<target>.<host>-<process>-<id>.partial`. It says who
 * writes there, so that what a killed process left can be told from what another one is writing.
 */
export const nameFor = (target: string): string =>
  `${target}.${HOST}-${process.pid}-${crypto.randomBytes(4).toString("hex")}${SUFFIX}`

/**
 * Removes what processes of this machine that are dead left beside a target, directories too, with what SQLite keeps beside a file.
 * What another machine or container writes there, on a disk that is shared, is left alone. It fails nothing: what cannot be removed
 * stays.
 */
export const removeAbandonedFile = (target: string): void =>
  removeFrom(path.dirname(target), (name) => name.startsWith(`${path.basename(target)}.`))

/** The same for all targets in a directory, which is Hindcast's own. */
export const removeAbandonedIn = (directory: string): void => removeFrom(directory, () => true)

const removeFrom = (directory: string, isOfTarget: (name: string) => boolean): void => {
  for (const name of namesIn(directory)) {
    const writer = WRITER.exec(name)
    if (writer === null || !isOfTarget(name) || writer[1] !== HOST || isAlive(Number(writer[2]))) continue
    try {
      fs.rmSync(path.join(directory, name), { recursive: true, force: true })
    } catch {
      // It is another user's, or being removed by another process: not what was asked for.
    }
  }
}

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(directory)
  } catch {
    // It may be written to and not listed, or is not there: whoever writes next is told.
    return []
  }
}

/**
 * Gives what is whole its name. What came there meanwhile is not replaced: it fails with `EEXIST`. A link is made only where there
 * is nothing yet; a rename would replace what is there. Where links are refused (FAT, some shares), an empty file takes the name
 * first, in which the same holds, and is replaced at once.
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

/** What tells processes with the same id apart: the machine, and in it the container. */
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

const WRITER = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.partial(?:-wal|-shm|-journal)?$/
