/** The rewards and punishments of a score as a time series. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Sum from "../../values/Sum.ts"
import * as TaskClock from "../state/TaskClock.ts"
import { type MeasureVerdict, type Score, verdictsOf } from "./Scores.ts"
import type { TaskAudit } from "./TaskAudit.ts"

/** One occurrence of a reward or punishment. */
export interface RewardEntry {
  readonly kind: "reward" | "punishment"
  /** `plugin/measure` */
  readonly measure: string
  readonly name: string
  /** The position of its evidence; null if it cites none. */
  readonly at: number | null
  /**
   * Milliseconds of the task's own time from its opening to that event; null without a position, or if the task has no
   * such event.
   */
  readonly afterMs: number | null
  /** Its contribution to the score; negative for a punishment. */
  readonly amount: number
  /** The sum of all amounts so far. */
  readonly net: number
}

/** Milliseconds of a task's own time from its opening to an event, by position. */
export type Times = ReadonlyMap<number, number>

/**
 * Returns the rewards and punishments of a score in order of position, with the running net. A verdict with one piece
 * of evidence per occurrence gives one entry per position. If the numbers differ, it gives one entry at its last
 * position; without evidence, one at the end.
 */
export const timeline = (score: Score, times: Times): ReadonlyArray<RewardEntry> => {
  const entries = verdictsOf(score)
    .flatMap(occurrences)
    .sort((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY))
  let sum = Sum.zero
  return entries.map((one) => {
    sum = Sum.add(sum, one.amount)
    const afterMs = one.at === null ? null : (times.get(one.at) ?? null)
    return { ...one, afterMs, net: Sum.value(sum) }
  })
}

const occurrences = ({
  measure,
  kind,
  name,
  times,
  amount,
  because,
  amounts,
}: MeasureVerdict): ReadonlyArray<Omit<RewardEntry, "afterMs" | "net">> => {
  if (times === 0) return []
  const sign = kind === "reward" ? 1 : -1
  const one = { kind, measure, name }
  if (because.length !== times) return [{ ...one, at: because.at(-1) ?? null, amount: sign * amount + 0 }]
  const equal = amount / times
  return because.map((at, index) => ({ ...one, at, amount: Sum.round(sign * (amounts?.[index] ?? equal)) }))
}

/** Reads the times of the events that a task's scores cite from the task's own events. */
export const times = ({ taskId, scores }: TaskAudit): Effect.Effect<Times, LogError, EventLog> =>
  Effect.gen(function* () {
    const cited = new Set(scores.flatMap((score) => verdictsOf(score).flatMap(({ because }) => because)))
    const found = new Map<number, number>()
    let clock: TaskClock.TaskClock | undefined
    if (cited.size === 0) return found
    const log = yield* EventLog
    const until = [...cited].reduce((a, b) => Math.max(a, b))
    yield* Pages.forEach(log.readPage, { taskId, until, timeline: log.timeline }, (page) => {
      for (const event of page) {
        clock = clock === undefined ? TaskClock.start(event) : TaskClock.after(clock, event)
        if (cited.has(event.position)) found.set(event.position, clock.elapsedMs)
      }
    })
    return found
  })
