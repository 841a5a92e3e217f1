/** Derives the events that close a dead kernel's work from the log. Pure. */

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

export interface RecoveryAppend {
  readonly stream: string
  readonly taskId: string | null
  readonly expected: ExpectedVersion
  readonly events: ReadonlyArray<CoreNewEvent>
}

export type GoneReason = "its kernel ended" | "its recorder ended"

/** Why each task closes; `null` stands for work outside any task. */
export type GoneOf = (taskId: string | null) => GoneReason

const KERNEL_GONE: GoneReason = "its kernel ended"

/** Whether to close the open tasks of a dead kernel, or leave them for a resume. */
export type OnOpenTasks = "abandon" | "resume"

/** Open tasks with an agent, unless cancelled. A child must not outlive its parent, so that one is resumable, too. */
export const resumable = ({ tasks }: Unfinished): ReadonlyArray<readonly [taskId: string, task: Tasks.Task]> => {
  const found = new Set<string>()
  return Tasks.open(tasks).filter(([taskId, { agent, asked, parent }]) => {
    // Parents come before their children. The tasks of forks are never resumed.
    const mayGoOn = parent === undefined || (parent.timeline === undefined && isResumed(tasks, parent.taskId, found))
    if (agent === NO_AGENT || asked?.what === "cancelled" || !mayGoOn) return false
    found.add(taskId)
    return true
  })
}

/** An import may name a parent that the log does not have. */
const isResumed = (tasks: Tasks.Tasks, parent: string, resumable: ReadonlySet<string>): boolean =>
  resumable.has(parent) || SafeRecord.get(tasks, parent) === undefined

/**
 * The appends that close the work of a dead kernel, in order.
 *
 * @param orphanStates a missing process counts as gone
 * @param onOpenTasks "resume" leaves resumable tasks with their commands and confirmations
 * @param recorded tasks of recorders that may be alive: left alone
 * @param asking tasks whose runners may be alive: what they ask stands
 */
export const endings = (
  state: Unfinished,
  orphanStates: OrphanStates = new Map(),
  onOpenTasks: OnOpenTasks = "abandon",
  recorded: ReadonlySet<string> = new Set(),
  goneOf: GoneOf = () => KERNEL_GONE,
  asking: ReadonlySet<string> = new Set(),
): ReadonlyArray<RecoveryAppend> => {
  const left = new Set([...(onOpenTasks === "resume" ? resumable(state).map(([taskId]) => taskId) : []), ...recorded])
  return [
    ...questions(state, left, goneOf, asking),
    ...requests(state, recorded),
    ...processes(state, orphanStates),
    ...tasks(state).flatMap((taskId) => (left.has(taskId) ? [] : (taskEnding(state, taskId, goneOf(taskId)) ?? []))),
  ]
}

/** Closes a forked task, from that task's events. The caller adds the expected versions. */
export const endingsInFork = (state: Unfinished, taskId: string): ReadonlyArray<Omit<RecoveryAppend, "expected">> => [
  ...questions(state),
  ...requests(state),
  ...[taskEnding(state, taskId)].filter((ending) => ending !== undefined),
]

/**
 * Withdraws confirmations, unless another process decides one first. Those of commands stand in tasks that stay open;
 * those of host requests do not, because the asking process is gone.
 *
 * @param others tasks that another process works on: their questions stand
 */
const questions = (
  { confirmations }: Unfinished,
  left: ReadonlySet<string> = new Set(),
  goneOf: GoneOf = () => KERNEL_GONE,
  others: ReadonlySet<string> = new Set(),
): ReadonlyArray<RecoveryAppend> =>
  Object.entries(confirmations)
    .filter(([, { taskId, commandId }]) => {
      if (taskId === null) return true
      return !others.has(taskId) && (commandId === undefined || !left.has(taskId))
    })
    .map(([confirmationId, { taskId }]) => ({
      stream: `confirmation/${confirmationId}`,
      taskId,
      expected: Exact(1),
      events: [{ type: "ConfirmationWithdrawn", payload: { confirmationId, reason: goneOf(taskId) } }],
    }))

export const questionsOf = (
  state: Unfinished,
  taskId: string,
  reason: GoneReason = KERNEL_GONE,
): ReadonlyArray<RecoveryAppend> =>
  questions(state, new Set(), () => reason).filter((ending) => ending.taskId === taskId)

/**
 * The appends that a runner makes when it declares another one's session lost: they end its processes, and settle the
 * open host requests of its tasks and the questions about them.
 *
 * @param lostProcesses those of the session
 */
export const endingsOfSession = (
  state: Unfinished,
  lostProcesses: Unfinished["processes"],
  orphanStates: OrphanStates,
  taskIds: ReadonlySet<string>,
): ReadonlyArray<RecoveryAppend> => [
  ...[...questions(state, taskIds), ...requests(state)].filter(({ taskId }) => taskId !== null && taskIds.has(taskId)),
  ...processes({ ...state, processes: lostProcesses }, orphanStates),
]

/**
 * Answers open host requests as unknown: they may have taken effect.
 *
 * @param others tasks that another process works on
 */
const requests = ({ requests }: Unfinished, others: ReadonlySet<string> = new Set()): ReadonlyArray<RecoveryAppend> =>
  Object.values(requests)
    .filter(({ taskId }) => taskId === null || !others.has(taskId))
    .map(({ plugin, requestId, taskId, causationId }) => ({
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

/** Records the exits of processes without a living kernel, with their commands in flight. */
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
 * The events that close an unfinished task: `CommandOutcomeUnknown` for dispatched commands, which may have taken
 * effect, `CommandDenied` for the others, then `TaskClosed(abandoned)`. Undefined if the task has ended.
 *
 * The append expects the version of the folded stream. If the old kernel is alive and dispatches first, this append
 * conflicts and is derived again; if this append wins, that dispatch conflicts.
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
