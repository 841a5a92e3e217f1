/** Counts the lines that a change adds and removes. */

import * as LineDiff from "./history/LineDiff.ts"
import { LineTable } from "./history/LineTable.ts"
import type { Change } from "./model/Changes.ts"
import type { LineCounts } from "./model/Document.ts"
import type { Entry } from "./model/Entry.ts"
import type { ContentStore } from "./store/ContentStore.ts"

/** In order. Undefined if a content is unknown or binary, or if the two are too large or too different to compare. */
export const hunksOf = (change: Change, store: ContentStore): Hunks | undefined => {
  if (change.kind === "mode" || change.kind === "renamed") return undefined
  const before = change.kind === "added" ? undefined : change.before
  return hunksBetween(before, change.kind === "removed" ? undefined : change.after, store)
}

type Hunks = ReadonlyArray<LineDiff.Hunk>

/** The size is the entry's, if it is known. */
type Content = Pick<Entry, "kind" | "digest"> & Partial<Pick<Entry, "omitted" | "size">>

/** Like `hunksOf`, for two entries. Without an entry, there is no such file. */
export const hunksBetween = (
  one: Content | undefined,
  other: Content | undefined,
  store: ContentStore,
): Hunks | undefined => {
  const before = one === undefined ? EMPTY : textOf(one, store)
  const after = other === undefined ? EMPTY : textOf(other, store)
  if (before === undefined || after === undefined) return undefined
  const table = new LineTable()
  const { hunks, isWhole } = LineDiff.between(table.linesOf(before), table.linesOf(after))
  return isWhole ? hunks : undefined
}

export const of = (change: Change, store: ContentStore): LineCounts | undefined => {
  const hunks = hunksOf(change, store)
  return hunks && ofHunks(hunks)
}

export const ofHunks = (hunks: Hunks): LineCounts => {
  let [added, removed] = [0, 0]
  for (const { oldStart, oldEnd, newStart, newEnd } of hunks) {
    added += newEnd - newStart
    removed += oldEnd - oldStart
  }
  return { added, removed }
}

const EMPTY = new Uint8Array(0)

const textOf = ({ kind, digest, omitted, size = 0 }: Content, store: ContentStore): Uint8Array | undefined => {
  if (kind !== "file" || digest === undefined || omitted !== undefined || size > MAX_BYTES) return undefined
  const bytes = store.get(digest)
  return bytes === undefined || bytes.length > MAX_BYTES || bytes.subarray(0, HEAD_BYTES).includes(0)
    ? undefined
    : bytes
}

const MAX_BYTES = 1024 * 1024

/** Git looks for a NUL in as many bytes to tell binary files from text. */
const HEAD_BYTES = 8_000
