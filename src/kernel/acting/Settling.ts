/** Asks actuators how the commands ended that a crash left in doubt, before the task continues. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import type { SettleAnswer } from "../../plugins/process/ComponentCalls.ts"
import { defined } from "../../values/defined.ts"
import { plainText } from "../../values/Json.ts"
import { onPluginFailure } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as Command from "./Command.ts"
import { withPlace } from "./CommandBatch.ts"
import { recordOutcome } from "./CommandOutcome.ts"
import { validationError } from "./Judging.ts"
import { commandOf, isInDoubt, isObserved, type LeftCommand } from "./LeftCommand.ts"
import { rewardsOf } from "./WorldRewards.ts"

type Answer = Pick<LeftCommand, "settled" | "doubt">

/**
 * Asks the actuator of each dispatched command without an outcome, if it has a `settle`, and records its report as the
 * outcome, with its source. The question changes nothing, so no gate rules on it. After a failure or an invalid report,
 * the command stays in doubt.
 *
 * @param answers receives the reports, by command id
 */
export const askAll = (
  task: ActingTask,
  left: ReadonlyArray<LeftCommand>,
  answers: Map<string, Answer>,
): Effect.Effect<void, LeaseLost | AppendError | LogError> =>
  Effect.forEach(
    left.filter((command) => isInDoubt(command) && !isObserved(command)),
    (command) =>
      Effect.map(ask(task, command), (answer) => {
        if (answer !== undefined) answers.set(command.commanded.payload.commandId, answer)
      }),
    { discard: true },
  )

const ask = (
  task: ActingTask,
  left: LeftCommand,
): Effect.Effect<Answer | undefined, LeaseLost | AppendError | LogError> =>
  withPlace(task, () =>
    Effect.gen(function* () {
      const command = commandOf(task, left)
      const resolved = yield* Command.resolve(command)
      if (resolved === undefined) return { doubt: `there is no active actuator ${command.actuator} to ask` }
      // The plugin would look at another world than the one that took the command.
      if (task.unrewound.has(resolved.plugin)) return undefined
      if (validationError(command, resolved) !== undefined) return undefined
      yield* task.kernel.lease.check
      const startedAt = performance.now()
      const asked = yield* question(command, resolved, left)
      return asked === undefined || "doubt" in asked
        ? asked
        : yield* answered(command, resolved, left, asked, MonotonicClock.elapsedSince(startedAt))
    }),
  )

const question = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  left: LeftCommand,
): Effect.Effect<SettleAnswer | { readonly doubt: string } | undefined, LogError> => {
  const { task, commandId, args, agentId } = command
  const { plugin, component, declared, registry } = resolved
  const timeoutMs = declared?.timeout
  const options = {
    taskId: task.instanceName,
    commandId,
    causationId: left.state.last,
    ...defined({ timeoutMs, agent: agentId }),
  }
  return Effect.flatMap(task.instance(plugin, registry), ({ process, use }) =>
    use(process.settle(component, args, options)),
  ).pipe(onPluginFailure(({ message }) => Effect.succeed({ doubt: plainText(message) })))
}

const answered = (
  command: Command.Command,
  { plugin, isStep, found }: Command.ResolvedActuator,
  left: LeftCommand,
  { settled, state }: SettleAnswer,
  latencyMs: number,
): Effect.Effect<Answer, AppendError> => {
  const { task, actuator, agentId } = command
  if (settled.status === "unknown") {
    const { reason = "it said nothing more" } = settled
    return Effect.succeed({ doubt: plainText(`settle of ${actuator} cannot tell: ${reason}`) })
  }
  const step = { taskId: task.id, plugin, because: [left.commanded.position], agentId }
  const source = { state, settledBy: `${plugin}@${found.version}`, latencyMs }
  const ending =
    settled.status === "succeeded"
      ? { succeeded: settled.result, rewards: isStep ? rewardsOf(step, settled.result) : [], ...source }
      : { failed: { code: settled.error.code, message: plainText(settled.error.message) }, ...source }
  return Effect.map(recordOutcome({ command, state: left.state }, plugin, ending), (outcome) => ({ settled: outcome }))
}
