/** Brings what another account told after a task's close to where it happened. */
import { tells } from "../../../../projections/state/LateAccount.ts"
import type { Entry } from "../../../wire/CourseSlice.ts"

/**
 * Orders a task's entries for its conversation: those that an import added after the close stand at their own times,
 * after their causes; all others keep their order.
 */
export const inTime = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const end = entries.findIndex(({ type }) => type === "TaskClosed")
  const after = end === -1 ? [] : entries.slice(end)
  const late = after.filter(tells)
  if (late.length === 0) return entries
  const moments = momentsOf(late, entries)
  const ordered: Array<Entry> = []
  let next = 0
  for (const entry of [...entries.slice(0, end), ...after.filter((one) => !tells(one))]) {
    for (; (moments[next] ?? Number.POSITIVE_INFINITY) < entry.occurredAt; next++)
      ordered.push(...late.slice(next, next + 1))
    ordered.push(entry)
  }
  return [...ordered, ...late.slice(next)]
}

/** A time for each late entry, not before its cause's, nor before that of the one before it. */
const momentsOf = (late: ReadonlyArray<Entry>, entries: ReadonlyArray<Entry>): ReadonlyArray<number> => {
  const times = new Map(entries.map(({ position, occurredAt }) => [position, occurredAt]))
  let last = Number.NEGATIVE_INFINITY
  return late.map(({ cause, occurredAt }) => {
    last = Math.max(last, occurredAt, times.get(cause?.position ?? 0) ?? last)
    return last
  })
}
