import * as fs from "node:fs"
import * as path from "node:path"
import { LogCorrupt } from "../../log/EventLog.ts"
import { FRAME_HEADER_BYTES, WAL_HEADER_BYTES } from "./fileIdentity.ts"

/** How long SQLite takes a log to be. */
export interface Pages {
  readonly count: number
  readonly bytes: number
}

/**
 * Answers with a check that throws `LogCorrupt` once the log's file was cut short: once a page of it is neither in it nor in the
 * write-ahead log.
 *
 * SQLite does not look: it goes on with the pages that it has in memory, acknowledges what it writes to the write-ahead log, and
 * fills the gap with zeros when it writes that back. So the check comes before each transaction, and before the write-ahead log is
 * written back. It costs one look at the file (2 µs). Only where its size is another than before is it asked which pages there must
 * be: the file grows when the write-ahead log is written back, and becomes shorter when archiving gives space back.
 *
 * @param pagesNow what SQLite says of the log as it is now
 * @param fromNow whether a file that is too short already is to be read as far as it goes
 */
export const rememberSize = (filename: string, pagesNow: () => Pages, fromNow: boolean): (() => void) => {
  const file = fs.realpathSync(filename)
  let trusted = fromNow ? sizeOf(file) : NONE

  return () => {
    if (sizeOf(file) === trusted) return
    // Another process may write back and give space back between one look and the next.
    for (let look = 0; look < LOOKS; look++) {
      const pages = pagesNow()
      const found = sizeOf(file)
      if (found < pages.count * pages.bytes && isMissing(pages, found, pagesInWal(`${file}-wal`, pages.bytes))) continue
      trusted = found
      return
    }
    trusted = NONE
    const { count, bytes } = pagesNow()
    throw new LogCorrupt({
      log: filename,
      position: null,
      reason:
        `${path.basename(file)} was cut short: expected ${count * bytes} bytes or what is missing of them in the -wal, found ` +
        `${sizeOf(file)}. Nothing more is appended, so that what is left stays as it is; end every process that has the log open`,
    })
  }
}

/** No size that a file has. */
const NONE = -1

/** How often it is looked before the file is believed to be too short. */
const LOOKS = 3

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Whether a page is neither in so much of the file nor in the write-ahead log. */
const isMissing = ({ count, bytes }: Pages, size: number, inWal: ReadonlySet<number>): boolean => {
  for (let page = Math.floor(size / bytes) + 1; page <= count; page++) if (!inWal.has(page)) return true
  return false
}

/** The pages of which the write-ahead log holds a newer version (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
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
