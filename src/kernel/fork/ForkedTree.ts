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
    const members = yield* TaskList.standings(log)
    // Also the children that a forked timeline shares with those that it was forked from.
    const before = parent.spans.flatMap((span): ReadonlyArray<Started> => {
      const until = Math.min(span.until, at)
      const children = TaskTree.childrenOf(members, { taskId, timeline: span.timeline })
      return children
        .filter(([, { from }]) => from <= until)
        .map(([id, { parent }]) => ({ id, until, isCalled: parent?.commandId !== undefined }))
    })
    // A task is not forked while a command of its own runs, so that the agents that it called had answered.
    const left = yield* Effect.filter(before, (child) =>
      child.isCalled ? Effect.succeed(false) : Effect.map(isClosed(log, child), (closed) => !closed),
    )
    const kept = before.filter((child) => !left.includes(child))
    return { above, kept: kept.map(({ id }) => id), left: left.map(({ id }) => id) }
  })

/** A child that was started before the moment of the fork. */
interface Started {
  readonly id: string
  /** Whether a command of its parent called its agent; a program started it otherwise. */
  readonly isCalled: boolean
  /** The last position of its parent's timeline that the fork shares. */
  readonly until: number
}

const isClosed = (log: EventLog.Service, { id, until }: Started): Effect.Effect<boolean, LogError> =>
  Effect.map(
    log.readPage({ timeline: MAIN, taskId: id, types: ["TaskClosed"], until }, 1),
    (events) => events.length > 0,
  )
