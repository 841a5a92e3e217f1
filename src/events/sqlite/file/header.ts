import * as fs from "node:fs"
import { APPLICATION_ID, FORMAT_VERSION } from "./schema.ts"

/** How every SQLite file begins (https://sqlite.org/fileformat.html, §1.3). */
export const MAGIC = "SQLite format 3\0"

/** Length of an SQLite file's header, in bytes. */
export const HEADER_BYTES = 100

/** A file's size in bytes, and its header, or what there is of it. */
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

/** Whether the header bears the mark of a log of this format or an earlier one, whatever else is to be read in the file. */
export const hasLogApplicationId = (filename: string): boolean => {
  const { header } = readHeader(filename)
  if (header.length < HEADER_BYTES) return false
  return header.readUInt32BE(68) === APPLICATION_ID && header.readUInt32BE(60) <= FORMAT_VERSION
}
