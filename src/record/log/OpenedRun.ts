/** Opens a log and a task in it for a recorder: without a kernel and without a lease. */

import { Effect } from "effect"
import { EventLog, NoStream } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import * as TimelineName from "../../kernel/fork/TimelineName.ts"
import * as Trust from "../../kernel/trust/Trust.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as LeftRuns from "./LeftRuns.ts"
import * as OpenedLog from "./OpenedLog.ts"

/** A task that is open, in a log that is open. */
export interface OpenedRun extends OpenedLog.BegunRun {
  /** Closes the log. */
  readonly close: () => Promise<void>
}

/** How a run is recorded. */
export interface Recording {
  /** How it sees requests. Default: by the program itself. */
  readonly means?: RecorderMeans | undefined
}

/**
 * Opens a log, closes what dead recorders left open in it, and opens a task, or continues one.
 *
 * @param isSilent whether warnings are left out
 */
export const open = async (
  { log, means, ...task }: OpenedLog.NewTask & Recording & { readonly log: string },
  isSilent: () => boolean,
): Promise<OpenedRun> => {
  const continues = task.continue === true ? task.id : undefined
  const opened = await OpenedLog.open({ log, isSilent, means, continues })
  try {
    return { ...(await opened.begin(task)), close: opened.close }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Where a run goes on in a task that was recorded. */
export interface Forking extends Recording {
  readonly log: string
  readonly taskId: string
  /** The timeline that it leaves, and the last position that the two share. */
  readonly parent: string
  readonly at: number
  /** The name of the new timeline. */
  readonly timeline: string
  readonly agent: string
  /** What is otherwise than in the parent. */
  readonly overrides: JsonObject
  /** Whether a log that this user did not write on this machine is trusted. Default: false. */
  readonly trust?: boolean | undefined
}

/** Opens a log, closes what dead recorders left open in it, and opens a timeline on which a recorded task goes on. */
export const fork = ({ log: filename, ...forking }: Forking, isSilent: () => boolean): Promise<OpenedRun> =>
  OpenedLog.opening(filename, isSilent, (opened, scope) =>
    Effect.gen(function* () {
      const { taskId, parent, at, timeline, agent, overrides, trust = false, means } = forking
      const log = yield* EventLog
      // The recorded answers lead a program that then acts.
      yield* Effect.provide(Trust.assertTrusted(trust ? "option" : undefined), Projector.layer)
      yield* LeftRuns.abandon(scope)
      const known = yield* Timelines.list(log)
      yield* TimelineName.checked(
        timeline,
        known.map(({ name }) => name),
      )
      const view = Timelines.view(
        log,
        Timelines.branch(
          yield* Timelines.named(log, parent).pipe(Effect.map((found) => Timelines.view(log, found))),
          timeline,
          at,
        ),
      )
      const actor = `agent:${agent}`
      const recorder = yield* OpenedLog.announced(scope, means)
      const payload = { timeline, parent, at, overrides: { ...overrides, agent, io: "live", recorder } }
      const { events, position } = yield* view
        .append({
          stream: `timeline/${timeline}`,
          taskId,
          actor,
          expected: NoStream,
          events: [{ type: "TimelineForked", payload }],
        })
        .pipe(Effect.catchTag("VersionConflict", () => TimelineName.taken(timeline)))
      const target = { log: view, taskId, actor, opened: { id: events[0]?.id ?? "", version: 0, position } }
      const isPast = (event: Event) => event.position <= at || event.id === target.opened.id
      const past = (yield* OpenedLog.eventsOf(view, taskId)).filter(isPast)
      return { ...OpenedLog.begun(opened, target, past, recorder.identity), close: opened.close }
    }),
  )
