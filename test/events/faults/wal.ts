import * as fs from "node:fs"

/** One page in a write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
export interface Frame {
  /** Bytes from the beginning of the file to the frame's end. */
  readonly end: number
  /** Whether it is the last one of a transaction. */
  readonly commits: boolean
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** The frames that were written since the write-ahead log was begun last, by their salt; none where there is no such file. */
export const framesOf = (log: string): ReadonlyArray<Frame> => {
  const wal = fs.existsSync(`${log}-wal`) ? fs.readFileSync(`${log}-wal`) : Buffer.alloc(0)
  if (wal.length < HEADER_BYTES) return []
  const length = FRAME_HEADER_BYTES + wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  const frames: Array<Frame> = []
  for (let start = HEADER_BYTES; start + length <= wal.length; start += length) {
    if (!wal.subarray(start + 8, start + 16).equals(salt)) break
    frames.push({ end: start + length, commits: wal.readUInt32BE(start + 4) !== 0 })
  }
  return frames
}
