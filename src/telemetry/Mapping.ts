/** Maps a group of the inbox to events and scores. Pure. */

import * as AgentLogs from "../importing/agentlogs/AgentLogs.ts"
import { mapShared } from "../importing/agentlogs/SharedSession.ts"
import { evaluationIn } from "../importing/otlp/Evaluations.ts"
import type { LogRecord } from "../importing/otlp/LogRecord.ts"
import { lastEnd, mapConversation, traces } from "../importing/otlp/Otlp.ts"
import type { Span } from "../importing/otlp/Span.ts"
import { taskIdOf } from "../importing/runs/Run.ts"
import type { RunEvent } from "../importing/runs/RunEvent.ts"
import { MappedRuns } from "../importing/runs/Runs.ts"
import { SETTLED_MS } from "../importing/runs/Silence.ts"
import type { SourceScore } from "../importing/scores/SourceScores.ts"
import type { Owner } from "../importing/writing/Owner.ts"
import type { PriceTable } from "../kernel/pricing/Prices.ts"
import type { Group, Kept } from "./Inbox.ts"

export interface Mapped {
  readonly events: ReadonlyArray<RunEvent>
  readonly scores: ReadonlyArray<SourceScore>
  /** Milliseconds after which to map the group again, so that its task ends; null for never. */
  readonly againAfterMs: number | null
  readonly leftOut: ReadonlyMap<string, number>
}

/** Added to the time at which a silence counts as an end. */
const MARGIN_MS = 1_000

/**
 * The name of a run. A conversation that is too large for one task has further ones.
 *
 * @returns the trace's or conversation's own id for the first
 */
export const runOf = ({ conversation, trace, part }: Pick<Group, "conversation" | "trace" | "part">): string => {
  const id = conversation ?? trace ?? "unknown"
  return part === 1 ? id : `${id}~${part}`
}

/** Maps spans and evaluations of one conversation, or of one trace without a conversation. */
export const ofSpans = (group: Group, kept: ReadonlyArray<Kept>, prices: PriceTable, now: number): Mapped => {
  const spans = kept.flatMap(({ kind, body }) => (kind === "span" ? [JSON.parse(body) as Span] : []))
  const runs = new MappedRuns(traces, prices)
  const id = runOf(group)
  const isOneTrace = group.conversation === undefined
  const written = { now, modifiedAt: group.touched }
  if (spans.length > 0) runs.mapping(() => mapConversation(written, runs, { id, spans }, isOneTrace))
  const taskId = taskIdOf(traces.name, id)
  const wholeTaskId = taskIdOf(traces.name, runOf({ ...group, part: 1 }))
  const judged = kept.flatMap(({ kind, body }): ReadonlyArray<SourceScore> => {
    if (kind !== "evaluation") return []
    return evaluationIn(JSON.parse(body) as LogRecord).map((one) => ({ taskId, ...one }))
  })
  const events = runs.drain()
  const isDone = !runs.waits && events.every(({ run }) => run.closed)
  return {
    events,
    scores: [...runs.scores, ...judged].map((score) => ({ ...score, wholeTaskId })),
    againAfterMs: isDone ? null : untilSilent(now, lastEnd(spans)),
    leftOut: runs.leftOut,
  }
}

/** Maps the log records of a coding agent's session, each to where its owner lets it go. */
export const ofSession = (
  group: Group,
  kept: ReadonlyArray<Kept>,
  prices: PriceTable,
  now: number,
  owner: Owner,
): Pick<Mapped, "events" | "againAfterMs"> => {
  const agent = AgentLogs.all.find(({ name }) => name === group.source)
  if (agent === undefined) return { events: [], againAfterMs: null }
  const records = kept.map(({ body }) => JSON.parse(body) as LogRecord)
  const session = { agent, session: runOf(group), records }
  const { runs, isOpen, last } = mapShared(session, owner, { now, touched: group.touched }, prices)
  return { events: runs.drain(), againAfterMs: isOpen ? untilSilent(now, last) : null }
}

const untilSilent = (now: number, last: number | null): number =>
  Math.max(MARGIN_MS, Math.min(SETTLED_MS, (last ?? now) + SETTLED_MS - now) + MARGIN_MS)
