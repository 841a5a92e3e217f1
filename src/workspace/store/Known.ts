/** What is known of files since they were read: whether they can have changed. */

import type * as fs from "node:fs"
import type { Entry } from "../model/Entry.ts"
import type { ContentStore } from "./ContentStore.ts"

/** A file's entry, and what the system said about the file when it was read. */
export interface Known {
  readonly entry: Entry
  readonly ino: number
  readonly bytes: number
  readonly mode: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** When the reading began, in epoch milliseconds. */
  readonly at: number
}

export const of = (entry: Entry, { ino, size, mode, mtimeMs, ctimeMs }: fs.Stats, at: number): Known => ({
  entry,
  ino,
  bytes: size,
  mode,
  mtimeMs,
  ctimeMs,
  at,
})

/**
 * Whether a file is certainly as it was read. A change right after the reading may leave its times as they were, since
 * file systems count time in steps: a file that changed shortly before it was read is read again.
 */
export const isFresh = (known: Known, stats: fs.Stats): boolean =>
  known.ino === stats.ino &&
  known.bytes === stats.size &&
  known.mode === stats.mode &&
  known.mtimeMs === stats.mtimeMs &&
  known.ctimeMs === stats.ctimeMs &&
  known.entry.omitted !== "changing" &&
  Math.max(stats.mtimeMs, stats.ctimeMs) < known.at - STEP_MS

/** Whether both say the same about the file, but for when it was read. */
export const isSame = (one: Known | undefined, other: Known): boolean =>
  one !== undefined && written({ ...one, at: 0 }) === written({ ...other, at: 0 })

/** The longest step of times in file systems in use (FAT). */
const STEP_MS = 2_000

export const load = (store: ContentStore, root: string): Map<string, Known> =>
  new Map(
    store.remembered(root).map(([path, text]) => {
      const [entry, ino, bytes, mode, mtimeMs, ctimeMs, at] = JSON.parse(text)
      return [path, { entry, ino, bytes, mode, mtimeMs, ctimeMs, at }]
    }),
  )

/** Saves what changed; undefined for files that are gone. */
export const save = (store: ContentStore, root: string, learned: ReadonlyMap<string, Known | undefined>): void => {
  const rows = [...learned].map(([path, known]) => [path, known && written(known)] as const)
  store.remember(root, rows)
}

const written = ({ entry, ino, bytes, mode, mtimeMs, ctimeMs, at }: Known): string =>
  JSON.stringify([entry, ino, bytes, mode, mtimeMs, ctimeMs, at])
