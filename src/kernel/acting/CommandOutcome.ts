/** Records how commands ended. */

import { Cause, Effect, Option, Predicate } from "effect"
import type { AppendError, CoreNewEvent, LeaseLost } from "../../events/log/EventLog.ts"
import type { Progress as RecordedProgress } from "../../events/vocabulary/Acting.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { ChildUse } from "../../events/vocabulary/Tasks.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { defined } from "../../values/defined.ts"
import { type Json, plainText } from "../../values/Json.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { ActiveCommand } from "./ActiveCommand.ts"
import { type Command, type CommandOutcome, unknownReason } from "./Command.ts"
import * as CommandState from "./CommandState.ts"
import { unknownReward } from "./WorldRewards.ts"

export type ExecutionResult = (
  | {
      readonly succeeded: Json
      /** Absent for a result of an earlier command. */
      readonly latencyMs?: number
      readonly unrecorded?: string
      /** The id of the command whose result is used again. */
      readonly cachedFrom?: string
    }
  | { readonly failed: Failure; readonly latencyMs?: number }
) & {
  readonly state?: Json | undefined
  readonly rewards?: ReadonlyArray<CoreNewEvent>
  /** The plugin, as `name@version`, whose `settle` reported this outcome after a crash. */
  readonly settledBy?: string
}

/**
 * Records a command's outcome and, in the same commit, its change of the plugin's environment. If the log cannot store
 * a result or a change, it records the outcome without it (`unrecorded`); a failure that it cannot store gets the code
 * `OutcomeNotRecordable`.
 */
export const recordOutcome = (
  of: Pick<ActiveCommand, "command" | "state" | "outcome" | "reports" | "child">,
  plugin: string,
  ending: ExecutionResult,
): Effect.Effect<CommandOutcome, AppendError> =>
  of.command.task
    .inOrder(
      Effect.gen(function* () {
        const { command, state } = of
        const { task } = command
        const changed = changesOf(task, plugin, ending.state, { isConfirmed: isUnrecorded(ending) })
        const outcome = outcomeEvent(command.commandId, state.last, ending, reportedOf(of))
        const event = yield* task
          .record(outcome, ...changed, ...(ending.rewards ?? []))
          .pipe(Effect.tapErrorTag("LeaseLost", warnUnrecorded(command, outcome)))
        of.state = CommandState.evolve(state, event)
        if (ending.state !== undefined) task.documents.set(plugin, ending.state)
        of.outcome = outcomeOf(command, event, ending)
        return of.outcome
      }),
    )
    .pipe(
      Effect.catchTag("InvalidEvent", ({ index, reason, message }) => {
        const { state, rewards = [] } = ending
        // Each attempt records less: without the result, without the change, without the rewards.
        const isOfResult = index === 0 && !("unrecorded" in ending)
        const kept = isOfResult ? { state, rewards } : { rewards: state === undefined ? [] : rewards }
        return recordOutcome(
          of,
          plugin,
          "succeeded" in ending
            ? {
                ...unrecorded(of.command.task, plugin, { reason, ...kept }, ending.latencyMs ?? 0),
                ...kept,
                ...settledByOf(ending),
              }
            : { failed: { code: "OutcomeNotRecordable", message: plainText(message) } },
        )
      }),
    )

/** Its reason also says if the world's state is missing. */
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

/** Another kernel took the task over, and the event log has `CommandOutcomeUnknown` for the command. */
const warnUnrecorded =
  ({ actuator, commandId }: Command, { type, payload }: CoreNewEvent) =>
  ({ message }: LeaseLost) =>
    ProgramLog.warning(
      `${actuator} (${commandId}) ended, but its end could not be recorded: ${type} ${JSON.stringify(payload)}. ${message}`,
    )

export const outcomeOf = (
  { commandId, actuator, args }: Command,
  event: Event,
  ending: ExecutionResult,
): CommandOutcome =>
  "succeeded" in ending
    ? {
        status: "succeeded",
        commandId,
        actuator,
        args,
        event,
        result: ending.succeeded,
        ...defined({ unrecorded: ending.unrecorded }),
      }
    : { status: "failed", commandId, actuator, args, event, error: ending.failed }

/** Reports of a command's call before its end. */
interface Reported {
  readonly progress?: RecordedProgress
  readonly child?: ChildUse
}

const reportedOf = ({ reports, child }: Pick<ActiveCommand, "reports" | "child">): Reported =>
  defined({ progress: reports?.recorded(), child })

export const outcomeEvent = (
  commandId: string,
  causationId: string,
  ending: ExecutionResult,
  reported: Reported = {},
): CoreNewEvent =>
  "succeeded" in ending
    ? {
        type: "CommandSucceeded",
        causationId,
        payload: {
          commandId,
          result: ending.succeeded,
          ...defined({ latencyMs: ending.latencyMs }),
          ...(ending.unrecorded === undefined ? {} : { unrecorded: { reason: ending.unrecorded } }),
          ...settledByOf(ending),
          ...defined({ cachedFrom: ending.cachedFrom }),
          ...reported,
        },
      }
    : {
        type: "CommandFailed",
        causationId,
        payload: {
          commandId,
          error: ending.failed,
          ...defined({ latencyMs: ending.latencyMs }),
          ...settledByOf(ending),
          ...reported,
        },
      }

export const isUnrecorded = (ending: ExecutionResult): boolean =>
  "succeeded" in ending && ending.unrecorded !== undefined

const settledByOf = ({ settledBy }: ExecutionResult) => (settledBy === undefined ? {} : { settledBy })

/**
 * `commands` lists the commands behind the change, if there are several. `isConfirmed` records an empty change too,
 * which tells a lost result from a lost state.
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

/** Sets the outcome of a command that ended without a call of its plugin. */
export const endedBy = (
  of: Pick<ActiveCommand, "command" | "doubt" | "outcome">,
  step: CommandState.Step,
  event: Event,
) => {
  const { commandId, actuator, args } = of.command
  const about = { commandId, actuator, args, event }
  if (step.do === "deny") {
    of.outcome = { status: "denied", ...about, rule: step.rule, reason: plainText(step.reason) }
  } else if (step.do === "expire") {
    of.outcome = { status: "expired", ...about, reason: CommandState.EXPIRED }
  } else {
    of.outcome = { status: "unknown", ...about, reason: unknownReason(of.doubt) }
  }
}

/** Records, in one commit, the ends of commands that were interrupted or failed without an outcome. */
export const recordAborted = (
  active: ReadonlyArray<ActiveCommand>,
  cause: Cause.Cause<unknown>,
): Effect.Effect<void> => {
  const open = active.filter(({ state: { at } }) => at !== "new" && at !== "ended")
  const [first, ...others] = open.map((each) => abortedEvent(each, cause))
  const rewards = open.flatMap(({ state, step }) =>
    step === undefined ? [] : [{ causationId: state.last, ...unknownReward(step) }],
  )
  const task = open[0]?.command.task
  if (first === undefined || task === undefined || Option.exists(Cause.failureOption(cause), isLeaseLost)) {
    return Effect.void
  }
  const names = [...new Set(open.map(({ command }) => command.actuator))].join(", ")
  return task.recordAll([first, ...others, ...rewards]).pipe(
    Effect.map((events) => {
      for (const [index, of] of open.entries()) {
        const event = events[index]
        if (event === undefined) continue
        of.state = CommandState.evolve(of.state, event)
        const { stop } = of.command
        if (stop?.reason !== undefined) Object.assign(stop, { outcome: stopped(of.command, event) })
      }
    }),
    Effect.catchTag("LeaseLost", ({ message, suspended }) =>
      suspended === undefined ? ProgramLog.warning(`the end of ${names} was not recorded: ${message}`) : Effect.void,
    ),
    Effect.catchAllCause((cause) => ProgramLog.error(`could not record the end of ${names}`, cause)),
  )
}

const abortedEvent = (of: ActiveCommand, cause: Cause.Cause<unknown>): CoreNewEvent => {
  const { command, state } = of
  const { commandId, stop } = command
  const isInterrupted = Cause.isInterruptedOnly(cause)
  const why = isInterrupted ? (stop?.reason ?? "the caller stopped waiting") : Cause.pretty(cause).split("\n")[0]
  if (!CommandState.hasLeft(state)) {
    const payload = { commandId, rule: "interrupted", reason: plainText(`${why}; it was not executed`) }
    return { type: "CommandDenied", causationId: state.last, payload }
  }
  const code = isInterrupted ? "Interrupted" : "KernelFailed"
  const message = plainText(`${why}; whether it took effect is not known`)
  return outcomeEvent(commandId, state.last, { failed: { code, message } }, reportedOf(of))
}

const stopped = ({ commandId, actuator, args }: Command, event: Event): CommandOutcome | undefined => {
  const of = { commandId, actuator, args, event }
  if (Vocabulary.is(event, "CommandFailed")) return { status: "failed", ...of, error: event.payload.error }
  if (!Vocabulary.is(event, "CommandDenied")) return undefined
  const { rule, reason } = event.payload
  return { status: "denied", ...of, rule, reason }
}

const isLeaseLost = Predicate.isTagged("LeaseLost")
