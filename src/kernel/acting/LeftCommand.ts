/** Goes on with a command that had no outcome when its task was resumed or forked. */

import { Effect, Exit } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { provenanceOf } from "../../events/log/Ownership.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { RequestedEvent } from "../gate/ConfirmationRequests.ts"
import type { Restore } from "../instances/Instance.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as Command from "./Command.ts"
import * as CommandExecution from "./CommandExecution.ts"
import { recordAborted, recordDenied, recordUnknown } from "./CommandOutcome.ts"
import * as CommandState from "./CommandState.ts"
import { dispatch } from "./Dispatch.ts"

/** A command without an outcome, as the log has it. */
export interface LeftCommand {
  readonly commanded: Event & { readonly payload: PayloadOf<"ActuatorCommanded"> }
  /** Where it stood. */
  readonly state: CommandState.CommandState
  /** Its plugin's entry in the registry when a person was asked, or else when the command was requested. */
  readonly plugin: Plugin | undefined
  /** How it ended, where its actuator was asked and told. */
  readonly settled?: Command.CommandOutcome | undefined
  /** Why its actuator, which was asked, could not tell what became of it. */
  readonly doubt?: string | undefined
}

/** The commands of a task that have no outcome, oldest first. Pure. */
export const leftIn = (
  events: ReadonlyArray<Event>,
  pluginAt: (actuator: string, position: number) => Plugin | undefined,
): ReadonlyArray<LeftCommand> => {
  const states = CommandState.fold(events)
  return events.flatMap((commanded): ReadonlyArray<LeftCommand> => {
    if (!is(commanded, "ActuatorCommanded")) return []
    const { commandId, actuator } = commanded.payload
    const state = states.get(commandId)
    if (state === undefined || state.at === "ended" || state.requested !== commanded.id) return []
    const plugin = pluginAt(actuator, state.question?.position ?? commanded.position)
    return [{ commanded, state, plugin }]
  })
}

/** Whether an earlier kernel dispatched it, so that it may have taken effect. */
export const isInDoubt = ({ state }: LeftCommand): boolean => state.at === "dispatched"

/**
 * The commands without the questions, and thereby the answers, that others may have written: they were asked before this
 * user trusted the log, or the log's chain is broken, so that somebody changed it in place. Such a question is withdrawn if
 * it still waits. The gate rules on its command again. The chain is verified only where an answer would count.
 */
export const withOwnQuestions = (
  { log, confirmations }: Pick<ActingTask["kernel"], "log" | "confirmations">,
  left: ReadonlyArray<LeftCommand>,
): Effect.Effect<ReadonlyArray<LeftCommand>, AppendError> =>
  Effect.gen(function* () {
    const provenance = yield* provenanceOf(log)
    const isOwn = ({ position }: Event) => provenance.kind === "own" && position > provenance.foreignUpTo
    const isAnswered = ({ state: { question } }: LeftCommand) =>
      question === undefined || !isOwn(question)
        ? Effect.succeed(false)
        : Effect.map(
            log.readPage({ timeline: question.timeline, stream: question.stream }, 2),
            ({ length }) => length > 1,
          )
    const counting = yield* Effect.filter(left, isAnswered)
    const isIntact = counting.length === 0 || (yield* isChained(log))
    return yield* Effect.forEach(left, (command) => {
      const { question } = command.state
      if (question === undefined || (isOwn(question) && isIntact)) return Effect.succeed(command)
      const reason = isOwn(question) ? "the log was changed in place" : "the log came from elsewhere"
      return Effect.as(confirmations.withdraw(question, reason), unasked(command))
    })
  })

/** Whether each event is as it was written. A chain that cannot be read is not. */
const isChained = (log: ActingTask["kernel"]["log"]): Effect.Effect<boolean> =>
  log.verifyWith({ quick: true }).pipe(
    Effect.map(({ _tag }) => _tag === "Intact"),
    Effect.orElseSucceed(() => false),
  )

/** A command as if nobody had been asked about it. */
export const unasked = (command: LeftCommand): LeftCommand => ({
  ...command,
  state: CommandState.unasked(command.state),
})

/**
 * Goes on with a command from where it was left, under the same id:
 * - One whose actuator told what became of it has ended as that says.
 * - A question that a person was asked still stands, bound to what was shown. An answer that was recorded in time
 *   counts. What the gate denies now is denied, whatever was answered.
 * - Without a question, the gate rules on the command again. One that it had allowed, and allows again, is dispatched.
 * - A command that was dispatched is in doubt. It is dispatched again only if its actuator is declared as idempotent;
 *   otherwise its outcome is recorded as unknown.
 */
export const resume = (
  task: ActingTask,
  left: LeftCommand,
  stop?: Command.Stop,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> =>
  Command.stoppable(resumed(task, left, stop), stop === undefined ? [] : [stop], () => stop?.outcome)

const resumed = (
  task: ActingTask,
  left: LeftCommand,
  stop: Command.Stop | undefined,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> =>
  Effect.uninterruptibleMask((restore) =>
    Command.withPlace(task, (place) =>
      Effect.gen(function* () {
        if (left.settled !== undefined) return left.settled
        const own = commandOf(task, left, place)
        const command: Command.Command = stop === undefined ? own : { ...own, stop }
        const progress = progressOf(left)
        const resolved = yield* Command.resolve(command)
        const steps =
          resolved === undefined
            ? CommandExecution.denyUnknown(command, progress)
            : isInDoubt(left)
              ? settleDoubt(command, resolved, left, progress, restore)
              : left.state.question === undefined
                ? ruleAgain(command, resolved, left, progress, restore)
                : followQuestion(command, resolved, left, left.state.question, progress, restore)
        return yield* Effect.onExit(steps, (exit) =>
          Exit.isFailure(exit) ? recordAborted([{ command, progress }], exit.cause) : Effect.void,
        )
      }),
    ),
  )

/** The command that was left. */
export const commandOf = (task: ActingTask, left: LeftCommand, place: Command.Command["place"]): Command.Command => {
  const { commandId, actuator, args, argsDigest, agentId } = left.commanded.payload
  const doubts = { inDoubt: isInDoubt(left), doubt: left.doubt }
  // The arguments were copied and checked when they were recorded.
  return { task, commandId, actuator, args: args as JsonObject, argsDigest, place, agentId, ...doubts }
}

/**
 * Whether a command that may have taken effect may be dispatched again. A world's step may only where the world was
 * brought back to where it stood before.
 */
export const isRepeatable = (
  { task }: Command.Command,
  { declared, isStep, plugin }: Command.ResolvedActuator,
): boolean => declared?.idempotent === true && !(isStep && task.unrewound.has(plugin))

/** Whether the gate had allowed a command when it was left, and allows it again by the same rule. */
export const isStillAllowed = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  { state }: LeftCommand,
): boolean => {
  const { decision, rule } = CommandExecution.rulingOn(command, resolved)
  return state.at === "allowed" && decision === "allow" && state.rule === rule
}

/** How far a command had come that was left. */
export const progressOf = (left: LeftCommand): Command.CommandProgress => ({
  ...{ last: left.state.last, commandedAt: left.state.commandedAt },
  ...{ dispatched: isInDoubt(left), ended: left.settled !== undefined },
})

const settleDoubt = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  left: LeftCommand,
  progress: Command.CommandProgress,
  restore: Restore,
) => {
  const outdated = CommandExecution.outdated(command, thenOf(resolved, left), left.state.question !== undefined)
  const { decision } = CommandExecution.rulingOn(command, resolved)
  const isAllowed = decision === "allow" || (decision === "confirm" && left.state.question !== undefined)
  const mayBeCarriedOut = isAllowed && CommandExecution.validationError(command, resolved) === undefined
  return isRepeatable(command, resolved) && mayBeCarriedOut && outdated(resolved) === undefined
    ? dispatch(command, resolved, left.state.version, outdated, progress, restore)
    : recordUnknown(command, progress)
}

const ruleAgain = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  left: LeftCommand,
  progress: Command.CommandProgress,
  restore: Restore,
) => {
  const outdated = CommandExecution.outdated(command, thenOf(resolved, left), false)
  const isValid = CommandExecution.validationError(command, resolved) === undefined
  return isValid && isStillAllowed(command, resolved, left)
    ? dispatch(command, resolved, left.state.version, outdated, progress, restore)
    : CommandExecution.decideAndDispatch(command, resolved, progress, restore)
}

const followQuestion = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  left: LeftCommand,
  question: RequestedEvent,
  progress: Command.CommandProgress,
  restore: Restore,
) =>
  Effect.gen(function* () {
    const { confirmations } = command.task.kernel
    const { decision, rule, reason } = CommandExecution.rulingOn(command, resolved)
    const changed = CommandExecution.outdated(command, thenOf(resolved, left), true)(resolved)
    const mayBeCarriedOut = decision === "allow" || decision === "confirm"
    if (!mayBeCarriedOut || changed !== undefined) {
      yield* confirmations.withdraw(question, changed ?? reason)
      return yield* recordDenied(command, progress, changed === undefined ? rule : "effective-risk", changed ?? reason)
    }
    const settled = yield* Command.stepAside(command, restore(confirmations.resume(question)))
    return yield* CommandExecution.followAnswer(command, resolved, rule, settled, progress, restore)
  })

/** The actuator with its plugin's grants as they were when the command was left. */
export const thenOf = (resolved: Command.ResolvedActuator, { plugin }: LeftCommand): Command.ResolvedActuator => ({
  ...resolved,
  found: plugin ?? resolved.found,
})
