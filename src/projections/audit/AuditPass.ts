/** A pass over events that computes the audits of many tasks. */

import { Either } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Projection from "../fold/Projection.ts"
import { document, type TaskAudit, TaskNotFound } from "./AuditDocument.ts"
import * as Sections from "./Sections.ts"
import { type CollectedVerdicts, VerdictCollector } from "./VerdictCollector.ts"

/**
 * Computes the audits of all tasks from the whole log's events, in order of position. Each equals the result of
 * `TaskAudit.fold`. Completed tasks come first, by their closes; then tasks that may still change, by their openings:
 * open ones, those with a command whose outcome may still come, and those that a recorder of a coding agent opened.
 */
export const fold = (events: ReadonlyArray<Event>): ReadonlyArray<TaskAudit> => {
  const verdicts = new VerdictCollector(() => true)
  for (const event of events) verdicts.fold(event)
  const pass = begin(verdicts, undefined)
  return [...pass.fold(events), ...pass.rest()]
}

/**
 * A pass in progress.
 *
 * @internal
 */
export interface AuditPass {
  /** Folds events, and returns the audits of the tasks that they complete. */
  readonly fold: (events: ReadonlyArray<Event>) => ReadonlyArray<TaskAudit>
  /** Returns the audits of the remaining tasks. */
  readonly rest: () => ReadonlyArray<TaskAudit>
  /** Returns an error for a wanted task without events. */
  readonly missing: () => TaskNotFound | undefined
}

/**
 * Starts a pass over events, given all their verdicts.
 *
 * @param tasks only these tasks; undefined for all
 *
 * @internal
 */
export const begin = (verdicts: CollectedVerdicts, tasks: ReadonlyArray<string> | undefined): AuditPass => {
  const isWanted = wanted(tasks)
  const open = new Map<string, Sections.State>()
  const done = new Set<string>()

  const complete = (taskId: string, sections: Sections.State): ReadonlyArray<TaskAudit> => {
    open.delete(taskId)
    done.add(taskId)
    const audit = document(taskId, { sections, verdicts: verdicts.take(taskId) })
    return Either.match(audit, { onLeft: () => [], onRight: (known) => [known] })
  }

  const foldEvent = (event: Event): ReadonlyArray<TaskAudit> => {
    const { taskId } = event
    if (taskId === null || !isWanted(taskId) || done.has(taskId)) return []
    const before = open.get(taskId) ?? Sections.projection.initial
    const after = Projection.step(Sections.projection, before, event)
    if (after === before) return []
    if (Sections.complete(after)) return complete(taskId, after)
    open.set(taskId, after)
    return []
  }

  return {
    fold: (events) => events.flatMap(foldEvent),
    rest: () => [...open].flatMap(([taskId, sections]) => complete(taskId, sections)),
    missing: () => {
      const missing = tasks?.find((taskId) => !done.has(taskId) && !open.has(taskId))
      return missing === undefined ? undefined : new TaskNotFound({ taskId: missing })
    },
  }
}

/**
 * Makes a test whether a task is wanted.
 *
 * @internal
 */
export const wanted = (tasks: ReadonlyArray<string> | undefined): ((taskId: string) => boolean) => {
  const requested = tasks === undefined ? undefined : new Set(tasks)
  return (taskId) => requested === undefined || requested.has(taskId)
}
