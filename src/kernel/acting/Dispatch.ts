/**
 * Dispatches an allowed command: waits for its turn, records `CommandDispatched`, calls the plugin and records the
 * outcome.
 */

import { Data, Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { type Event, newId } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import type { Instance, Restore } from "../instances/Instance.ts"
import { failureOf, onPluginFailure } from "../instances/PluginFailure.ts"
import { type Command, type CommandOutcome, type CommandProgress, type ResolvedActuator, resolve } from "./Command.ts"
import { recordDenied, recordOutcome, recordUnknown, unrecorded } from "./CommandOutcome.ts"
import { rewardsAfter } from "./FailedStep.ts"
import { rewardsOf } from "./WorldRewards.ts"

/** The task was paused before the dispatch. The command gives up its turn, and waits. */
export class Paused extends Data.TaggedError("Paused") {}

/**
 * Sends an allowed command to its plugin, in its turn, and not while the task is paused. Once it is dispatched, only
 * the call itself can be interrupted.
 *
 * @param version the version of the task's stream up to which nothing has ended the command
 * @param outdated why the gate's decision no longer applies to the actuator as it is now, or undefined
 */
export const dispatch = (
  command: Command,
  resolved: ResolvedActuator,
  version: number,
  outdated: (now: ResolvedActuator) => string | undefined,
  progress: CommandProgress,
  restore: Restore,
): Effect.Effect<CommandOutcome, LeaseLost | AppendError | LogError> => {
  const { task, actuator, place } = command
  const { lane, priority, plugin } = resolved
  const slot = { lane, actuator, priority, place }

  const send = ({ process, use }: Instance) =>
    Effect.gen(function* () {
      // The command may have waited long for a person, its turn or its process, so the actuator is resolved and
      // checked again.
      const now = yield* resolve(command)
      if (now?.digest !== resolved.digest) {
        return yield* recordDenied(
          command,
          progress,
          "active-actuators",
          "its actuator was deactivated or updated meanwhile",
        )
      }
      const changed = outdated(now)
      if (changed !== undefined) return yield* recordDenied(command, progress, "effective-risk", changed)
      yield* task.kernel.lease.check
      if (task.isPaused()) return yield* new Paused()
      if (!(yield* recordDispatches([{ command, progress, version }]))) {
        // The kernel that took over holds the lease, and has ended the task. If nobody took the lease, another
        // program wrote to a stream that is not its own.
        yield* task.kernel.lease.check
        return yield* recordDenied(command, progress, "open-task", "its task was closed or cancelled meanwhile")
      }
      yield* task.kernel.commands.leave(place)
      return yield* call(command, resolved, process, progress, restore)
    }).pipe(use)

  const instance = Effect.flatMap(task.kernel.registry.state, (registry) => restore(task.instance(plugin, registry)))
  return restore(task.continued).pipe(
    Effect.zipRight(task.kernel.commands.inTurn(slot, Effect.flatMap(instance, send), restore)),
    onPluginFailure((failure) =>
      command.inDoubt === true
        ? recordUnknown(command, progress)
        : recordOutcome(command, plugin, progress, { failed: failureOf(failure) }),
    ),
    Effect.catchTag("Paused", () => dispatch(command, resolved, version, outdated, progress, restore)),
  )
}

/** An allowed command, and the last version of the task's stream that was checked for an end of it. */
export interface AllowedCommand {
  readonly command: Command
  readonly progress: CommandProgress
  readonly version: number
}

/**
 * Records the dispatch of commands of one task in one commit, unless the log shows the end of one of them or of the
 * task. Returns whether it did. Checking the lease is not enough: this kernel may be suspended between that check and
 * the append, long enough for another kernel to take over. The append expects a version of the task's stream. A kernel
 * that takes over ends every open task in the task's own stream, so its append and this one conflict.
 *
 * @param round the id of the first command, where they reach a world together
 */
export const recordDispatches = (
  allowed: ReadonlyArray<AllowedCommand>,
  round?: string,
): Effect.Effect<boolean, Paused | AppendError> => {
  const [first, ...others] = allowed.map(({ command, progress }) => ({
    type: "CommandDispatched" as const,
    // The ids are chosen here, because the next events of each command name its own dispatch.
    id: newId(),
    causationId: progress.last,
    payload: { commandId: command.commandId, ...(round === undefined ? {} : { round }) },
  }))
  const task = allowed[0]?.command.task
  if (first === undefined || task === undefined) return Effect.succeed(false)
  const isEnded = (missed: ReadonlyArray<Event>) => {
    for (const { command, progress } of allowed) {
      progress.ended ||= missed.some((event) => endsCommand(event, command.commandId))
    }
    return allowed.some(({ progress }) => progress.ended) || missed.some(endsTask)
  }
  const append = (version: number): Effect.Effect<boolean, Paused | AppendError> =>
    // What this kernel itself recorded since ends neither: a command is denied where it is awaited, and a task closes after its commands.
    task.recordAfter(version, first, ...others).pipe(
      Effect.as(true),
      Effect.catchTag("VersionConflict", (conflict): Effect.Effect<boolean, Paused | AppendError> => {
        const last = conflict.missed.at(-1)
        if (last === undefined) return Effect.fail(conflict)
        task.noticed(conflict.missed)
        if (isEnded(conflict.missed)) return Effect.succeed(false)
        return task.isPaused() ? new Paused() : append(last.version)
      }),
    )
  return Effect.map(append(Math.max(...allowed.map(({ version }) => version))), (isRecorded) => {
    if (!isRecorded) return false
    for (const [index, { progress }] of allowed.entries()) {
      progress.last = [first, ...others][index]?.id ?? progress.last
      progress.dispatched = true
    }
    return true
  })
}

const endsCommand = (event: Event, commandId: string): boolean =>
  Vocabulary.is(event, "CommandDenied") && event.payload.commandId === commandId

const endsTask = (event: Event): boolean => Vocabulary.is(event, "TaskClosed") || Vocabulary.is(event, "TaskCancelled")

/** Calls the plugin for a command that was dispatched. Records the outcome and the changes of the environment. */
export const call = (
  command: Command,
  { plugin, component, declared, isStep }: ResolvedActuator,
  process: Instance["process"],
  progress: CommandProgress,
  restore: Restore,
): Effect.Effect<CommandOutcome, AppendError> => {
  const startedAt = performance.now()
  const options = {
    taskId: command.task.instanceName,
    commandId: command.commandId,
    causationId: progress.last,
    ...(declared?.timeout === undefined ? {} : { timeoutMs: declared.timeout }),
    ...(command.agentId === undefined ? {} : { agent: command.agentId }),
  }
  const step = { taskId: command.task.id, plugin, because: [progress.commandedAt], agentId: command.agentId }
  if (isStep) progress.step = step
  return Effect.matchEffect(restore(process.act(component, command.args, options)), {
    onSuccess: ({ result, state }) =>
      recordOutcome(command, plugin, progress, {
        succeeded: result,
        state,
        rewards: isStep ? rewardsOf(step, result) : [],
        latencyMs: MonotonicClock.elapsedSince(startedAt),
      }),
    onFailure: (failure) => {
      const latencyMs = MonotonicClock.elapsedSince(startedAt)
      const state = "state" in failure ? failure.state : undefined
      const rewards = isStep ? rewardsAfter(failure, [step]) : []
      if (failure._tag !== "AnswerInvalid") {
        return recordOutcome(command, plugin, progress, { failed: failureOf(failure), latencyMs, state, rewards })
      }
      // The plugin has answered, so the command took effect.
      return recordOutcome(command, plugin, progress, {
        ...unrecorded(command.task, plugin, failure, latencyMs),
        rewards,
      })
    },
  })
}
