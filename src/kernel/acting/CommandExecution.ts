/** Executes one command: a new one, or one that an earlier kernel left. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { failureOf } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as Command from "./Command.ts"
import { recordOutcome, unrecorded } from "./CommandOutcome.ts"
import { rewardsAfter } from "./FailedStep.ts"
import * as Journey from "./Journey.ts"
import type { LeftCommand } from "./LeftCommand.ts"
import type { Reach } from "./Reach.ts"
import * as Traveller from "./Traveller.ts"
import { rewardsOf } from "./WorldRewards.ts"

export type { ActError, CommandOutcome } from "./Command.ts"

/**
 * Takes a command through the gate and, if it passes, to its actuator (see `Journey.make`).
 *
 * @param causationId the decision that the command came from, or another event that caused it
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
      Traveller.requested({ ...command, stop }, identity, causationId),
    ),
    stop,
  )

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
  alone(
    task,
    Effect.sync(() => Traveller.left(task, left, stop)),
    stop,
  )

const alone = <E>(task: ActingTask, setout: Effect.Effect<Traveller.Setout, E>, stop: Command.Stop | undefined) =>
  Command.stoppable(
    Effect.flatMap(
      Journey.make(
        task,
        REACH,
        Effect.map(setout, (setout) => [setout]),
      ),
      ([outcome]) => (outcome === undefined ? Effect.dieMessage("a command has no outcome") : Effect.succeed(outcome)),
    ),
    stop === undefined ? [] : [stop],
    () => stop?.outcome,
  )

/** How one command reaches its plugin. */
const REACH: Reach = {
  isRound: false,
  refuses: () => undefined,
  call: (process, [of], resolved) => (of === undefined ? Effect.succeed(Effect.void) : called(process, of, resolved)),
  unreached: (failure, [of], { plugin }) =>
    of === undefined ? Effect.void : recordOutcome(of, plugin, { failed: failureOf(failure) }),
}

/** Calls the plugin for a command that was dispatched. */
const called = (
  process: Parameters<Reach["call"]>[0],
  of: Traveller.Traveller,
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
      // A plugin that has answered has carried it out.
      return failure._tag === "AnswerInvalid"
        ? recordOutcome(of, plugin, { ...unrecorded(task, plugin, failure, latencyMs), rewards })
        : recordOutcome(of, plugin, { failed: failureOf(failure), latencyMs, state, rewards })
    },
  })
}
