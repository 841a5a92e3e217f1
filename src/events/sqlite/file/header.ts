/**
 * Reads an SQLite file's header without SQLite, to recognise a log that SQLite cannot open. No other module opens a
 * log's file by a system call.
 *
 * POSIX drops all of a process's locks on a file when the process closes any descriptor of it, even one of another
 * library or thread (https://sqlite.org/howtocorrupt.html, §2.2). A client that opens and closes the log would then
 * think itself the last one, and remove the -wal and -shm under the others. A descriptor opened here therefore stays
 * open as long as its file exists.
 */

import * as fs from "node:fs"
import { APPLICATION_ID, FORMAT_VERSION } from "./schema.ts"

/** The first bytes of every SQLite file (https://sqlite.org/fileformat.html, §1.3). */
export const MAGIC = "SQLite format 3\0"

/** In bytes. */
export const HEADER_BYTES = 100

/** The file's size in bytes, and its header, which a short file cuts below `HEADER_BYTES`. */
export const readHeader = (filename: string): { readonly size: number; readonly header: Buffer } => {
  const file = descriptorOf(filename)
  const header = Buffer.alloc(HEADER_BYTES)
  const read = fs.readSync(file, header, 0, HEADER_BYTES, 0)
  return { size: fs.fstatSync(file).size, header: header.subarray(0, read) }
}

/** True if the header has a log's application id and a known format version. */
export const hasLogApplicationId = (filename: string): boolean => {
  const { header } = readHeader(filename)
  if (header.length < HEADER_BYTES) return false
  return header.readUInt32BE(68) === APPLICATION_ID && header.readUInt32BE(60) <= FORMAT_VERSION
}

/** By the identity of their files. */
const kept = new Map<string, number>()

const descriptorOf = (filename: string): number => {
  closeRemoved()
  const known = kept.get(identityOf(fs.statSync(filename)))
  if (known !== undefined) return known
  const opened = fs.openSync(filename, "r")
  kept.set(identityOf(fs.fstatSync(opened)), opened)
  return opened
}

/** Closes descriptors of removed files, which no client can open any more. */
const closeRemoved = (): void => {
  for (const [identity, descriptor] of kept) {
    if (fs.fstatSync(descriptor).nlink > 0) continue
    kept.delete(identity)
    fs.closeSync(descriptor)
  }
}

const identityOf = ({ dev, ino }: fs.Stats): string => `${dev}:${ino}`
