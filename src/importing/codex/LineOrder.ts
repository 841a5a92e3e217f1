/**
 * In which order the lines of a rollout were written, where they stand in another one, as after `tac` or `sort`. Totals of tokens, turns and
 * what was copied from another rollout can be told in that order alone.
 */

import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, textOf } from "../runs/Untrusted.ts"

const isMeta = (line: unknown): boolean => field(line, "type") === "session_meta"

/** The first line of a rollout of the first versions: it has no type. */
const isLegacyMeta = (line: unknown): boolean => textOf(line, "id") !== undefined && textOf(line, "type") === undefined

/** What a rollout says of itself in one of its lines: the one with the id of its file, else the first. */
export const metaIn = (lines: ReadonlyArray<unknown>, id: string | undefined): unknown => {
  const all = lines.flatMap((line) => (isMeta(line) ? [field(line, "payload")] : isLegacyMeta(line) ? [line] : []))
  return all.find((meta) => id !== undefined && textOf(meta, "id") === id) ?? all[0]
}

/** When a rollout began: as it says, else the earliest of the times of its lines. */
export const beginningOf = (meta: unknown, lines: ReadonlyArray<unknown>): number | null => {
  const times = lines.flatMap((line) => timeOf(field(line, "timestamp")) ?? [])
  return timeOf(field(meta, "timestamp")) ?? (times.length === 0 ? null : Math.min(...times))
}

/**
 * Whether lines do not stand in their order, by the first ones of a file. A rollout begins with what it says of itself; its clock may be
 * set back once or twice all the same.
 */
export const isOutOfOrder = (lines: ReadonlyArray<unknown>): boolean => {
  const { back } = stepsOf(lines)
  const [first] = lines
  const isBegun = isMeta(first) || isLegacyMeta(first) || (isObject(first) && !isObject(field(first, "payload")))
  return back > (isBegun ? SETBACKS : 0)
}

/** Most times that a clock is set back among a file's first lines. */
const SETBACKS = 2

/** How often the time goes back from a line to the next one, and how often on. */
const stepsOf = (lines: ReadonlyArray<unknown>): { readonly back: number; readonly on: number } => {
  const times = lines.flatMap((line) => timeOf(field(line, "timestamp")) ?? [])
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  return { back: steps.filter((step) => step < 0).length, on: steps.filter((step) => step > 0).length }
}

/** Lines in the order of their times. Of those with one time, what the rollout says of itself comes first; lines without a time follow the one before. */
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
