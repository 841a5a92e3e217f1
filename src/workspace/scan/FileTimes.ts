/** Decides whether a file or directory can have changed since it was read. */

import type * as fs from "node:fs"

/** The state of a file or directory when it was read, as the system reported it. */
export interface FileTimes {
  readonly ino: number
  readonly bytes: number
  readonly mode: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** When the reading began, in epoch milliseconds. */
  readonly at: number
}

export const of = ({ ino, size, mode, mtimeMs, ctimeMs }: fs.Stats, at: number): FileTimes => ({
  ino,
  bytes: size,
  mode,
  mtimeMs,
  ctimeMs,
  at,
})

/**
 * Whether it is certainly unchanged. A change right after the reading may leave the times alone, because file systems
 * count time in steps. A change shortly before the reading therefore counts as a later change.
 */
export const isFresh = (known: FileTimes, stats: fs.Stats): boolean =>
  known.ino === stats.ino &&
  known.bytes === stats.size &&
  known.mode === stats.mode &&
  known.mtimeMs === stats.mtimeMs &&
  known.ctimeMs === stats.ctimeMs &&
  Math.max(stats.mtimeMs, stats.ctimeMs) < known.at - STEP_MS

/** The longest step of times in file systems in use (FAT). */
const STEP_MS = 2_000
