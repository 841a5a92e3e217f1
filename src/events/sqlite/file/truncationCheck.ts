/** Detects that an open log's file was truncated. */

import * as fs from "node:fs"
import * as path from "node:path"
import { LogCorrupt } from "../../log/EventLog.ts"
import { FRAME_HEADER_BYTES, WAL_HEADER_BYTES } from "./fileIdentity.ts"

export interface DatabasePages {
  readonly count: number
  readonly bytes: number
}

/**
 * Returns a function that throws `LogCorrupt` if a page is in neither the log's file nor the write-ahead log.
 *
 * SQLite does not check this: it continues with its cache, acknowledges its writes to the write-ahead log, and fills
 * the gap with zeros when it writes that back. Call the function before every transaction and every checkpoint with the
 * file's current size. It compares pages only if the size has changed: checkpoints let the file grow, archiving lets it
 * shrink.
 *
 * @param pagesNow the current size as SQLite reports it
 * @param fromNow true to accept a file that is too short already, so that its intact part can be read
 */
export const rememberSize = (
  filename: string,
  pagesNow: () => DatabasePages,
  fromNow: boolean,
): ((size: number) => void) => {
  const file = fs.realpathSync(filename)
  let verifiedSize = fromNow ? sizeOf(file) : NO_SIZE

  return (size) => {
    if (size === verifiedSize) return
    // Another process may checkpoint or shrink the file between the two calls.
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const pages = pagesNow()
      const found = sizeOf(file)
      if (found < pages.count * pages.bytes && isMissing(pages, found, pagesInWal(`${file}-wal`, pages.bytes))) continue
      verifiedSize = found
      return
    }
    verifiedSize = NO_SIZE
    const { count, bytes } = pagesNow()
    throw new LogCorrupt({
      log: filename,
      position: null,
      reason:
        `${path.basename(file)} was cut short: expected ${count * bytes} bytes, or the missing pages in the -wal, found ` +
        `${sizeOf(file)}. Nothing more is appended, to preserve the rest; end every process that has the log open`,
    })
  }
}

const NO_SIZE = -1

const MAX_ATTEMPTS = 3

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** True if a page is neither within the file's size nor in the write-ahead log. */
const isMissing = ({ count, bytes }: DatabasePages, size: number, inWal: ReadonlySet<number>): boolean => {
  for (let page = Math.floor(size / bytes) + 1; page <= count; page++) if (!inWal.has(page)) return true
  return false
}

/** https://sqlite.org/fileformat2.html#the_write_ahead_log */
const pagesInWal = (wal: string, pageBytes: number): ReadonlySet<number> => {
  const pages = new Set<number>()
  if (sizeOf(wal) === 0) return pages
  const file = fs.openSync(wal, "r")
  try {
    const begin = Buffer.alloc(WAL_HEADER_BYTES)
    const frame = Buffer.alloc(FRAME_HEADER_BYTES)
    fs.readSync(file, begin, 0, begin.length, 0)
    // Frames of an earlier use of the file have other salts.
    const salts = begin.subarray(16, 24)
    for (let at = begin.length; fs.readSync(file, frame, 0, frame.length, at) === frame.length; ) {
      if (!frame.subarray(8, 16).equals(salts)) break
      pages.add(frame.readUInt32BE(0))
      at += frame.length + pageBytes
    }
  } finally {
    fs.closeSync(file)
  }
  return pages
}
