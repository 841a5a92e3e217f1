/** Reads the header of an SQLite file without SQLite, to recognise a log that SQLite cannot open. */

import * as fs from "node:fs"
import { APPLICATION_ID, FORMAT_VERSION } from "./schema.ts"

/** The first bytes of every SQLite file (https://sqlite.org/fileformat.html, §1.3). */
export const MAGIC = "SQLite format 3\0"

/** Length of an SQLite file's header, in bytes. */
export const HEADER_BYTES = 100

/** A file's size in bytes, and its header, which is shorter than `HEADER_BYTES` if the file is. */
export const readHeader = (filename: string): { readonly size: number; readonly header: Buffer } => {
  const file = fs.openSync(filename, "r")
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    const read = fs.readSync(file, header, 0, HEADER_BYTES, 0)
    return { size: fs.fstatSync(file).size, header: header.subarray(0, read) }
  } finally {
    fs.closeSync(file)
  }
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
