/** History of one path in a recording: its contents, and who changed it. */

import { Schema } from "effect"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import type { Entry, FileState } from "./FileStates.ts"

export const PathHistory = Schema.Struct({
  /** Oldest first, without the content before the first change: the log has only that of all files together. */
  contents: Schema.Array(
    Schema.Struct({
      /** Null if nobody knows the content, or there is none. */
      key: Schema.NullOr(Schema.String),
      own: Schema.Boolean,
    }),
  ),
  isThere: Schema.NullOr(Schema.Boolean),
  /** Whether the recording had it before its first change. */
  hadAtStart: Schema.NullOr(Schema.Boolean),
  /** Edits before the first change, which may have been in vain. */
  waiting: Schema.NonNegativeInt,
  touched: Schema.Boolean,
  undone: Schema.Boolean,
  outside: Schema.Boolean,
  unattributed: Schema.Boolean,
})

export type PathHistory = typeof PathHistory.Type

const unseen: PathHistory = {
  contents: [],
  isThere: null,
  hadAtStart: null,
  waiting: 0,
  touched: false,
  undone: false,
  outside: false,
  unattributed: false,
}

/** Whether the recording has the file; null if no change has shown it yet. */
export const isThere = (history: PathHistory | undefined): boolean | null => history?.isThere ?? null

export const hadAtStart = (history: PathHistory | undefined): boolean | null => history?.hadAtStart ?? null

/** One more edit that is in vain if the recording had the file. */
export const waiting = (history: PathHistory = unseen): PathHistory => ({ ...history, waiting: history.waiting + 1 })

/** Without what is known of contents, so that counts stay distinct. */
export const forgotten = (files: SafeRecord.SafeRecord<PathHistory>): SafeRecord.SafeRecord<PathHistory> => {
  const kept: SafeRecord.Own<PathHistory> = {}
  for (const [path, { touched, undone, outside, unattributed }] of Object.entries(files))
    SafeRecord.put(kept, path, { ...unseen, touched, undone, outside, unattributed })
  return kept
}

/** Counts that a change adds to. */
interface News {
  readonly touched: number
  readonly undone: number
  readonly outside: number
  readonly unattributed: number
  readonly foundEmpty: number
}

export const after = (
  before: PathHistory = unseen,
  { kind, entry }: FileState,
  author: "own" | "outside" | "unknown" | "nobody",
): { readonly history: PathHistory; readonly news: News } => {
  const own = author === "own"
  const key = keyOf(entry)
  const isFirst = before.isThere === null
  // A file that appears may have been ignored until then, and an edit of it was not in vain.
  const had = isFirst ? kind !== "added" && kind !== "renamed" : before.hadAtStart
  const history: PathHistory = {
    contents:
      kind === "mode" && !isFirst ? before.contents : [...before.contents, { key, own: own && kind !== "mode" }],
    isThere: entry !== undefined,
    hadAtStart: had,
    waiting: 0,
    touched: before.touched || own,
    undone: before.undone || (own && isBack(before.contents, key)),
    outside: before.outside || author === "outside",
    unattributed: before.unattributed || author === "unknown",
  }
  const isNew = (flag: "touched" | "undone" | "outside" | "unattributed") => (history[flag] && !before[flag] ? 1 : 0)
  return {
    history,
    news: {
      touched: isNew("touched"),
      undone: isNew("undone"),
      outside: isNew("outside"),
      unattributed: isNew("unattributed"),
      foundEmpty: isFirst && had === true ? before.waiting : 0,
    },
  }
}

/** Whether a content was there before a later change by the task. */
const isBack = (contents: PathHistory["contents"], key: string | null): boolean => {
  if (key === null || contents.at(-1)?.key === key) return false
  const earlier = contents.findLastIndex((content) => content.key === key)
  return earlier >= 0 && contents.slice(earlier + 1).some(({ own }) => own)
}

/** Longer than any digest. */
const MAX_DIGEST = 128

const keyOf = (entry: Entry | undefined): string | null =>
  entry?.digest === undefined || entry.digest.length > MAX_DIGEST ? null : `${entry.kind} ${entry.digest}`

/** Characters that a change adds to what is kept. */
export const grown = (contentsBefore: number, { contents }: PathHistory): number =>
  contents.length === contentsBefore ? 0 : (contents.at(-1)?.key?.length ?? 1)
