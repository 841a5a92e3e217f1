/** The differences of two texts by their lines. Pure, and bounded. */

import { diffArrays } from "diff"
import type { Lines } from "./LineTable.ts"

/** Lines `[oldStart, oldEnd)` became lines `[newStart, newEnd)`. */
export interface Hunk {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

export interface LineDiff {
  /** In order. Lines between two hunks are equal. */
  readonly hunks: ReadonlyArray<Hunk>
  /** False if the texts differ too much to align them within `maxEdits`: the one hunk may contain equal lines. */
  readonly isWhole: boolean
  /** The number of lines that the search for equal ones passed, at most `maxEdits`. */
  readonly edits: number
}

/**
 * Maximum number of lines out of order, among those in both texts. The search's time and memory grow with its square.
 */
export const MAX_EDITS = 1000

/**
 * The shortest difference. If there are several, the one whose new lines come last: of two equal lines in succession,
 * the second is new.
 */
export const between = (before: Lines, after: Lines, maxEdits = MAX_EDITS): LineDiff => {
  const { start, oldEnd, newEnd } = differing(before, after)
  const all = { oldStart: start, oldEnd, newStart: start, newEnd }
  if (start === oldEnd && start === newEnd) return { hunks: [], isWhole: true, edits: 0 }
  // Lines in only one text take no part in the search, because nothing can equal them.
  const olds = shared(before, start, oldEnd, after.subarray(start, newEnd))
  const news = shared(after, start, newEnd, before.subarray(start, oldEnd))
  const aligned = align(
    olds.map((index) => before[index] ?? -1),
    news.map((index) => after[index] ?? -1),
    maxEdits,
  )
  if (aligned === undefined) return { hunks: [all], isWhole: false, edits: maxEdits }
  const pairs = aligned.pairs.map(([old, now]): Pair => [olds[old] ?? 0, news[now] ?? 0])
  return { hunks: slid(hunksBetween(pairs, all), after), isWhole: true, edits: aligned.edits }
}

type Pair = readonly [old: number, now: number]

/** Drops equal lines at the beginning and the end. */
export const differing = (
  before: Lines,
  after: Lines,
): { readonly start: number; readonly oldEnd: number; readonly newEnd: number } => {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let [oldEnd, newEnd] = [before.length, after.length]
  while (oldEnd > start && newEnd > start && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd--
    newEnd--
  }
  return { start, oldEnd, newEnd }
}

/** The places in `[start, end)` of lines that `other` contains too. */
const shared = (lines: Lines, start: number, end: number, other: Lines): ReadonlyArray<number> => {
  if (start === end || other.length === 0) return []
  const known = new Set(other)
  const places: Array<number> = []
  for (let index = start; index < end; index++) if (known.has(lines[index] ?? -1)) places.push(index)
  return places
}

/** Pairs of equal lines, as many as possible in order; undefined if the search takes too long. */
const align = (
  before: Array<number>,
  after: Array<number>,
  maxEdits: number,
): { readonly pairs: ReadonlyArray<Pair>; readonly edits: number } | undefined => {
  if (before.length === 0 || after.length === 0) return { pairs: [], edits: 0 }
  if (Math.abs(before.length - after.length) > maxEdits) return undefined
  const parts = diffArrays(before, after, { maxEditLength: maxEdits })
  if (parts === undefined) return undefined
  const pairs: Array<Pair> = []
  let [old, now, edits] = [0, 0, 0]
  for (const { added, removed, count } of parts) {
    if (added || removed) edits += count
    else for (let index = 0; index < count; index++) pairs.push([old + index, now + index])
    if (!added) old += count
    if (!removed) now += count
  }
  return { pairs, edits }
}

const hunksBetween = (pairs: ReadonlyArray<Pair>, all: Hunk): ReadonlyArray<Hunk> => {
  const hunks: Array<Hunk> = []
  let [oldStart, newStart] = [all.oldStart, all.newStart]
  for (const [old, now] of [...pairs, [all.oldEnd, all.newEnd] as const]) {
    if (old > oldStart || now > newStart) hunks.push({ oldStart, oldEnd: old, newStart, newEnd: now })
    oldStart = old + 1
    newStart = now + 1
  }
  return hunks
}

/** Moves new lines down, past equal ones, up to the next hunk. */
const slid = (hunks: ReadonlyArray<Hunk>, after: Lines): ReadonlyArray<Hunk> =>
  hunks.map((hunk, index) => {
    if (hunk.oldStart !== hunk.oldEnd) return hunk
    const end = hunks[index + 1]?.newStart ?? after.length
    let by = 0
    while (hunk.newEnd + by < end && after[hunk.newStart + by] === after[hunk.newEnd + by]) by++
    const { oldStart, newStart, newEnd } = hunk
    return { oldStart: oldStart + by, oldEnd: oldStart + by, newStart: newStart + by, newEnd: newEnd + by }
  })
