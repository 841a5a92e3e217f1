/** Opens a task: chooses its plugins, records its first event, and starts its environments. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { WithFirst } from "../../events/log/Recorder.ts"
import { FILES } from "../../events/vocabulary/Sensing.ts"
import type { ParentTask, TaskBudget } from "../../events/vocabulary/Tasks.ts"
import type { SandboxConsentMissing } from "../../plugins/sandbox/Consent.ts"
import { defined } from "../../values/defined.ts"
import type { InvalidOptions } from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { ChildRefused } from "../context/ChildRefused.ts"
import * as Suspension from "../context/Suspension.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import { asking } from "../gate/Confirmations.ts"
import { manifestOf } from "../registry/Registry.ts"
import { type FileUnreadable, measureName } from "../rules/Rubric.ts"
import * as Environments from "./Environments.ts"
import { NO_AGENT, type OpeningSignal, type OpenOptions } from "./OpenOptions.ts"
import type { KernelContext } from "./OpenTask.ts"
import type * as Task from "./Task.ts"
import { type TaskIdInvalid, TaskIdTaken } from "./TaskId.ts"
import * as TaskStart from "./TaskStart.ts"

/** Why opening a task failed. */
export type OpenError =
  | SandboxConsentMissing
  | InvalidOptions
  | Environments.EnvironmentRefused
  | FileUnreadable
  | TaskIdInvalid
  | TaskIdTaken
  | ChildRefused
  | TaskClosed
  | LeaseLost
  | AppendError
  | LogError

/** The parent of a task, and the event that caused the task. */
export interface ChildOf {
  readonly parent: ParentTask
  readonly causationId?: string
}

/**
 * Checks the reset options, records the task, then starts and resets its environments. After a recorded opening,
 * records an end even if something fails.
 *
 * @param agentBudget the budget that the task's agent keeps to by itself
 */
export const open = (
  context: KernelContext,
  id: string,
  seed: number,
  options: OpenOptions,
  child?: ChildOf,
  agentBudget?: TaskBudget,
): Effect.Effect<Task.Task, OpenError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { kernel, suspend } = suspendable(context, id)
      yield* kernel.lease.held
      const participants = yield* Environments.participants(kernel, options.plugins)
      yield* Environments.allKnown(participants.registry, options)
      yield* consented(kernel, participants)
      if (kernel.files !== undefined && takesFilesName(participants)) return yield* filesNameTaken
      const environment = yield* Environments.optionsOfAll(kernel, participants, options.environment ?? {})
      const record = yield* TaskStart.recordOf(kernel.log, id)
      // If two callers use one id, the log accepts one of them.
      const payload = {
        goal: options.goal,
        agent: options.agent ?? NO_AGENT,
        measures: participants.rubric.measures.map(measureName),
        plugins: participants.plugins,
        seed,
        ...defined({
          agents: options.agents,
          environment: options.environment,
          limits: options.limits,
          parent: child?.parent,
        }),
      }
      const { subject, forSignal } = options
      const first = { type: "TaskOpened", payload, ...defined({ causationId: child?.causationId }) } as const
      const recorded = record.recorder.recordFirst(first, {
        ...{ subject, subjectOfTask: child?.parent.taskId },
        ...(forSignal === undefined ? {} : handing(forSignal, id)),
      })
      const opened = yield* Effect.catchTag(
        recorded,
        "VersionConflict",
        (conflict): Effect.Effect<never, TaskIdTaken | AppendError> => {
          const [first] = conflict.missed
          return first === undefined ? Effect.fail(conflict) : new TaskIdTaken({ taskId: id, position: first.position })
        },
      )
      const opening = {
        ...participants,
        record,
        id,
        seed,
        // Without an agent, nothing could continue it.
        ...(options.agent === undefined ? {} : { suspend }),
        goal: options.goal,
        budget: options.limits?.budget,
        agentBudget,
        agents: options.agents,
        openedBy: opened.id,
        openedAt: opened.position,
        instanceName: id,
        perceptions: 0,
      }
      return yield* TaskStart.begin(kernel, opening, (task, untilClosed) =>
        restore(untilClosed(Environments.reset(task, environment))),
      )
    }),
  )

/** Hands a signal to the task that opens for it, in the same commit: no crash comes between the two. */
const handing = ({ event, listener, signal, source, content, rule }: OpeningSignal, taskId: string): WithFirst => ({
  followedBy: [
    {
      type: "InputReceived",
      causationId: event.id,
      actor: `listener:${listener}`,
      // Before the agent's next turn, which is its first.
      payload: { source, content, delivery: "steering", signal: { listener, id: signal } },
    },
  ],
  elsewhere: [
    {
      stream: event.stream,
      actor: "kernel",
      events: [
        {
          type: "SignalHandled",
          causationId: event.id,
          payload: { listener, signal: event.position, how: "task", task: taskId, rule },
        },
      ],
    },
  ],
})

/** Whether a plugin's environment has the name under which the log has recorded files. */
const takesFilesName = ({ plugins, registry }: Environments.Participants): boolean => {
  const found = plugins.includes(FILES) ? SafeRecord.get(registry, FILES) : undefined
  return found !== undefined && manifestOf(found).peas.environment !== undefined
}

const filesNameTaken = new Environments.EnvironmentRefused({
  plugin: FILES,
  reason: "recorded files have this name in the log: record no files, or rename the plugin",
})

/** A kernel as one task sees it, fenced by the task's claim, with a way to stop the task's appends. */
export const suspendable = (
  kernel: KernelContext,
  taskId: string,
): { readonly kernel: KernelContext; readonly suspend: Effect.Effect<void> } => {
  const { log, suspend } = Suspension.make(kernel.logOf?.(taskId) ?? kernel.log, taskId)
  return { kernel: { ...kernel, log, confirmations: asking(log) }, suspend }
}

/** Checks consents before anything is recorded. */
const consented = (kernel: KernelContext, { plugins }: Environments.Participants) =>
  Effect.flatMap(kernel.unconsented(plugins), ([first]) => first ?? Effect.void)
