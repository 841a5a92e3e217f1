/** Derives, from the log, the events that close what a dead kernel left unfinished. Pure. */

import { Schema } from "effect"
import { Any, type CoreNewEvent, Exact, type ExpectedVersion } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Projection from "../../projections/fold/Projection.ts"
import type { RecordBuilder } from "../../projections/fold/RecordBuilder.ts"
import { recordProjection } from "../../projections/fold/RecordProjection.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"
import * as Processes from "../../projections/state/Processes.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { cancelledReason } from "../context/TaskLifecycle.ts"
import { KERNEL } from "../instances/Instances.ts"
import { NO_AGENT } from "../tasks/OpenOptions.ts"
import * as OpenRequests from "./OpenRequests.ts"
import type { OrphanState, OrphanStates } from "./OrphanProcesses.ts"

/** The version of each open task's stream, by task id. */
const Versions = Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({ identifier: "TaskVersions" })

const takeVersion = (versions: RecordBuilder<number>, event: Event): void => {
  const { taskId, stream, version } = event
  if (taskId === null || stream !== streamOf(taskId)) return
  if (is(event, "TaskClosed")) versions.remove(taskId)
  else if (is(event, "TaskOpened") || versions.get(taskId) !== undefined) versions.set(taskId, version)
}

const taskVersions = recordProjection({ name: "TaskVersions", version: 1, state: Versions, apply: takeVersion })

/** The state of a log that recovery needs. */
export const unfinished = Projection.combine({
  environment: EnvironmentState.projection,
  confirmations: PendingConfirmations.projection,
  processes: Processes.projection,
  requests: OpenRequests.projection,
  tasks: Tasks.projection,
  versions: taskVersions,
})

export type UnfinishedTask = (typeof unfinished)["initial"]

/** The closing events of one stream, appended in one commit. */
export interface RecoveryAppend {
  readonly stream: string
  readonly taskId: string | null
  readonly expected: ExpectedVersion
  readonly events: ReadonlyArray<CoreNewEvent>
}

/** What becomes of the tasks that a dead kernel left open. */
export type OnOpenTasks = "abandon" | "resume"

/** The open tasks that can be resumed: those with an agent that nobody cancelled. */
export const resumable = ({ tasks }: UnfinishedTask): ReadonlyArray<readonly [taskId: string, task: Tasks.Task]> =>
  Tasks.open(tasks).filter(([, { agent, asked }]) => agent !== NO_AGENT && asked?.what !== "cancelled")

/**
 * The appends that close the work of a dead kernel, in order. Pure.
 *
 * @param orphanStates the states of its processes; one that is missing is gone
 * @param onOpenTasks whether tasks that can be resumed, their commands and the questions about these, are left as they
 * are
 */
export const endings = (
  state: UnfinishedTask,
  orphanStates: OrphanStates = new Map(),
  onOpenTasks: OnOpenTasks = "abandon",
): ReadonlyArray<RecoveryAppend> => {
  const left = new Set(onOpenTasks === "resume" ? resumable(state).map(([taskId]) => taskId) : [])
  return [
    ...questions(state, left),
    ...requests(state),
    ...processes(state, orphanStates),
    ...tasks(state).flatMap((taskId) => (left.has(taskId) ? [] : (taskEnding(state, taskId) ?? []))),
  ]
}

/**
 * The appends that close a forked task, from that task's events. The caller, which knows the timeline, adds the
 * expected versions.
 */
export const endingsInFork = (
  state: UnfinishedTask,
  taskId: string,
): ReadonlyArray<Omit<RecoveryAppend, "expected">> => [
  ...questions(state),
  ...requests(state),
  ...[taskEnding(state, taskId)].filter((ending) => ending !== undefined),
]

/**
 * Withdraws confirmations, unless another process decides one first. Those about commands of tasks that are left open
 * still stand. Those about a plugin's host requests do not: the process that made the request is gone.
 */
const questions = (
  { confirmations }: UnfinishedTask,
  left: ReadonlySet<string> = new Set(),
): ReadonlyArray<RecoveryAppend> =>
  Object.entries(confirmations)
    .filter(([, { taskId, commandId }]) => commandId === undefined || taskId === null || !left.has(taskId))
    .map(([confirmationId, { taskId }]) => ({
      stream: `confirmation/${confirmationId}`,
      taskId,
      expected: Exact(1),
      events: [{ type: "ConfirmationWithdrawn", payload: { confirmationId, reason: GONE } }],
    }))

/** Withdraws the confirmations of one task. */
export const questionsOf = (state: UnfinishedTask, taskId: string): ReadonlyArray<RecoveryAppend> =>
  questions(state).filter((ending) => ending.taskId === taskId)

/** Answers open host requests. They may have taken effect. */
const requests = ({ requests }: UnfinishedTask): ReadonlyArray<RecoveryAppend> =>
  Object.values(requests).map(({ plugin, requestId, taskId, causationId }) => ({
    stream: `plugin/${plugin}`,
    taskId,
    expected: Any,
    events: [
      {
        type: "BrokerAnswered",
        ...(causationId === null ? {} : { causationId }),
        payload: {
          ...{ plugin, requestId },
          error: { code: "OutcomeUnknown", message: `${GONE}; whether it took effect is not known` },
        },
      },
    ],
  }))

/** Records the exit of processes, with the commands that were in flight. */
const processes = (state: UnfinishedTask, orphanStates: OrphanStates): ReadonlyArray<RecoveryAppend> =>
  Object.values(state.processes).map(({ plugin, instance, pid }) => {
    const orphanState = orphanStates.get(pid) ?? "gone"
    const inFlight = inFlightCommands(state, plugin, instance)
    const signal = orphanState === "killed" ? "SIGKILL" : null
    return {
      stream: `plugin/${plugin}`,
      taskId: Object.hasOwn(state.tasks, instance) ? instance : null,
      expected: Any,
      events: [
        {
          type: "PluginExited",
          payload: { plugin, instance, pid, code: null, signal, inFlight, reason: GONE + ORPHAN_REASONS[orphanState] },
        },
      ],
    }
  })

const ORPHAN_REASONS: { readonly [orphanState in OrphanState]: string } = {
  gone: "",
  killed: "; the process was still running, and was killed",
  doubtful: "; a process with its id runs a plugin, but may be another: end it by hand if it is of no use",
}

/** The commands that a process had been sent without an outcome, as far as the log shows. */
const inFlightCommands = ({ environment }: UnfinishedTask, plugin: string, instance: string): ReadonlyArray<string> =>
  Object.entries(environment.tasks)
    .filter(([taskId]) => instance === KERNEL || instance === taskId)
    .flatMap(([, { pending }]) => Object.values(pending))
    .filter(({ status, actuator }) => status === "dispatched" && actuator.startsWith(`${plugin}/`))
    .map(({ actuator }) => `act ${actuator}`)

const tasks = ({ environment, tasks }: UnfinishedTask): ReadonlyArray<string> => {
  const open = Tasks.open(tasks).map(([taskId]) => taskId)
  return [...open, ...Object.keys(environment.tasks).filter((taskId) => !open.includes(taskId))]
}

/**
 * The events that close an unfinished task, or undefined if it has ended: `CommandOutcomeUnknown` for dispatched
 * commands without an outcome, which may have taken effect; `CommandDenied` for the others, which were not executed;
 * then `TaskClosed(abandoned)`, since its agent and environments are gone, or because it was cancelled.
 *
 * The append expects the stream version that was folded. If the old kernel is alive and dispatches first, this append
 * conflicts and is computed again; if this append comes first, the old kernel's dispatch conflicts.
 */
export const taskEnding = (
  { environment, tasks, versions }: UnfinishedTask,
  taskId: string,
): RecoveryAppend | undefined => {
  const { pending } = EnvironmentState.taskScope(environment, taskId)
  const commands = Object.entries(pending).map(
    ([commandId, { status }]): CoreNewEvent =>
      status === "dispatched"
        ? { type: "CommandOutcomeUnknown", payload: { commandId } }
        : {
            type: "CommandDenied",
            payload: { commandId, rule: "recovery", reason: `${GONE} before the command was dispatched` },
          },
  )
  const task = SafeRecord.get(tasks, taskId)
  const reason = task?.asked?.what === "cancelled" ? cancelledReason(task.asked.by, task.asked.reason) : GONE
  const closed: ReadonlyArray<CoreNewEvent> =
    task?.outcome === null ? [{ type: "TaskClosed", payload: { outcome: "abandoned", reason } }] : []
  const events = [...commands, ...closed]
  const version = SafeRecord.get(versions, taskId)
  const expected = version === undefined ? Any : Exact(version)
  return events.length === 0 ? undefined : { stream: streamOf(taskId), taskId, expected, events }
}

const streamOf = (taskId: string) => `task/${taskId}`

const GONE = "its kernel ended"
