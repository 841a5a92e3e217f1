/** History of one path in a recording: its contents, and who changed it. */

import { Schema } from "effect"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import type { Entry, FileState } from "./FileStates.ts"

export const PathHistory = Schema.Struct({
  /** Oldest first, with the content before the first change if the log has it. */
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
  /** Lines of the file that are from the task's own calls; null if nobody knows. */
  kept: Schema.NullOr(Schema.NonNegativeInt),
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
  kept: 0,
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

/** Without knowledge of contents, so that counts stay distinct. */
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
  /** The differences of the kept lines, and of files for which they are unknown. */
  readonly kept: number
  readonly keptUnknown: number
}

export const after = (
  before: PathHistory = unseen,
  state: FileState,
  author: "own" | "outside" | "unknown" | "nobody",
): { readonly history: PathHistory; readonly news: News } => {
  const { kind, entry } = state
  const own = author === "own"
  const key = keyOf(entry)
  const contents = isFirstChange(before) ? contentsBefore(state) : before.contents
  const touched = before.touched || own
  const isFirst = isFirstChange(before)
  // A file that appears may have been ignored until then, and an edit of it was not in vain.
  const had = isFirst ? kind !== "added" && kind !== "renamed" : before.hadAtStart
  const history: PathHistory = {
    contents: kind === "mode" ? contents : [...contents, { key, own }],
    isThere: entry !== undefined,
    hadAtStart: had,
    waiting: 0,
    // A file that no call of the task touched has no lines of it.
    kept: entry === undefined ? 0 : (state.kept ?? (touched ? null : 0)),
    touched,
    undone: before.undone || (own && isBack(contents, key)),
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
      kept: (history.kept ?? 0) - (before.kept ?? 0),
      keptUnknown: Number(history.kept === null) - Number(before.kept === null),
    },
  }
}

const isFirstChange = ({ isThere }: PathHistory): boolean => isThere === null

/** The content before the first change, if it is known. */
const contentsBefore = ({ kind, entry, before }: FileState): PathHistory["contents"] => {
  const known = kind === "mode" ? entry : before
  return known === undefined ? [] : [{ key: keyOf(known), own: false }]
}

/** Whether a content was there before a later change by the task. */
const isBack = (contents: PathHistory["contents"], key: string | null): boolean => {
  if (key === null || contents.at(-1)?.key === key) return false
  const earlier = contents.findLastIndex((content) => content.key === key)
  return earlier >= 0 && contents.slice(earlier + 1).some(({ own }) => own)
}

/** Longer than any digest. */
const MAX_DIGEST = 128

const keyOf = (entry: Pick<Entry, "kind" | "digest"> | undefined): string | null =>
  entry?.digest === undefined || entry.digest.length > MAX_DIGEST ? null : `${entry.kind} ${entry.digest}`

/** Characters that a change adds to the kept ones. */
export const grown = (contentsBefore: number, { contents }: PathHistory): number =>
  contents.slice(contentsBefore).reduce((sum, { key }) => sum + (key?.length ?? 1), 0)
