import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import type { Instance, Restore } from "../instances/Instance.ts"
import { failureOf, onPluginFailure } from "../instances/PluginFailure.ts"
import { type Command, type CommandOutcome, type Progress, type ResolvedActuator, resolve } from "./Command.ts"
import { deny, end } from "./CommandOutcome.ts"

/**
 * Sends an allowed command to its plugin, in its turn. From the dispatch on, only the call itself can be interrupted.
 *
 * @param allowed its `CommandAllowed`
 * @param outdated why what was ruled on is not what is there any more, or undefined
 */
export const dispatch = (
  command: Command,
  address: ResolvedActuator,
  allowed: Event,
  outdated: (now: ResolvedActuator) => string | undefined,
  progress: Progress,
  restore: Restore,
): Effect.Effect<CommandOutcome, LeaseLost | AppendError | LogError> => {
  const { task, actuator } = command
  const { lane, priority, plugin } = address

  const send = ({ process, use }: Instance) =>
    Effect.gen(function* () {
      // It may have waited long, for a person, its turn or its process: what was ruled on must still be what is there.
      const now = yield* resolve(command)
      if (now?.digest !== address.digest) {
        return yield* deny(command, progress, "active-actuators", "its actuator was deactivated or updated meanwhile")
      }
      const changed = outdated(now)
      if (changed !== undefined) return yield* deny(command, progress, "effective-risk", changed)
      yield* task.kernel.lease.check
      const dispatched = yield* recordDispatch(command, progress, allowed.version)
      if (dispatched === undefined) {
        // Who ended it has the lease now. Where nobody took it, some program wrote to a stream that is not its own.
        yield* task.kernel.lease.check
        return yield* deny(command, progress, "open-task", "its task was closed by another program meanwhile")
      }
      progress.last = dispatched.id
      progress.dispatched = true
      return yield* call(command, address, process, progress, restore)
    }).pipe(use)

  const instance = Effect.flatMap(task.kernel.registry.state, (registry) => restore(task.instance(plugin, registry)))
  return task.kernel.commands
    .inTurn({ lane, actuator, priority }, Effect.flatMap(instance, send), restore)
    .pipe(onPluginFailure((failure) => end(command, plugin, progress, { failed: failureOf(failure) })))
}

/**
 * Records the dispatch, unless the command or its task has ended in the log: then answers nothing. The lease alone could not
 * promise that: this kernel may be stopped between looking at it and the append, for as long as it takes another one to take
 * over. But who takes over ends every open task in its own stream, and the log takes the dispatch only if nothing has come
 * into that stream that was not looked at here.
 *
 * @param version up to which the task's stream is known to hold no such end
 */
const recordDispatch = (
  command: Command,
  progress: Progress,
  version: number,
): Effect.Effect<Event | undefined, AppendError> =>
  command.task
    .recordAfter(version, {
      type: "CommandDispatched",
      causationId: progress.last,
      payload: { commandId: command.commandId },
    })
    .pipe(
      Effect.catchTag("VersionConflict", (conflict) => {
        const last = conflict.missed.at(-1)
        if (last === undefined) return Effect.fail(conflict)
        progress.ended ||= conflict.missed.some((event) => endsCommand(event, command.commandId))
        return progress.ended || conflict.missed.some((event) => Vocabulary.is(event, "TaskClosed"))
          ? Effect.succeed(undefined)
          : recordDispatch(command, progress, last.version)
      }),
    )

const endsCommand = (event: Event, commandId: string): boolean =>
  Vocabulary.is(event, "CommandDenied") && event.payload.commandId === commandId

/** Calls the plugin and records how it ended and what it changed in the world. */
const call = (
  command: Command,
  { plugin, component, declared }: ResolvedActuator,
  process: Instance["process"],
  progress: Progress,
  restore: Restore,
): Effect.Effect<CommandOutcome, AppendError> => {
  const startedAt = performance.now()
  const options = {
    taskId: command.task.place,
    causationId: progress.last,
    ...(declared?.timeout === undefined ? {} : { timeoutMs: declared.timeout }),
  }
  return Effect.matchEffect(restore(process.act(component, command.args, options)), {
    onSuccess: ({ result, state }) =>
      end(command, plugin, progress, { succeeded: result, state, latencyMs: MonotonicClock.elapsedSince(startedAt) }),
    onFailure: (failure) =>
      end(command, plugin, progress, {
        failed: failureOf(failure),
        state: "state" in failure ? failure.state : undefined,
        latencyMs: MonotonicClock.elapsedSince(startedAt),
      }),
  })
}
