/** Tells what goes on in an open task: an open task is not necessarily at work. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Lease } from "../../events/log/Lease.ts"
import { Presence, type WriterState } from "../../events/log/Presence.ts"
import type { Recorder } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Capture from "../../projections/state/Capture.ts"
import type { Task } from "../../projections/state/Tasks.ts"
import type { Activity } from "../../projections/summary/Activity.ts"
import * as Recorders from "./Recorders.ts"
import * as StaleForks from "./StaleForks.ts"

/** The writers of a log, as far as they can be asked. */
export interface Writers {
  readonly lease: Pick<Lease.Service, "holder"> | undefined
  readonly presence: Presence.Service | undefined
}

/** Time for a look at the lease: a holder elsewhere is known only by its heartbeats. */
const MAX_LOOK = "300 millis"

/** Whether a kernel lives that can work on the log. */
export const kernelState = ({ lease }: Writers): Effect.Effect<WriterState, LogError> =>
  lease === undefined
    ? Effect.succeed("unknown")
    : lease.holder.pipe(
        Effect.map((holder): WriterState => (holder === undefined ? "gone" : "alive")),
        Effect.timeoutTo({ duration: MAX_LOOK, onTimeout: (): WriterState => "unknown", onSuccess: (state) => state }),
      )

/** An open task, on the timeline that shows it. */
export interface OpenTask {
  readonly taskId: string
  readonly timeline: string
  readonly asked?: Task["asked"]
  /** Number of its questions to people without an answer. */
  readonly questions: number
}

/** The activity of an open task, given the state of the log's kernel. */
export const of = (
  log: EventLog.Service,
  { presence }: Pick<Writers, "presence">,
  kernel: WriterState,
  { asked, questions, ...task }: OpenTask,
): Effect.Effect<Activity, LogError> =>
  Effect.gen(function* () {
    const writer = yield* writerOf(log, task)
    if (writer === undefined) return "unfinished"
    const state = writer === "kernel" ? kernel : yield* recorderState(presence, writer)
    if (state !== "alive") return state === "gone" ? "stopped" : "unknown"
    if (questions > 0) return "waiting"
    return asked?.what === "paused" ? "paused" : "running"
  })

/** The writer of a task: the log's kernel or a recorder; undefined if it is an import, or another recorder may join. */
const writerOf = (
  log: EventLog.Service,
  { taskId, timeline }: Pick<OpenTask, "taskId" | "timeline">,
): Effect.Effect<Recorder | "kernel" | undefined, LogError> =>
  Effect.gen(function* () {
    const [forked] = yield* log.readPage({ timeline, taskId, types: ["TimelineForked"] }, 1)
    if (forked !== undefined) return StaleForks.recorderOf(forked) ?? "kernel"
    const recorder = yield* Recorders.currentOf(log, taskId)
    if (recorder !== undefined) return recorder === "left" ? undefined : recorder
    const [opened] = yield* log.readPage({ timeline, taskId, types: ["TaskOpened"] }, 1)
    const isImported =
      opened !== undefined && is(opened, "TaskOpened") && Capture.isCaptured(opened.payload, opened.actor)
    return isImported ? undefined : "kernel"
  })

const recorderState = (presence: Presence.Service | undefined, recorder: Recorder) =>
  presence === undefined
    ? Effect.succeed<WriterState>("unknown")
    : Effect.provideService(Recorders.stateOf(recorder), Presence, presence)
