/**
 * Restores the original order of a rollout's lines, as after `tac` or `sort`. Token totals, turns and copied lines make
 * sense in that order only.
 */

import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, textOf } from "../runs/Untrusted.ts"

const isMeta = (line: unknown): boolean => field(line, "type") === "session_meta"

/** The first line of a rollout of the first versions, which has no type. */
const isLegacyMeta = (line: unknown): boolean => textOf(line, "id") !== undefined && textOf(line, "type") === undefined

/** The rollout's metadata: that with the file's id, otherwise the first. */
export const metaIn = (lines: ReadonlyArray<unknown>, id: string | undefined): unknown => {
  const all = lines.flatMap((line) => (isMeta(line) ? [field(line, "payload")] : isLegacyMeta(line) ? [line] : []))
  return all.find((meta) => id !== undefined && textOf(meta, "id") === id) ?? all[0]
}

/** The start that a rollout states, otherwise its earliest line. */
export const beginningOf = (meta: unknown, lines: ReadonlyArray<unknown>): number | null => {
  const times = lines.flatMap((line) => timeOf(field(line, "timestamp")) ?? [])
  return timeOf(field(meta, "timestamp")) ?? (times.length === 0 ? null : Math.min(...times))
}

/**
 * Whether a file's first lines are out of order. In order, a rollout begins with its metadata; even then its clock may
 * be set back once or twice.
 */
export const isOutOfOrder = (lines: ReadonlyArray<unknown>): boolean => {
  const { back } = stepsOf(lines)
  const [first] = lines
  const isBegun = isMeta(first) || isLegacyMeta(first) || (isObject(first) && !isObject(field(first, "payload")))
  return back > (isBegun ? SETBACKS : 0)
}

/** Tolerated number of clock set-backs among the first lines. */
const SETBACKS = 2

/** How often the time decreases and increases between successive lines. */
const stepsOf = (lines: ReadonlyArray<unknown>): { readonly back: number; readonly on: number } => {
  const times = lines.flatMap((line) => timeOf(field(line, "timestamp")) ?? [])
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  return { back: steps.filter((step) => step < 0).length, on: steps.filter((step) => step > 0).length }
}

/** Sorts lines by time, metadata first among equal times. A line without a time follows the one before it. */
export const inOrder = (lines: ReadonlyArray<unknown>, id: string | undefined): ReadonlyArray<unknown> => {
  const { back, on } = stepsOf(lines)
  const meta = metaIn(lines, id)
  let last = Number.NEGATIVE_INFINITY
  const timed = (back > on ? lines.toReversed() : lines).map((line) => {
    last = timeOf(field(line, "timestamp")) ?? last
    return { line, at: last, rank: line === meta || field(line, "payload") === meta ? 0 : 1 }
  })
  return timed.sort((a, b) => a.at - b.at || a.rank - b.rank).map(({ line }) => line)
}
