/**
 * Reads the header of an SQLite file without SQLite, to recognise a log that SQLite cannot open. No other module opens a log's
 * file by a call of the system.
 *
 * POSIX drops all locks that a process has on a file when the process closes any descriptor of it, also one that another library or
 * thread opened (https://sqlite.org/howtocorrupt.html, §2.2). A client that opens and closes the log then takes itself for the last
 * one, and removes the -wal and -shm under those that have it open. So a descriptor that was opened here is not closed while its file
 * exists: neither this module nor any other can know of all connections of the process.
 */

import * as fs from "node:fs"
import { APPLICATION_ID, FORMAT_VERSION } from "./schema.ts"

/** The first bytes of every SQLite file (https://sqlite.org/fileformat.html, §1.3). */
export const MAGIC = "SQLite format 3\0"

/** Length of an SQLite file's header, in bytes. */
export const HEADER_BYTES = 100

/** A file's size in bytes, and its header, which is shorter than `HEADER_BYTES` if the file is. */
export const readHeader = (filename: string): { readonly size: number; readonly header: Buffer } => {
  const file = descriptorOf(filename)
  const header = Buffer.alloc(HEADER_BYTES)
  const read = fs.readSync(file, header, 0, HEADER_BYTES, 0)
  return { size: fs.fstatSync(file).size, header: header.subarray(0, read) }
}

/**
 * Whether the header has the application id and a known format version of a log, whatever the rest of the file
 * contains.
 */
export const hasLogApplicationId = (filename: string): boolean => {
  const { header } = readHeader(filename)
  if (header.length < HEADER_BYTES) return false
  return header.readUInt32BE(68) === APPLICATION_ID && header.readUInt32BE(60) <= FORMAT_VERSION
}

/** The descriptors by the identity of their files. */
const kept = new Map<string, number>()

const descriptorOf = (filename: string): number => {
  closeRemoved()
  const known = kept.get(identityOf(fs.statSync(filename)))
  if (known !== undefined) return known
  const opened = fs.openSync(filename, "r")
  kept.set(identityOf(fs.fstatSync(opened)), opened)
  return opened
}

/** Lets go of files that are gone: no client finds them by their names any more. */
const closeRemoved = (): void => {
  for (const [identity, descriptor] of kept) {
    if (fs.fstatSync(descriptor).nlink > 0) continue
    kept.delete(identity)
    fs.closeSync(descriptor)
  }
}

const identityOf = ({ dev, ino }: fs.Stats): string => `${dev}:${ino}`
