/**
 * Decides where telemetry of a session may go. Anybody who reaches the receiver can send records under a session's id.
 * They open a task of their own. If another recorder has the session, they go into a stream next to its task, which
 * they never change.
 */

import { Effect } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { LogRecord } from "../importing/otlp/LogRecord.ts"
import * as Openings from "../importing/writing/Openings.ts"
import { groupBy } from "../values/groupBy.ts"

/** A task that hooks, a connection to an editor or an import opened for the session. */
export interface Place {
  readonly taskId: string
  readonly openedBy: string
  readonly openedAt: number
  /** Recorders have the session's calls; an import has everything. */
  readonly by: "recorder" | "import"
}

export interface Owner {
  /** Whether the session's first task is telemetry's own, or nobody's yet. */
  readonly isOwn: boolean
  /** Tasks of others, oldest first. */
  readonly places: ReadonlyArray<Place>
}

/**
 * Finds the owner of the session with this task; undefined if the task is not a session's, such as a program's own.
 *
 * @param actor telemetry's name in the log
 */
export const of = (log: EventLog.Service, taskId: string, actor: string): Effect.Effect<Owner | undefined, LogError> =>
  Effect.gen(function* () {
    const openings = yield* Openings.of(log, taskId)
    const [first] = openings
    const isOwn = first === undefined || first.actor === actor
    const places = openings.flatMap((opened): ReadonlyArray<Place> => {
      const by = opened.actor === actor ? undefined : kindOf(opened)
      return by === undefined
        ? []
        : [{ taskId: opened.taskId ?? taskId, openedBy: opened.id, openedAt: opened.occurredAt, by }]
    })
    return isOwn || (first !== undefined && kindOf(first) !== undefined) ? { isOwn, places } : undefined
  })

const kindOf = (opened: Event): Place["by"] | undefined => {
  if (opened.actor.startsWith("import:")) return "import"
  const means = Openings.meansOf(opened)
  return means === "hooks" || means === "acp" ? "recorder" : undefined
}

/** The records that belong next to each place, and those of the own task: what came before the first place. */
export const divided = (
  { isOwn, places }: Owner,
  records: ReadonlyArray<LogRecord>,
): ReadonlyMap<Place | undefined, ReadonlyArray<LogRecord>> =>
  groupBy(records, ({ at }) => [
    places.findLast(({ openedAt }) => openedAt <= (at ?? 0)) ?? (isOwn ? undefined : places[0]),
  ])
