/** The rewards and punishments of a score as a time series, in the order in which they occurred. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Sum from "../../values/Sum.ts"
import { type MeasureVerdict, type Score, verdictsOf } from "./Scores.ts"
import type { TaskAudit } from "./TaskAudit.ts"

/** One occurrence of a reward or punishment. */
export interface RewardEntry {
  readonly kind: "reward" | "punishment"
  /** `plugin/measure` */
  readonly measure: string
  readonly name: string
  /** The position of the event it is based on; null if it cites no evidence. */
  readonly at: number | null
  /**
   * Milliseconds from the opening of the task to that event; null if there is no position, or the task has no such
   * event.
   */
  readonly afterMs: number | null
  /** What it adds to the score; negative for a punishment. */
  readonly amount: number
  /** The sum of all amounts so far. */
  readonly net: number
}

/** When events of a task were recorded, by position. */
export type Times = ReadonlyMap<number, number>

/**
 * The rewards and punishments of a score in order of position, with the running net. A verdict whose evidence matches
 * its occurrences yields one entry per position. If the two numbers differ, it yields one entry at its last position;
 * if it cites no evidence, one at the end.
 */
export const timeline = (audit: TaskAudit, score: Score, times: Times): ReadonlyArray<RewardEntry> => {
  const entries = verdictsOf(score)
    .flatMap(occurrences)
    .sort((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY))
  let sum = Sum.zero
  return entries.map((one) => {
    sum = Sum.add(sum, one.amount)
    const time = one.at === null ? undefined : times.get(one.at)
    return { ...one, afterMs: time === undefined ? null : time - audit.openedAt, net: Sum.value(sum) }
  })
}

const occurrences = ({
  measure,
  kind,
  name,
  times,
  amount,
  because,
}: MeasureVerdict): ReadonlyArray<Omit<RewardEntry, "afterMs" | "net">> => {
  if (times === 0) return []
  const signed = kind === "reward" ? amount : 0 - amount
  const one = { kind, measure, name }
  if (because.length !== times) return [{ ...one, at: because.at(-1) ?? null, amount: signed }]
  return because.map((at) => ({ ...one, at, amount: Sum.round(signed / times) }))
}

/** When the events that a task's scores cite were recorded, read from the task's own events. */
export const times = ({ taskId, scores }: TaskAudit): Effect.Effect<Times, LogError, EventLog> =>
  Effect.gen(function* () {
    const cited = new Set(scores.flatMap((score) => verdictsOf(score).flatMap(({ because }) => because)))
    const found = new Map<number, number>()
    if (cited.size === 0) return found
    const log = yield* EventLog
    const until = [...cited].reduce((a, b) => Math.max(a, b))
    yield* Pages.forEach(log.readPage, { taskId, until, timeline: log.timeline }, (page) => {
      for (const { position, recordedAt } of page) if (cited.has(position)) found.set(position, recordedAt)
    })
    return found
  })
