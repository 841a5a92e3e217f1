/** Reads a file or a link in one consistent state. */

import * as fs from "node:fs"

export type Read =
  | { readonly kind: "content"; readonly bytes: Buffer; readonly stats: fs.Stats }
  | { readonly kind: "gone" }
  | { readonly kind: "omitted"; readonly why: "large" | "changing" | "unreadable"; readonly stats: fs.Stats }

/**
 * Reads at most `limit` bytes. Follows no link, and waits for no pipe. Reads again if the file changes during the
 * reading.
 *
 * @param found the file's state from the scan
 */
export const read = (file: string, found: fs.Stats, limit: number): Read => {
  if (found.isSymbolicLink()) return readLink(file, found)
  if (found.size > limit) return { kind: "omitted", why: "large", stats: found }
  let stats = found
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const handle = fs.openSync(file, fs.constants.O_RDONLY | NO_FOLLOW | NO_WAIT)
      try {
        const before = fs.fstatSync(handle)
        stats = before
        if (!before.isFile()) return { kind: "gone" }
        if (before.size > limit) return { kind: "omitted", why: "large", stats: before }
        // One byte more shows whether the file grew.
        const buffer = Buffer.allocUnsafe(before.size + 1)
        let length = 0
        while (length < buffer.length) {
          const count = fs.readSync(handle, buffer, length, buffer.length - length, null)
          if (count === 0) break
          length += count
        }
        const after = fs.fstatSync(handle)
        if (length === before.size && isSame(before, after))
          return { kind: "content", bytes: buffer.subarray(0, length), stats: after }
      } finally {
        fs.closeSync(handle)
      }
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      // ELOOP and ENXIO: a link or a socket took its place.
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO") return { kind: "gone" }
      if (code === "EMFILE" || code === "ENFILE") throw cause
      return { kind: "omitted", why: "unreadable", stats }
    }
  }
  return { kind: "omitted", why: "changing", stats }
}

const readLink = (file: string, stats: fs.Stats): Read => {
  try {
    return { kind: "content", bytes: fs.readlinkSync(file, { encoding: "buffer" }), stats }
  } catch {
    return { kind: "gone" }
  }
}

const isSame = (one: fs.Stats, other: fs.Stats): boolean =>
  one.size === other.size && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs

const ATTEMPTS = 3

// Windows has neither.
const NO_FOLLOW = fs.constants.O_NOFOLLOW ?? 0
const NO_WAIT = fs.constants.O_NONBLOCK ?? 0
