/**
 * Dispatches an allowed command: waits for its turn, records `CommandDispatched`, calls the plugin and records the
 * outcome.
 */

import { Data, Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import type { Instance, Restore } from "../instances/Instance.ts"
import { failureOf, onPluginFailure } from "../instances/PluginFailure.ts"
import { type Command, type CommandOutcome, type CommandProgress, type ResolvedActuator, resolve } from "./Command.ts"
import { recordDenied, recordOutcome, recordUnknown } from "./CommandOutcome.ts"
import { rewardsOf } from "./WorldRewards.ts"

/** The task was paused before the dispatch. The command gives up its turn, and waits. */
class Paused extends Data.TaggedError("Paused") {}

/**
 * Sends an allowed command to its plugin, in its turn, and not while the task is paused. Once it is dispatched, only
 * the call itself can be interrupted.
 *
 * @param allowed the command's `CommandAllowed` event
 * @param outdated why the gate's decision no longer applies to the actuator as it is now, or undefined
 */
export const dispatch = (
  command: Command,
  resolved: ResolvedActuator,
  allowed: Event,
  outdated: (now: ResolvedActuator) => string | undefined,
  progress: CommandProgress,
  restore: Restore,
): Effect.Effect<CommandOutcome, LeaseLost | AppendError | LogError> => {
  const { task, actuator } = command
  const { lane, priority, plugin } = resolved

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
      const dispatched = yield* recordDispatch(command, progress, allowed.version)
      if (dispatched === undefined) {
        // The kernel that took over holds the lease, and has ended the task. If nobody took the lease, another
        // program wrote to a stream that is not its own.
        yield* task.kernel.lease.check
        return yield* recordDenied(command, progress, "open-task", "its task was closed or cancelled meanwhile")
      }
      progress.last = dispatched.id
      progress.dispatched = true
      return yield* call(command, resolved, process, progress, restore)
    }).pipe(use)

  const instance = Effect.flatMap(task.kernel.registry.state, (registry) => restore(task.instance(plugin, registry)))
  return restore(task.continued).pipe(
    Effect.zipRight(task.kernel.commands.inTurn({ lane, actuator, priority }, Effect.flatMap(instance, send), restore)),
    onPluginFailure((failure) =>
      command.inDoubt === true
        ? recordUnknown(command, progress)
        : recordOutcome(command, plugin, progress, { failed: failureOf(failure) }),
    ),
    Effect.catchTag("Paused", () => dispatch(command, resolved, allowed, outdated, progress, restore)),
  )
}

/**
 * Records the dispatch, unless the log shows the end of the command or its task; then returns undefined. Checking the
 * lease is not enough: this kernel may be suspended between that check and the append, long enough for another kernel
 * to take over. The append expects a version of the task's stream. A kernel that takes over ends every open task in
 * the task's own stream, so its append and this one conflict.
 *
 * @param version the last version of the task's stream that was checked for such an end
 */
const recordDispatch = (
  command: Command,
  progress: CommandProgress,
  version: number,
): Effect.Effect<Event | undefined, Paused | AppendError> =>
  command.task
    .recordAfter(version, {
      type: "CommandDispatched",
      causationId: progress.last,
      payload: { commandId: command.commandId },
    })
    .pipe(
      Effect.catchTag("VersionConflict", (conflict): Effect.Effect<Event | undefined, Paused | AppendError> => {
        const last = conflict.missed.at(-1)
        if (last === undefined) return Effect.fail(conflict)
        command.task.noticed(conflict.missed)
        progress.ended ||= conflict.missed.some((event) => endsCommand(event, command.commandId))
        if (progress.ended || conflict.missed.some(endsTask)) return Effect.succeed(undefined)
        return command.task.isPaused() ? new Paused() : recordDispatch(command, progress, last.version)
      }),
    )

const endsCommand = (event: Event, commandId: string): boolean =>
  Vocabulary.is(event, "CommandDenied") && event.payload.commandId === commandId

const endsTask = (event: Event): boolean => Vocabulary.is(event, "TaskClosed") || Vocabulary.is(event, "TaskCancelled")

/** Calls the plugin. Records the outcome and the changes of the environment. */
const call = (
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
  const step = { taskId: command.task.id, plugin, commandedAt: progress.commandedAt, agentId: command.agentId }
  return Effect.matchEffect(restore(process.act(component, command.args, options)), {
    onSuccess: ({ result, state }) =>
      recordOutcome(command, plugin, progress, {
        succeeded: result,
        state,
        rewards: isStep ? rewardsOf(step, result) : [],
        latencyMs: MonotonicClock.elapsedSince(startedAt),
      }),
    onFailure: (failure) =>
      recordOutcome(command, plugin, progress, {
        failed: failureOf(failure),
        state: "state" in failure ? failure.state : undefined,
        latencyMs: MonotonicClock.elapsedSince(startedAt),
      }),
  })
}
