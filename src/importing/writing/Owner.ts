/**
 * Decides where telemetry of a session may go. Anybody who reaches the receiver, or writes a file of logs, can tell of a
 * session under its id. They open a task of their own. If another recorder has the session, they go into a stream next to
 * its task, which they never change.
 */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { groupBy } from "../../values/groupBy.ts"
import type { RunStart } from "../runs/RunEvent.ts"
import { taskAt } from "./Division.ts"
import * as Openings from "./Openings.ts"

/** A task that hooks, a connection to an editor or an import opened for the session. */
export type Place = NonNullable<RunStart["beside"]>

export interface Owner {
  /** Whether the log has a task of the session. */
  readonly isRecorded: boolean
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
    return isOwn || (first !== undefined && kindOf(first) !== undefined)
      ? { isRecorded: first !== undefined, isOwn, places }
      : undefined
  })

const kindOf = (opened: Event): Place["by"] | undefined => {
  if (opened.actor.startsWith("import:")) return "import"
  const means = Openings.meansOf(opened)
  return means === "hooks" || means === "acp" ? "recorder" : undefined
}

/** The records that belong next to each place, and those of the own task: what came before the first place. */
export const divided = <Record extends { readonly at: number | null }>(
  { isOwn, places }: Owner,
  records: ReadonlyArray<Record>,
): ReadonlyMap<Place | undefined, ReadonlyArray<Record>> =>
  groupBy(records, ({ at }) => [places[taskAt(places, at ?? 0)] ?? (isOwn ? undefined : places[0])])
