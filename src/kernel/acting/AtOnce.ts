/**
 * Requests, allows and dispatches a command in one commit, where nothing has to be waited for: the gate allows it, its
 * actuator's queue is free, its process runs, and the task is not paused.
 */

import { Cause, Effect, Exit, Option } from "effect"
import type { AppendError, CoreNewEvent, LogError, LogUnavailable } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Restore } from "../instances/Instance.ts"
import { type Command, type CommandOutcome, type CommandProgress, type ResolvedActuator, resolve } from "./Command.ts"
import { recordAborted } from "./CommandOutcome.ts"
import { call } from "./Dispatch.ts"

/** Records the end of a command whose dispatch is in the log, but may not be on the disk: it was not executed. */
const endIfRecorded = (command: Command, dispatched: string, cause: LogUnavailable) =>
  command.task.kernel.log.find(dispatched).pipe(
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.void,
        onSome: (event) => {
          const progress = { last: event.id, commandedAt: event.position - 2, dispatched: false, ended: false }
          return recordAborted([{ command, progress }], Cause.fail(cause))
        },
      }),
    ),
    Effect.ignore,
  )

/** A command that the gate has allowed, before anything of it is recorded. */
export interface AllowedAtOnce {
  readonly command: Command
  readonly resolved: ResolvedActuator
  /** The gate's rule that allows it. */
  readonly rule: string
  readonly requested: PayloadOf<"ActuatorCommanded">
  readonly causationId: string
}

/**
 * Carries out a command. Returns undefined, and has recorded nothing, if something has to be waited for, or if another
 * program has appended to the task's stream: its events may end the task or the command.
 */
export const atOnce = (
  { command, resolved, rule, requested, causationId }: AllowedAtOnce,
  restore: Restore,
): Effect.Effect<CommandOutcome | undefined, LeaseLost | AppendError | LogError> =>
  Effect.suspend(() => {
    const { task, commandId, actuator, place } = command
    const { lane, priority } = resolved
    const running = () => task.running(resolved.plugin, resolved.found)
    const instance = running()
    if (instance === undefined || task.isPaused()) return Effect.succeed(undefined)
    const giveBack = task.kernel.commands.takeTurn(place, { lane, actuator, priority })
    if (giveBack === undefined) return Effect.succeed(undefined)

    // It has waited for the end of an update, or of what the task was recording, such as another command of the same
    // answer: what the gate allowed may have been deactivated or granted more meanwhile.
    const stillApplies = Effect.gen(function* () {
      yield* task.kernel.lease.check
      const now = yield* resolve(command)
      const isNext = task.kernel.commands.isFirst(place)
      return isNext && now?.found === resolved.found && running() === instance && !task.isPaused()
    })

    const carriedOut = Effect.gen(function* () {
      const ids = { commanded: newId(), allowed: newId(), dispatched: newId() }
      const events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>] = [
        { type: "ActuatorCommanded", id: ids.commanded, causationId, payload: requested },
        { type: "CommandAllowed", id: ids.allowed, causationId: ids.commanded, payload: { commandId, rule } },
        { type: "CommandDispatched", id: ids.dispatched, causationId: ids.allowed, payload: { commandId } },
      ]
      const recorded = yield* task
        .recordUndisturbed(events, stillApplies)
        .pipe(Effect.tapErrorTag("LogUnavailable", (cause) => endIfRecorded(command, ids.dispatched, cause)))
      if (recorded === undefined) return undefined
      yield* task.kernel.commands.leave(place)
      const commandedAt = recorded[0]?.position ?? 0
      const progress: CommandProgress = { last: ids.dispatched, commandedAt, dispatched: true, ended: false }
      return yield* Effect.onExit(call(command, resolved, instance.process, progress, restore), (exit) =>
        Exit.isFailure(exit) ? recordAborted([{ command, progress }], exit.cause) : Effect.void,
      )
    })
    return Effect.ensuring(instance.use(carriedOut), giveBack)
  })
