/** Brings what another account tells after a task's close to where it happened. */

import { tells } from "../state/LateAccount.ts"

/** The fields of an event by which it gets its place. */
export interface Placed {
  readonly position: number
  readonly type: string
  readonly actor: string
  readonly occurredAt: number
  readonly cause: { readonly position: number } | null
}

/**
 * Orders a task's events for its conversation: those that an import added after the close come at their own times,
 * after their causes; all others keep their order.
 */
export const inTime = <Of extends Placed>(events: ReadonlyArray<Of>): ReadonlyArray<Of> => {
  const end = events.findIndex(({ type }) => type === "TaskClosed")
  const after = end === -1 ? [] : events.slice(end)
  const late = after.filter(tells)
  if (late.length === 0) return events
  const moments = momentsOf(late, events)
  const ordered: Array<Of> = []
  let next = 0
  for (const event of [...events.slice(0, end), ...after.filter((one) => !tells(one))]) {
    for (; (moments[next] ?? Number.POSITIVE_INFINITY) < event.occurredAt; next++)
      ordered.push(...late.slice(next, next + 1))
    ordered.push(event)
  }
  return [...ordered, ...late.slice(next)]
}

/** A time for each late event, not before its cause's, nor before that of the one before it. */
const momentsOf = (late: ReadonlyArray<Placed>, events: ReadonlyArray<Placed>): ReadonlyArray<number> => {
  const times = new Map(events.map(({ position, occurredAt }) => [position, occurredAt]))
  let last = Number.NEGATIVE_INFINITY
  return late.map(({ cause, occurredAt }) => {
    last = Math.max(last, occurredAt, times.get(cause?.position ?? 0) ?? last)
    return last
  })
}
