/** Sessions that earlier servers left open, by a kill or in the middle of a conversation. */

import { Effect } from "effect"
import { EventLog, Exact } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { RecorderMeans } from "../events/vocabulary/Tasks.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as ConfirmationRequests from "../kernel/gate/ConfirmationRequests.ts"
import * as Recorders from "../kernel/recovery/Recorders.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as TaskList from "../projections/state/TaskList.ts"
import * as OpenedLog from "../record/log/OpenedLog.ts"
import * as LeftCalls from "./LeftCalls.ts"

type Means = RecorderMeans["means"]

/** Maximum number of sessions; the newest count. */
const MOST = 1_000

export interface LeftSessions {
  /** Whether the session's task, or a later part of it, is open. */
  readonly hasPartOf: (taskId: string) => boolean
  /** This server continues the session. */
  readonly take: (taskId: string) => void
  /** Closes the tasks of sessions that have been silent for longer than this. */
  readonly closeSilent: (idleMs: number, reason: string) => Promise<void>
}

/** Finds the sessions, and ends their calls that no client waits for any more. */
export const find = (opened: OpenedLog.OpenedLog, means: Means): Promise<LeftSessions> =>
  opened.run(
    Effect.gen(function* () {
      const log = yield* EventLog
      /** When each was last heard of, by the monotonic clock. */
      const left = new Map<string, number>()
      for (const [taskId] of (yield* TaskList.open(log)).slice(-MOST)) {
        const events = yield* leftEvents(taskId, means)
        if (events === undefined) continue
        yield* endUndispatched(taskId, events)
        left.set(taskId, MonotonicClock.momentOf(events.at(-1)?.recordedAt ?? 0))
      }
      return {
        hasPartOf: (taskId) => [...left.keys()].some((open) => open === taskId || open.startsWith(`${taskId}.`)),
        take: (taskId) => void left.delete(taskId),
        closeSilent: async (idleMs, reason) => {
          for (const [taskId, heardAt] of left) {
            if (performance.now() - heardAt <= idleMs) continue
            left.delete(taskId)
            await opened.run(close(taskId, means, reason))
          }
        },
      }
    }),
  )

/** The events of a session without a recorder; undefined for every other task. */
const leftEvents = (taskId: string, means: Means) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    if ((yield* Recorders.currentOf(log, taskId)) !== "left") return undefined
    const events = yield* OpenedLog.eventsOf(log, taskId)
    const [first] = events
    if (first === undefined || !is(first, "TaskOpened") || first.payload.recorder?.means !== means) return undefined
    return events
  })

const endUndispatched = (taskId: string, events: ReadonlyArray<Event>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { questions, denials } = LeftCalls.undispatched(events)
    for (const question of questions) yield* ConfirmationRequests.asking(log).withdraw(question, LeftCalls.NOBODY_WAITS)
    yield* append(taskId, events, denials)
  })

const close = (taskId: string, means: Means, reason: string) =>
  Effect.gen(function* () {
    const events = yield* leftEvents(taskId, means)
    if (events !== undefined) yield* append(taskId, events, LeftCalls.closing(LeftCalls.running(events), reason))
  })

/** Appends to a task, unless somebody else has done so since. */
const append = (
  taskId: string,
  past: ReadonlyArray<Event>,
  events: Parameters<EventLog.Service["append"]>[0]["events"],
) =>
  Effect.gen(function* () {
    const [opened] = past
    if (events.length === 0 || opened === undefined) return
    const stream = `task/${taskId}`
    const expected = Exact(past.findLast((event) => event.stream === stream)?.version ?? 0)
    const caused = events.map((event) => ({ causationId: opened.id, ...event }))
    yield* (yield* EventLog).append({ stream, taskId, actor: opened.actor, expected, events: caused })
  }).pipe(Effect.catchTag("VersionConflict", () => Effect.void))
