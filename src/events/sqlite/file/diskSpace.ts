/** Detects exhausted disk space where SQLite reports only an I/O error. */

import * as fs from "node:fs"
import * as path from "node:path"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"

/**
 * True if nothing more can be written next to a log: the disk is full, a quota is exhausted, or the file size limit is
 * reached. SQLite reports only the first as a full disk. Writes a trial file as long as the log's files may become.
 */
export const isExhausted = (filename: string): boolean => {
  const trial = path.join(path.dirname(filename), `.${path.basename(filename)}.room-${process.pid}`)
  let file: number | undefined
  try {
    const length = Math.max(sizeOf(filename), sizeOf(`${filename}-wal`)) + TRIAL_BYTES
    file = fs.openSync(trial, "wx", OwnerOnly.FILE_MODE)
    fs.writeFileSync(file, Buffer.alloc(TRIAL_BYTES))
    fs.writeSync(file, Buffer.alloc(1), 0, 1, length)
    return false
  } catch (cause) {
    return cause instanceof Error && "code" in cause && DISK_FULL_CODES.has(String(cause.code))
  } finally {
    if (file !== undefined) {
      fs.closeSync(file)
      fs.rmSync(trial, { force: true })
    }
  }
}

/** About a large commit. */
const TRIAL_BYTES = 1024 * 1024

const DISK_FULL_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const sizeOf = (filename: string): number => fs.statSync(filename, { throwIfNoEntry: false })?.size ?? 0
