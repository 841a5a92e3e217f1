/** What becomes of the tasks above and below a forked one: the fork continues one task, and no other. */

import { Effect } from "effect"
import { type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as ParentOf from "../../projections/state/environment/ParentOf.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"
import type { Point } from "../replay/DecisionPoint.ts"

/** The tree of a forked task. */
export interface ForkedTree {
  /** The task that started it, which is not continued and keeps the recorded answer; null if nobody did. */
  readonly above: string | null
  /** Children that had ended by the moment: the fork has what they answered. */
  readonly kept: ReadonlyArray<string>
  /** Children of a program that were at work: they are not part of the fork. */
  readonly left: ReadonlyArray<string>
}

/**
 * Finds the tree at the moment of a fork.
 *
 * @param log the log's `main` timeline, on which all children are
 * @param parent the timeline that is forked
 */
export const at = (
  log: EventLog.Service,
  parent: EventLog.Service,
  { at, recording: { taskId, opened } }: Point,
): Effect.Effect<ForkedTree, LogError> =>
  Effect.gen(function* () {
    const above = ParentOf.parentOf(opened.payload)?.taskId ?? null
    const children = TaskTree.childrenOf(yield* TaskList.standings(log), { taskId, timeline: parent.timeline })
    const before = children.filter(([, { from }]) => from <= at)
    // A task is not forked while a command of its own runs, so that the agents that it called had answered.
    const started = before.flatMap(([id, { parent }]) => (parent?.commandId === undefined ? [id] : []))
    const closed = yield* closedBefore(log, started, at)
    const left = started.filter((id) => !closed.has(id))
    return { above, kept: before.flatMap(([id]) => (left.includes(id) ? [] : [id])), left }
  })

const closedBefore = (log: EventLog.Service, tasks: ReadonlyArray<string>, until: number) =>
  Effect.map(
    Effect.filter(tasks, (taskId) =>
      Effect.map(
        log.readPage({ timeline: MAIN, taskId, types: ["TaskClosed"], until }, 1),
        (events) => events.length > 0,
      ),
    ),
    (closed) => new Set(closed),
  )
