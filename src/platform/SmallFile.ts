/** Reads files that people write (rubrics, scenarios, mappings, keys) whole, up to a limit. */
import * as fs from "node:fs"

const MAX_BYTES = 16 * 1024 * 1024

const PIECE = 64 * 1024

/** Reads a text. Throws an error with a readable message if it is longer than `MAX_BYTES`. */
export const read = (file: string): string => {
  const bytes = readUpTo(file, MAX_BYTES + 1)
  if (bytes.length > MAX_BYTES) throw new Error(`more than ${MAX_BYTES / 1024 / 1024} MiB`)
  return bytes.toString("utf8")
}

/** The first bytes of a file, even of an endless device such as `/dev/zero`. */
export const readUpTo = (file: string, most: number): Buffer => {
  const handle = fs.openSync(file, "r")
  try {
    const pieces: Array<Buffer> = []
    let left = most
    while (left > 0) {
      const piece = Buffer.alloc(Math.min(PIECE, left))
      const length = fs.readSync(handle, piece)
      if (length === 0) break
      pieces.push(piece.subarray(0, length))
      left -= length
    }
    return Buffer.concat(pieces)
  } finally {
    fs.closeSync(handle)
  }
}

/** The first bytes of a regular file; undefined for anything else, such as a pipe, on which a reader may wait for ever. */
export const readRegular = (file: string, most: number): Buffer | undefined =>
  fs.statSync(file).isFile() ? readUpTo(file, most) : undefined

/** Tells whether an error means that a file or directory does not exist. */
export const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")
