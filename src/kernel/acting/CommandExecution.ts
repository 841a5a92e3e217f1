/** Executes one command: a new one, or one that an earlier kernel left. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { failureOf } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as ActiveCommand from "./ActiveCommand.ts"
import * as Command from "./Command.ts"
import * as CommandBatch from "./CommandBatch.ts"
import { recordOutcome, unrecorded } from "./CommandOutcome.ts"
import { rewardsAfter } from "./FailedStep.ts"
import type { LeftCommand } from "./LeftCommand.ts"
import type { Reach } from "./Reach.ts"
import { rewardsOf } from "./WorldRewards.ts"

export type { ActError, CommandOutcome } from "./Command.ts"

/**
 * Takes a command through the gate and, if it passes, to its actuator (see `CommandBatch.make`).
 *
 * @param causationId the decision or other event that caused the command
 */
export const act = (
  task: ActingTask,
  actuator: string,
  args: JsonObject,
  causationId: string,
  { agentId, ...identity }: Command.CommandIdentity = {},
  stop?: Command.Stop,
): Effect.Effect<Command.CommandOutcome, Command.ActError> =>
  alone(
    task,
    Effect.map(Command.make(task, actuator, args, agentId), (command) =>
      ActiveCommand.requested({ ...command, stop }, identity, causationId),
    ),
    stop,
  )

/**
 * Continues a command of an earlier kernel under the same id:
 * - If its actuator has reported an outcome, the command has that outcome.
 * - A question to a person still stands, bound to the digest of its content. An answer in time counts, unless the gate
 *   now denies the command.
 * - Without a question, the gate rules again, and a command that it allows both times is dispatched.
 * - A dispatched command is in doubt. An idempotent actuator receives it again; otherwise its outcome is recorded as
 *   unknown.
 */
export const resume = (
  task: ActingTask,
  left: LeftCommand,
  stop?: Command.Stop,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> =>
  alone(
    task,
    Effect.sync(() => ActiveCommand.left(task, left, stop)),
    stop,
  )

const alone = <E>(
  task: ActingTask,
  unjudged: Effect.Effect<ActiveCommand.UnjudgedCommand, E>,
  stop: Command.Stop | undefined,
) =>
  Command.stoppable(
    Effect.flatMap(
      CommandBatch.make(
        task,
        REACH,
        Effect.map(unjudged, (unjudged) => [unjudged]),
      ),
      ([outcome]) => (outcome === undefined ? Effect.dieMessage("a command has no outcome") : Effect.succeed(outcome)),
    ),
    stop === undefined ? [] : [stop],
    () => stop?.outcome,
  )

const REACH: Reach = {
  isRound: false,
  refuses: () => undefined,
  call: (process, [of], resolved) => (of === undefined ? Effect.succeed(Effect.void) : called(process, of, resolved)),
  unreached: (failure, [of], { plugin }) =>
    of === undefined ? Effect.void : recordOutcome(of, plugin, { failed: failureOf(failure) }),
}

const called = (
  process: Parameters<Reach["call"]>[0],
  of: ActiveCommand.ActiveCommand,
  { plugin, component, declared, isStep }: Command.ResolvedActuator,
): ReturnType<Reach["call"]> => {
  const { command, state } = of
  const { task, commandId, agentId } = command
  const startedAt = performance.now()
  const options = {
    taskId: task.instanceName,
    commandId,
    causationId: state.last,
    ...(declared?.timeout === undefined ? {} : { timeoutMs: declared.timeout }),
    ...defined({ agent: agentId }),
  }
  const step = { taskId: task.id, plugin, because: [state.commandedAt], agentId }
  if (isStep) of.step = step
  return Effect.match(process.act(component, command.args, options), {
    onSuccess: ({ result, state }) => {
      const rewards = isStep ? rewardsOf(step, result) : []
      const latencyMs = MonotonicClock.elapsedSince(startedAt)
      return recordOutcome(of, plugin, { succeeded: result, state, rewards, latencyMs })
    },
    onFailure: (failure) => {
      const latencyMs = MonotonicClock.elapsedSince(startedAt)
      const state = "state" in failure ? failure.state : undefined
      const rewards = isStep ? rewardsAfter(failure, [step]) : []
      // A plugin that answered has executed the command, even if its answer is invalid.
      return failure._tag === "AnswerInvalid"
        ? recordOutcome(of, plugin, { ...unrecorded(task, plugin, failure, latencyMs), rewards })
        : recordOutcome(of, plugin, { failed: failureOf(failure), latencyMs, state, rewards })
    },
  })
}
