/** Derives, from the log, the events that close what a dead kernel left unfinished. Pure. */

import { Any, type CoreNewEvent, Exact, type ExpectedVersion } from "../../events/log/EventLog.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import type { Unfinished } from "../../projections/unfinished/Unfinished.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { cancelledReason } from "../context/TaskLifecycle.ts"
import { KERNEL } from "../instances/Instance.ts"
import { NO_AGENT } from "../tasks/OpenOptions.ts"
import type { OrphanState, OrphanStates } from "./OrphanProcesses.ts"

/** The closing events of one stream, appended in one commit. */
export interface RecoveryAppend {
  readonly stream: string
  readonly taskId: string | null
  readonly expected: ExpectedVersion
  readonly events: ReadonlyArray<CoreNewEvent>
}

/** Why a task that nobody works on any more is closed. */
export type GoneReason = "its kernel ended" | "its recorder ended"

/** Why each task is closed; `null` stands for what belongs to no task. */
export type GoneOf = (taskId: string | null) => GoneReason

const KERNEL_GONE: GoneReason = "its kernel ended"

/** What becomes of the tasks that a dead kernel left open. */
export type OnOpenTasks = "abandon" | "resume"

/** The open tasks that can be resumed: those with an agent that nobody cancelled. */
export const resumable = ({ tasks }: Unfinished): ReadonlyArray<readonly [taskId: string, task: Tasks.Task]> =>
  Tasks.open(tasks).filter(([, { agent, asked }]) => agent !== NO_AGENT && asked?.what !== "cancelled")

/**
 * The appends that close the work of a dead kernel, in order. Pure.
 *
 * @param orphanStates the states of its processes; one that is missing is gone
 * @param onOpenTasks whether tasks that can be resumed, their commands and the questions about these, are left as they
 * are
 * @param recorded the tasks that recorders may be at work on, which are left as they are
 * @param goneOf why a task is closed
 */
export const endings = (
  state: Unfinished,
  orphanStates: OrphanStates = new Map(),
  onOpenTasks: OnOpenTasks = "abandon",
  recorded: ReadonlySet<string> = new Set(),
  goneOf: GoneOf = () => KERNEL_GONE,
): ReadonlyArray<RecoveryAppend> => {
  const left = new Set([...(onOpenTasks === "resume" ? resumable(state).map(([taskId]) => taskId) : []), ...recorded])
  return [
    ...questions(state, left, goneOf),
    ...requests(state),
    ...processes(state, orphanStates),
    ...tasks(state).flatMap((taskId) => (left.has(taskId) ? [] : (taskEnding(state, taskId, goneOf(taskId)) ?? []))),
  ]
}

/**
 * The appends that close a forked task, from that task's events. The caller, which knows the timeline, adds the
 * expected versions.
 */
export const endingsInFork = (state: Unfinished, taskId: string): ReadonlyArray<Omit<RecoveryAppend, "expected">> => [
  ...questions(state),
  ...requests(state),
  ...[taskEnding(state, taskId)].filter((ending) => ending !== undefined),
]

/**
 * Withdraws confirmations, unless another process decides one first. Those about commands of tasks that are left open
 * still stand. Those about a plugin's host requests do not: the process that made the request is gone.
 */
const questions = (
  { confirmations }: Unfinished,
  left: ReadonlySet<string> = new Set(),
  goneOf: GoneOf = () => KERNEL_GONE,
): ReadonlyArray<RecoveryAppend> =>
  Object.entries(confirmations)
    .filter(([, { taskId, commandId }]) => commandId === undefined || taskId === null || !left.has(taskId))
    .map(([confirmationId, { taskId }]) => ({
      stream: `confirmation/${confirmationId}`,
      taskId,
      expected: Exact(1),
      events: [{ type: "ConfirmationWithdrawn", payload: { confirmationId, reason: goneOf(taskId) } }],
    }))

/** Withdraws the confirmations of one task. */
export const questionsOf = (
  state: Unfinished,
  taskId: string,
  reason: GoneReason = KERNEL_GONE,
): ReadonlyArray<RecoveryAppend> =>
  questions(state, new Set(), () => reason).filter((ending) => ending.taskId === taskId)

/** Answers open host requests. They may have taken effect. */
const requests = ({ requests }: Unfinished): ReadonlyArray<RecoveryAppend> =>
  Object.values(requests).map(({ plugin, requestId, taskId, causationId }) => ({
    stream: `plugin/${plugin}`,
    taskId,
    expected: Any,
    events: [
      {
        type: "BrokerAnswered",
        ...(causationId === null ? {} : { causationId }),
        payload: {
          plugin,
          requestId,
          error: { code: "OutcomeUnknown", message: `${KERNEL_GONE}; whether it took effect is not known` },
        },
      },
    ],
  }))

/** Records the exit of processes that no other kernel may use, with the commands that were in flight. */
const processes = (state: Unfinished, orphanStates: OrphanStates): ReadonlyArray<RecoveryAppend> =>
  Object.entries(state.processes).flatMap(([key, { plugin, instance, pid, kernel }]) => {
    const orphanState = orphanStates.get(key) ?? "gone"
    if (orphanState === "in use") return []
    const inFlight = inFlightCommands(state, plugin, instance)
    const signal = orphanState === "killed" ? "SIGKILL" : null
    return {
      stream: `plugin/${plugin}`,
      taskId: Object.hasOwn(state.tasks, instance) ? instance : null,
      expected: Any,
      events: [
        {
          type: "PluginExited",
          payload: {
            plugin,
            instance,
            pid,
            code: null,
            signal,
            inFlight,
            reason: KERNEL_GONE + ORPHAN_REASONS[orphanState],
            ...defined({ kernel }),
          },
        },
      ],
    }
  })

const ORPHAN_REASONS: { readonly [orphanState in Exclude<OrphanState, "in use">]: string } = {
  gone: "",
  killed: "; the process was still running, and was killed",
  doubtful: "; a process with its id runs a plugin, but may be another: end it by hand if it is of no use",
}

/** The commands that a process had been sent without an outcome, as far as the log shows. */
const inFlightCommands = ({ environment }: Unfinished, plugin: string, instance: string): ReadonlyArray<string> =>
  Object.entries(environment.tasks)
    .filter(([taskId]) => instance === KERNEL || instance === taskId)
    .flatMap(([, { pending }]) => Object.values(pending))
    .filter(({ status, actuator }) => status === "dispatched" && actuator.startsWith(`${plugin}/`))
    .map(({ actuator }) => `act ${actuator}`)

const tasks = ({ environment, tasks }: Unfinished): ReadonlyArray<string> => {
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
  { environment, tasks, versions }: Unfinished,
  taskId: string,
  gone: GoneReason = KERNEL_GONE,
): RecoveryAppend | undefined => {
  const { pending } = EnvironmentState.taskScope(environment, taskId)
  const commands = Object.entries(pending).map(
    ([commandId, { status }]): CoreNewEvent =>
      status === "dispatched"
        ? { type: "CommandOutcomeUnknown", payload: { commandId } }
        : {
            type: "CommandDenied",
            payload: { commandId, rule: "recovery", reason: `${gone} before the command was dispatched` },
          },
  )
  const task = SafeRecord.get(tasks, taskId)
  const reason = task?.asked?.what === "cancelled" ? cancelledReason(task.asked.by, task.asked.reason) : gone
  const closed: ReadonlyArray<CoreNewEvent> =
    task?.outcome === null ? [{ type: "TaskClosed", payload: { outcome: "abandoned", reason } }] : []
  const events = [...commands, ...closed]
  const version = SafeRecord.get(versions, taskId)
  const expected = version === undefined ? Any : Exact(version)
  return events.length === 0 ? undefined : { stream: streamOf(taskId), taskId, expected, events }
}

const streamOf = (taskId: string) => `task/${taskId}`
