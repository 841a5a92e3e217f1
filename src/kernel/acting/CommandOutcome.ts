/** Records how a command ended: succeeded, failed, denied, expired or aborted. */

import { Cause, Effect, Option, Predicate } from "effect"
import type { AppendError, CoreNewEvent, LeaseLost } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { type Json, plainText } from "../../values/Json.ts"
import type { ActingTask } from "./ActingTask.ts"
import {
  type Command,
  type CommandOutcome,
  type CommandProgress,
  type RequestedCommand,
  unknownReason,
} from "./Command.ts"
import { unknownReward } from "./WorldRewards.ts"

/** The outcome of a command that was executed, or that failed on the way to its plugin. */
export type ExecutionResult = (
  | { readonly succeeded: Json; readonly latencyMs: number; readonly unrecorded?: string }
  | { readonly failed: Failure; readonly latencyMs?: number }
) & {
  /** The plugin's environment after the command. */
  readonly state?: Json | undefined
  /** What a world gave for the command. */
  readonly rewards?: ReadonlyArray<CoreNewEvent>
  /** The plugin, as `name@version`, that was asked after a crash, and told. */
  readonly settledBy?: string
}

/**
 * Records a command's outcome and, in the same commit, its changes to the plugin's environment. A result that the
 * log cannot store is left out: the command succeeded (`unrecorded`). So is an environment's change. A failure that it
 * cannot store has the code `OutcomeNotRecordable`. So every dispatch ends.
 */
export const recordOutcome = (
  command: Command,
  plugin: string,
  progress: CommandProgress,
  ending: ExecutionResult,
): Effect.Effect<CommandOutcome, AppendError> =>
  command.task
    .inOrder(
      Effect.gen(function* () {
        const { task, commandId } = command
        const changed = changesOf(task, plugin, ending.state, { isConfirmed: isUnrecorded(ending) })
        const outcome = outcomeEvent(commandId, progress.last, ending)
        const event = yield* task
          .record(outcome, ...changed, ...(ending.rewards ?? []))
          .pipe(Effect.tapErrorTag("LeaseLost", warnUnrecorded(command, outcome)))
        progress.ended = true
        if (ending.state !== undefined) task.documents.set(plugin, ending.state)
        return outcomeOf(command, event, ending)
      }),
    )
    .pipe(
      Effect.catchTag("InvalidEvent", ({ index, reason, message }) => {
        const { state, rewards = [] } = ending
        // Each time, less is recorded: without the result, without the change, without the rewards.
        const isOfResult = index === 0 && !("unrecorded" in ending)
        const kept = isOfResult ? { state, rewards } : { rewards: state === undefined ? [] : rewards }
        return recordOutcome(
          command,
          plugin,
          progress,
          "succeeded" in ending
            ? {
                ...unrecorded(command.task, plugin, { reason, ...kept }, ending.latencyMs),
                ...kept,
                ...settledByOf(ending),
              }
            : { failed: { code: "OutcomeNotRecordable", message: plainText(message) } },
        )
      }),
    )

/**
 * The outcome of a command that was executed, and whose result cannot be recorded. Its reason says so if the world's state
 * after it is missing as well.
 */
export const unrecorded = (
  task: ActingTask,
  plugin: string,
  { reason, state }: { readonly reason: string; readonly state?: Json | undefined },
  latencyMs: number,
): ExecutionResult => {
  const isLost = state === undefined && task.documents.has(plugin) && !reason.endsWith(STATE_LOST)
  return { succeeded: null, latencyMs, state, unrecorded: plainText(reason) + (isLost ? STATE_LOST : "") }
}

const STATE_LOST = "; what it changed in its world is not recorded"

/**
 * Logs the outcome of a command whose task another kernel has taken over. The log keeps `CommandOutcomeUnknown` for
 * it.
 */
const warnUnrecorded =
  ({ actuator, commandId }: Command, { type, payload }: CoreNewEvent) =>
  ({ message }: LeaseLost) =>
    ProgramLog.warning(
      `${actuator} (${commandId}) ended, which is not recorded: ${type} ${JSON.stringify(payload)}. ${message}`,
    )

/** How a command ended, for its caller. */
export const outcomeOf = (
  { commandId, actuator, args }: Command,
  event: Event,
  ending: ExecutionResult,
): CommandOutcome =>
  "succeeded" in ending
    ? {
        ...{ status: "succeeded", commandId, actuator, args, event, result: ending.succeeded },
        ...(ending.unrecorded === undefined ? {} : { unrecorded: ending.unrecorded }),
      }
    : { status: "failed", commandId, actuator, args, event, error: ending.failed }

/** The event of a command's end. */
export const outcomeEvent = (commandId: string, causationId: string, ending: ExecutionResult): CoreNewEvent =>
  "succeeded" in ending
    ? {
        type: "CommandSucceeded",
        causationId,
        payload: {
          ...{ commandId, result: ending.succeeded, latencyMs: ending.latencyMs },
          ...(ending.unrecorded === undefined ? {} : { unrecorded: { reason: ending.unrecorded } }),
          ...settledByOf(ending),
        },
      }
    : {
        type: "CommandFailed",
        causationId,
        payload: {
          commandId,
          error: ending.failed,
          ...(ending.latencyMs === undefined ? {} : { latencyMs: ending.latencyMs }),
          ...settledByOf(ending),
        },
      }

/** Whether a command succeeded without its result. */
export const isUnrecorded = (ending: ExecutionResult): boolean =>
  "succeeded" in ending && ending.unrecorded !== undefined

const settledByOf = ({ settledBy }: ExecutionResult) => (settledBy === undefined ? {} : { settledBy })

/**
 * The change of an environment's document, if there is one.
 *
 * `commands` are the ids of the commands that changed it, if it was more than one. With `isConfirmed`, that nothing changed is
 * recorded as well: a command whose result is missing otherwise leaves it open whether its state is missing too.
 */
export const changesOf = (
  task: ActingTask,
  plugin: string,
  state: Json | undefined,
  {
    commands = [],
    isConfirmed = false,
  }: { readonly commands?: ReadonlyArray<string>; readonly isConfirmed?: boolean } = {},
): ReadonlyArray<CoreNewEvent> => {
  const before = task.documents.get(plugin)
  if (state === undefined || before === undefined) return []
  const patch = JsonPatch.diff(before, state)
  if (patch.length === 0 && !isConfirmed) return []
  const payload = { plugin, patch, ...(commands.length < 2 ? {} : { commands }) }
  return [{ type: "EnvironmentChanged", payload }]
}

/** Records that a command was denied. It is not executed. The outcome of one that is in doubt is unknown. */
export const recordDenied = (
  command: RequestedCommand,
  progress: CommandProgress,
  rule: string,
  why: string,
): Effect.Effect<CommandOutcome, AppendError> => {
  if (command.inDoubt === true) return recordUnknown(command, progress)
  const reason = plainText(why)
  return Effect.map(denied(command, progress, rule, reason), (event): CommandOutcome => {
    const { commandId, actuator, args } = command
    return { status: "denied", commandId, actuator, args, event, rule, reason }
  })
}

/** Records that an earlier kernel dispatched a command, and that its outcome is not known. */
export const recordUnknown = (
  command: RequestedCommand,
  progress: CommandProgress,
): Effect.Effect<CommandOutcome, AppendError> => {
  const { task, commandId, actuator, args, doubt } = command
  const payload = { commandId, ...(doubt === undefined ? {} : { reason: doubt }) }
  const unknown = { type: "CommandOutcomeUnknown", causationId: progress.last, payload } as const
  return Effect.map(task.record(unknown), (event) => {
    progress.ended = true
    return { status: "unknown", commandId, actuator, args, event, reason: unknownReason(doubt) }
  })
}

/** Records that nobody decided about a command in time. It is not executed. */
export const recordExpired = (command: Command, progress: CommandProgress, rule: string) => {
  const reason = "nobody decided in time"
  return Effect.map(denied(command, progress, rule, reason), (event): CommandOutcome => {
    const { commandId, actuator, args } = command
    return { status: "expired", commandId, actuator, args, event, reason }
  })
}

const denied = ({ task, commandId }: RequestedCommand, progress: CommandProgress, rule: string, reason: string) =>
  Effect.tap(task.record(denialOf(commandId, progress, rule, reason)), () =>
    Effect.sync(() => {
      progress.ended = true
    }),
  )

const denialOf = (commandId: string, { last }: CommandProgress, rule: string, reason: string): CoreNewEvent => ({
  type: "CommandDenied",
  causationId: last,
  payload: { commandId, rule, reason: plainText(reason) },
})

/** A command, and how far it has come. */
interface Begun {
  readonly command: Command
  readonly progress: CommandProgress
}

/**
 * Records the ends of commands that were interrupted, or that failed without an outcome, in one commit. Commands that
 * have ended are left out.
 */
export const recordAborted = (commands: ReadonlyArray<Begun>, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const open = commands.filter(({ progress }) => !progress.ended)
  const [first, ...others] = open.map((each) => abortedEvent(each, cause))
  const rewards = open.flatMap(({ progress: { last, step } }) =>
    step === undefined ? [] : [{ causationId: last, ...unknownReward(step) }],
  )
  const task = open[0]?.command.task
  // The kernel that took over records the end.
  if (first === undefined || task === undefined || Option.exists(Cause.failureOption(cause), isLeaseLost)) {
    return Effect.void
  }
  const names = [...new Set(open.map(({ command }) => command.actuator))].join(", ")
  return task.recordAll([first, ...others, ...rewards]).pipe(
    Effect.map((events) => {
      for (const [index, { command }] of open.entries()) {
        const event = events[index]
        if (event !== undefined && command.stop?.reason !== undefined)
          Object.assign(command.stop, { outcome: stopped(command, event) })
      }
    }),
    // A task that was suspended is gone on with by a later kernel.
    Effect.catchTag("LeaseLost", ({ message, suspended }) =>
      suspended === undefined ? ProgramLog.warning(`the end of ${names} is not recorded: ${message}`) : Effect.void,
    ),
    Effect.catchAllCause((cause) => ProgramLog.error(`the end of ${names} was not recorded`, cause)),
  )
}

const abortedEvent = ({ command, progress }: Begun, cause: Cause.Cause<unknown>): CoreNewEvent => {
  const isInterrupted = Cause.isInterruptedOnly(cause)
  const why = isInterrupted
    ? (command.stop?.reason ?? "the caller stopped waiting")
    : Cause.pretty(cause).split("\n")[0]
  if (!progress.dispatched) {
    return denialOf(command.commandId, progress, "interrupted", `${why}; it was not executed`)
  }
  const code = isInterrupted ? "Interrupted" : "KernelFailed"
  const message = plainText(`${why}; whether it took effect is not known`)
  return outcomeEvent(command.commandId, progress.last, { failed: { code, message } })
}

/** The outcome of a command that was stopped, from the event that says so. */
const stopped = ({ commandId, actuator, args }: Command, event: Event): CommandOutcome | undefined => {
  const of = { commandId, actuator, args, event }
  if (Vocabulary.is(event, "CommandFailed")) return { status: "failed", ...of, error: event.payload.error }
  if (!Vocabulary.is(event, "CommandDenied")) return undefined
  const { rule, reason } = event.payload
  return { status: "denied", ...of, rule, reason }
}

const isLeaseLost = Predicate.isTagged("LeaseLost")
