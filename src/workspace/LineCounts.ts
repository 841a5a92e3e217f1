/** Counts the lines that a change adds and removes. */

import * as LineDiff from "./history/LineDiff.ts"
import { LineTable } from "./history/LineTable.ts"
import type { Change } from "./model/Changes.ts"
import type { LineCounts } from "./model/Document.ts"
import type { Entry } from "./model/Entry.ts"
import type { ContentStore } from "./store/ContentStore.ts"

/** Undefined if a content is unknown, no text, or the two are too large or too different to compare. */
export const of = (change: Change, store: ContentStore): LineCounts | undefined => {
  if (change.kind === "mode" || change.kind === "renamed") return undefined
  const before = change.kind === "added" ? EMPTY : textOf(change.before, store)
  const after = change.kind === "removed" ? EMPTY : textOf(change.after, store)
  if (before === undefined || after === undefined) return undefined
  const table = new LineTable()
  const { hunks, isWhole } = LineDiff.between(table.linesOf(before), table.linesOf(after))
  if (!isWhole) return undefined
  let [added, removed] = [0, 0]
  for (const { oldStart, oldEnd, newStart, newEnd } of hunks) {
    added += newEnd - newStart
    removed += oldEnd - oldStart
  }
  return { added, removed }
}

const EMPTY = new Uint8Array(0)

const textOf = ({ kind, digest, omitted, size }: Entry, store: ContentStore): Uint8Array | undefined => {
  if (kind !== "file" || digest === undefined || omitted !== undefined || size > MAX_BYTES) return undefined
  const bytes = store.get(digest)
  return bytes === undefined || bytes.subarray(0, HEAD_BYTES).includes(0) ? undefined : bytes
}

const MAX_BYTES = 1024 * 1024

/** Git looks this far for a NUL, which a text does not have. */
const HEAD_BYTES = 8_000
