/** Closes the forked tasks that a dead kernel or recorder left open. */

import { Effect, Schema } from "effect"
import {
  Any,
  type AppendError,
  EventLog,
  Exact,
  type ExpectedVersion,
  type LogError,
  NoStream,
} from "../../events/log/EventLog.ts"
import type { Presence } from "../../events/log/Presence.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Recorder } from "../../events/vocabulary/Tasks.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { fold } from "../../projections/fold/Projection.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"
import * as Recorders from "./Recorders.ts"
import * as RecoveryPlan from "./RecoveryPlan.ts"

/**
 * Closes the open tasks of forks, each on its own timeline.
 *
 * @param isLeft whether the writer of an event that recorded a fork is gone
 * @param closed receives each `TaskClosed` with the log's view of its timeline
 */
export const endAll = <E, R, R2>(
  isLeft: (forked: Event) => Effect.Effect<boolean, LogError, R2>,
  closed: (view: EventLog.Service, event: Event) => Effect.Effect<void, E, R>,
): Effect.Effect<void, AppendError | E, EventLog | R | R2> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    for (const timeline of yield* Timelines.list(log)) {
      const { forked } = timeline
      const taskId = forked?.taskId ?? null
      if (forked === null || taskId === null || !(yield* isLeft(forked))) continue
      const view = Timelines.view(log, timeline)
      const event = yield* endOne(log, view, taskId)
      if (event !== undefined) yield* closed(view, event)
    }
  })

/** For a holder of the lease, all forks of kernels are left, and those of dead recorders. */
export const isLeftByKernel = (forked: Event) =>
  recorderOf(forked) === undefined ? Effect.succeed(true) : isLeftByRecorder(forked)

/** Tells whether a recorder made the fork, and is gone. */
export const isLeftByRecorder = (forked: Event): Effect.Effect<boolean, LogError, Presence> => {
  const recorder = recorderOf(forked)
  return recorder === undefined
    ? Effect.succeed(false)
    : Effect.map(Recorders.stateOf(recorder), (state) => state === "gone")
}

/** The recorder of a fork; undefined for a kernel's fork. */
export const recorderOf = (forked: Event): Recorder | undefined => {
  if (!Vocabulary.is(forked, "TimelineForked")) return undefined
  const { recorder } = forked.payload.overrides
  return Schema.is(Recorder)(recorder) ? recorder : undefined
}

/** Closes one fork's task; undefined if it had ended. */
const endOne = (
  log: EventLog.Service,
  view: EventLog.Service,
  taskId: string,
): Effect.Effect<Event | undefined, AppendError> =>
  Effect.gen(function* () {
    const { timeline } = view
    const [ended] = yield* log.readPage({ timeline, taskId, types: ["TaskClosed"] }, 1)
    if (ended !== undefined) return undefined
    const events: Array<Event> = []
    yield* Pages.forEach(view.readPage, { timeline, taskId }, (page) => {
      events.push(...page)
    })
    const state = fold(Unfinished.projection, events)
    let close: Event | undefined
    for (const ending of RecoveryPlan.endingsInFork(state, taskId)) {
      const expected = expectedOf(events, timeline, ending.stream)
      const recorded = yield* view.append({ ...ending, expected, actor: "kernel" }).pipe(
        Effect.map((appended) => appended.events),
        // The earlier kernel was only suspended and appended in the meantime: read its events and derive again.
        Effect.catchTag("VersionConflict", () => Effect.succeed(undefined)),
      )
      if (recorded === undefined) return yield* endOne(log, view, taskId)
      close ??= recorded.find((event) => Vocabulary.is(event, "TaskClosed"))
    }
    return close
  })

/** Counts the fork's own events only. Plugins' streams go unchecked. */
const expectedOf = (events: ReadonlyArray<Event>, timeline: string, stream: string): ExpectedVersion => {
  if (stream.startsWith("plugin/")) return Any
  const last = events.findLast((event) => event.timeline === timeline && event.stream === stream)
  return last === undefined ? NoStream : Exact(last.version)
}
