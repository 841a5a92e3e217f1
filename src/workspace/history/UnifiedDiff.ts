/** The difference of two texts as hunks of a unified diff. Pure. */

import * as LineDiff from "./LineDiff.ts"
import { LineTable } from "./LineTable.ts"

export interface DiffHunk {
  /** `@@ -1,4 +1,5 @@` */
  readonly header: string
  readonly lines: ReadonlyArray<DiffLine>
}

export interface DiffLine {
  readonly mark: " " | "-" | "+"
  /** Without its line feed. */
  readonly bytes: Uint8Array
  readonly hasLineFeed: boolean
}

export interface UnifiedDiff {
  readonly hunks: ReadonlyArray<DiffHunk>
  readonly added: number
  readonly removed: number
  /** False if the texts differ too much to align them: the hunk replaces the whole differing part. */
  readonly isWhole: boolean
}

/** The line of a unified diff after one without a line feed. */
export const NO_LINE_FEED = "\\ No newline at end of file"

/** Lines without a change around each hunk. */
const CONTEXT = 3

/** Whether contents have more lines together than Hindcast compares: each line of a difference takes memory. */
export const isTooLong = (...contents: ReadonlyArray<Uint8Array>): boolean => {
  let lines = 0
  for (const content of contents)
    for (let at = content.indexOf(LF); at >= 0; at = content.indexOf(LF, at + 1)) if (++lines > MAX_LINES) return true
  return false
}

export const MAX_LINES = 2_000_000

export const between = (before: Uint8Array, after: Uint8Array): UnifiedDiff => {
  const table = new LineTable({ withEnds: true })
  const [old, now] = [table.linesOf(before), table.linesOf(after)]
  const { hunks, isWhole } = LineDiff.between(old, now)
  const lineOf = (mark: DiffLine["mark"], line: number): DiffLine => {
    const bytes = table.bytesOf(line)
    const hasLineFeed = bytes.at(-1) === LF
    return { mark, bytes: hasLineFeed ? bytes.subarray(0, -1) : bytes, hasLineFeed }
  }
  const written = groups(hunks).map((group): DiffHunk => {
    const [first, last] = [group[0] ?? NO_HUNK, group.at(-1) ?? NO_HUNK]
    const before = Math.min(CONTEXT, first.oldStart)
    const after = Math.min(CONTEXT, old.length - last.oldEnd)
    const [oldStart, newStart] = [first.oldStart - before, first.newStart - before]
    const [oldEnd, newEnd] = [last.oldEnd + after, last.newEnd + after]
    const lines: Array<DiffLine> = []
    let at = oldStart
    const keep = (until: number) => {
      for (const line of old.subarray(at, until)) lines.push(lineOf(" ", line))
    }
    for (const hunk of group) {
      keep(hunk.oldStart)
      for (const line of old.subarray(hunk.oldStart, hunk.oldEnd)) lines.push(lineOf("-", line))
      for (const line of now.subarray(hunk.newStart, hunk.newEnd)) lines.push(lineOf("+", line))
      at = hunk.oldEnd
    }
    keep(oldEnd)
    return { header: `@@ -${range(oldStart, oldEnd)} +${range(newStart, newEnd)} @@`, lines }
  })
  let [added, removed] = [0, 0]
  for (const { oldStart, oldEnd, newStart, newEnd } of hunks) {
    added += newEnd - newStart
    removed += oldEnd - oldStart
  }
  return { hunks: written, added, removed, isWhole }
}

const LF = 0x0a

const NO_HUNK: LineDiff.Hunk = { oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 0 }

/** An empty range names the line before it. */
const range = (start: number, end: number): string => {
  const length = end - start
  if (length === 1) return String(start + 1)
  return `${length === 0 ? start : start + 1},${length}`
}

/** Hunks whose contexts touch form one. */
const groups = (hunks: ReadonlyArray<LineDiff.Hunk>): ReadonlyArray<ReadonlyArray<LineDiff.Hunk>> => {
  const all: Array<Array<LineDiff.Hunk>> = []
  for (const hunk of hunks) {
    const last = all.at(-1)
    if (last !== undefined && hunk.oldStart - (last.at(-1)?.oldEnd ?? 0) <= 2 * CONTEXT) last.push(hunk)
    else all.push([hunk])
  }
  return all
}
