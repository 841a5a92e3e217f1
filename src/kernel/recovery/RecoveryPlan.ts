import { Schema } from "effect"
import { Any, type CoreNewEvent, Exact, type Expected } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Projection from "../../projections/fold/Projection.ts"
import { RecordBuilder } from "../../projections/fold/RecordBuilder.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"
import * as Processes from "../../projections/state/Processes.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { KERNEL } from "../instances/Instances.ts"
import * as OpenRequests from "./OpenRequests.ts"
import type { OrphanState, OrphanStates } from "./OrphanProcesses.ts"

/** The version of every open task's stream, by the task's id. */
const Versions = Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({ identifier: "TaskVersions" })

const takeVersion = (versions: RecordBuilder<number>, event: Event): void => {
  const { taskId, stream, version } = event
  if (taskId === null || stream !== streamOf(taskId)) return
  if (is(event, "TaskClosed")) versions.remove(taskId)
  else if (is(event, "TaskOpened") || versions.get(taskId) !== undefined) versions.set(taskId, version)
}

const versionsDraft = (from: typeof Versions.Type, own: boolean): Projection.StateBuilder<typeof Versions.Type> => {
  const versions = new RecordBuilder(from, own)
  return {
    take: (event) => takeVersion(versions, event),
    state: () => versions.record(),
    paged: () => versions.paged(),
  }
}

const taskVersions: Projection.Projection<typeof Versions.Type> = {
  name: "TaskVersions",
  version: 1,
  state: Versions,
  initial: {},
  evolve: Projection.evolveFrom(versionsDraft),
  draft: versionsDraft,
}

/** What has to be known of a log to recover from a kernel's death. */
export const unfinished = Projection.combine({
  environment: EnvironmentState.projection,
  confirmations: PendingConfirmations.projection,
  processes: Processes.projection,
  requests: OpenRequests.projection,
  tasks: Tasks.projection,
  versions: taskVersions,
})

export type UnfinishedTask = (typeof unfinished)["initial"]

/** What is left to say in one stream, in one commit. */
export interface RecoveryAppend {
  readonly stream: string
  readonly taskId: string | null
  readonly expected: Expected
  readonly events: ReadonlyArray<CoreNewEvent>
}

/**
 * What is left to say after a kernel died, in the order in which it is said. Pure.
 *
 * @param fates what became of its processes; one that is not in it is gone
 */
export const endings = (state: UnfinishedTask, fates: OrphanStates = new Map()): ReadonlyArray<RecoveryAppend> => [
  ...questions(state),
  ...requests(state),
  ...processes(state, fates),
  ...tasks(state).flatMap((taskId) => taskEnding(state, taskId) ?? []),
]

/** The same of the fork of a task, from that task's events. What is expected of the streams is for who knows their timeline. */
export const endingsInFork = (
  state: UnfinishedTask,
  taskId: string,
): ReadonlyArray<Omit<RecoveryAppend, "expected">> => [
  ...questions(state),
  ...requests(state),
  ...[taskEnding(state, taskId)].filter((ending) => ending !== undefined),
]

/** Questions to people are withdrawn, unless somebody has had the last word meanwhile. */
const questions = ({ confirmations }: UnfinishedTask): ReadonlyArray<RecoveryAppend> =>
  Object.entries(confirmations).map(([confirmationId, { taskId }]) => ({
    stream: `confirmation/${confirmationId}`,
    taskId,
    expected: Exact(1),
    events: [{ type: "ConfirmationWithdrawn", payload: { confirmationId, reason: GONE } }],
  }))

/** What a plugin had asked of the host may have been done. */
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

/** Processes are gone, or were killed: what they were in the middle of is said with it. */
const processes = (state: UnfinishedTask, fates: OrphanStates): ReadonlyArray<RecoveryAppend> =>
  Object.values(state.processes).map(({ plugin, instance, pid }) => {
    const fate = fates.get(pid) ?? "gone"
    const inFlight = cutOff(state, plugin, instance)
    const signal = fate === "killed" ? "SIGKILL" : null
    return {
      stream: `plugin/${plugin}`,
      taskId: Object.hasOwn(state.tasks, instance) ? instance : null,
      expected: Any,
      events: [
        {
          type: "PluginExited",
          payload: { plugin, instance, pid, code: null, signal, inFlight, reason: GONE + FATE[fate] },
        },
      ],
    }
  })

const FATE: { readonly [fate in OrphanState]: string } = {
  gone: "",
  killed: "; the process was still running, and was killed",
  doubtful: "; a process with its id runs a plugin, but may be another: end it by hand if it is of no use",
}

/** The commands that a process had been sent and not answered, as far as the log knows. */
const cutOff = ({ environment }: UnfinishedTask, plugin: string, instance: string): ReadonlyArray<string> =>
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
 * What is left to say of a task; nothing where it has ended. A command that was dispatched and has no outcome may have taken
 * effect: `CommandOutcomeUnknown`. One that was not dispatched was not executed: `CommandDenied`. An open task is abandoned,
 * for its worlds and agents are gone.
 *
 * It expects the task's stream as it was looked at: a kernel that was only stopped, and goes on in this very moment, either
 * dispatched a command before this was said, which is then looked at again, or can dispatch none any more.
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
  const closed: ReadonlyArray<CoreNewEvent> =
    SafeRecord.get(tasks, taskId)?.outcome === null
      ? [{ type: "TaskClosed", payload: { outcome: "abandoned", reason: GONE } }]
      : []
  const events = [...commands, ...closed]
  const version = SafeRecord.get(versions, taskId)
  const expected = version === undefined ? Any : Exact(version)
  return events.length === 0 ? undefined : { stream: streamOf(taskId), taskId, expected, events }
}

const streamOf = (taskId: string) => `task/${taskId}`

const GONE = "its kernel ended"
