/** Opens a log and one task in it for a recorder, or a fork of one. */

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

export interface OpenedRun extends OpenedLog.BegunRun {
  readonly close: () => Promise<void>
}

export interface Recording {
  /** How the recorder sees requests. Default: through the program itself. */
  readonly means?: RecorderMeans | undefined
}

/**
 * Opens a log, closes what dead recorders left open, and begins or continues a task.
 *
 * @param isSilent whether to suppress warnings
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

export interface Forking extends Recording {
  readonly log: string
  readonly taskId: string
  /** The parent timeline and the last shared position. */
  readonly parent: string
  readonly at: number
  readonly timeline: string
  readonly agent: string
  readonly overrides: JsonObject
  /** Whether to trust a log that this user did not write on this machine. Default: false. */
  readonly trust?: boolean | undefined
}

/** Opens a log, closes what dead recorders left open, and forks a recorded task. */
export const fork = ({ log: filename, ...forking }: Forking, isSilent: () => boolean): Promise<OpenedRun> =>
  OpenedLog.opening(filename, isSilent, (opened, scope) =>
    Effect.gen(function* () {
      const { taskId, parent, at, timeline, agent, overrides, trust = false, means } = forking
      const log = yield* EventLog
      // Recorded answers steer a program that then acts for real.
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
