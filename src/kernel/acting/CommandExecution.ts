/** Executes one command: a new one, or one that an earlier kernel left. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { CallOptions } from "../../plugins/process/ComponentCalls.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { failureOf } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as ActiveCommand from "./ActiveCommand.ts"
import * as Command from "./Command.ts"
import * as CommandBatch from "./CommandBatch.ts"
import { changesOf, recordOutcome, unrecorded } from "./CommandOutcome.ts"
import * as CommandState from "./CommandState.ts"
import { rewardsAfter } from "./FailedStep.ts"
import { outdatedBy } from "./Judging.ts"
import type { LeftCommand } from "./LeftCommand.ts"
import * as Attempts from "./policies/Attempts.ts"
import * as Progress from "./policies/Progress.ts"
import * as RecentResults from "./policies/RecentResults.ts"
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
  call: (process, [of], resolved, turn) =>
    of === undefined ? Effect.succeed(Effect.void) : called(process, of, resolved, turn),
  unreached: (failure, [of], { plugin }) =>
    of === undefined ? Effect.void : recordOutcome(of, plugin, { failed: failureOf(failure) }),
}

const called = (
  process: Parameters<Reach["call"]>[0],
  of: ActiveCommand.ActiveCommand,
  resolved: Command.ResolvedActuator,
  turn: Parameters<Reach["call"]>[3],
): ReturnType<Reach["call"]> => {
  const { plugin, component, declared, isStep } = resolved
  const { command, state } = of
  const { task, commandId, agentId, actuator } = command
  const step = { taskId: task.id, plugin, because: [state.commandedAt], agentId }
  if (isStep) of.step = step
  const reports = Progress.none()
  of.reports = reports
  const onProgress = (given: Progress.Report) =>
    Effect.sync(() => {
      const report = of.state.at === "dispatched" ? reports.take(given) : undefined
      if (report !== undefined) task.kernel.onProgress?.({ taskId: task.id, commandId, actuator, report })
    }).pipe(Effect.catchAllDefect((thrown) => ProgramLog.warning(`a listener to progress threw: ${String(thrown)}`)))
  const attempt = (number: number): ReturnType<Reach["call"]> => {
    const startedAt = performance.now()
    const options: CallOptions = {
      taskId: task.instanceName,
      commandId,
      causationId: of.state.last,
      attempt: number,
      onProgress,
      onChild: (child) => {
        of.child = child
      },
      ...(declared?.timeout === undefined ? {} : { timeoutMs: declared.timeout }),
      ...defined({ agent: agentId, budget: command.budget }),
    }
    return Effect.matchEffect(process.act(component, command.args, options), {
      onSuccess: ({ result, state }) => {
        const rewards = isStep ? rewardsOf(step, result) : []
        const latencyMs = MonotonicClock.elapsedSince(startedAt)
        return Effect.succeed(
          Effect.tap(recordOutcome(of, plugin, { succeeded: result, state, rewards, latencyMs }), () =>
            remember(of, resolved, result),
          ),
        )
      },
      onFailure: (failure) => {
        const latencyMs = MonotonicClock.elapsedSince(startedAt)
        const state = "state" in failure ? failure.state : undefined
        const rewards = isStep ? rewardsAfter(failure, [step]) : []
        // A plugin that answered has executed the command, even if its answer is invalid.
        const ending =
          failure._tag === "AnswerInvalid"
            ? recordOutcome(of, plugin, { ...unrecorded(task, plugin, failure, latencyMs), rewards })
            : recordOutcome(of, plugin, { failed: failureOf(failure), latencyMs, state, rewards })
        const changes = changesOf(task, plugin, state).length > 0
        const isFinal = isStep || changes || task.kernel.answersRecorded === true
        const retryInMs = isFinal ? undefined : Attempts.waitAfter(declared, failure, number)
        if (retryInMs === undefined) return Effect.succeed(ending)
        const failed = { attempt: number, error: failureOf(failure), latencyMs, retryInMs }
        return Effect.uninterruptible(recordAttempt(of, failed)).pipe(
          Effect.zipRight(turn.apart(Effect.sleep(retryInMs))),
          Effect.zipRight(mayCallAgain(of, resolved, turn)),
          Effect.flatMap((may) => (may ? attempt(number + 1) : Effect.succeed(ending))),
          Effect.catchAll((cause) => Effect.succeed(Effect.fail(cause))),
        )
      },
    })
  }
  return attempt(1)
}

const recordAttempt = (
  of: ActiveCommand.ActiveCommand,
  failed: Parameters<typeof Attempts.failedEvent>[2],
): Effect.Effect<void, AppendError> =>
  Effect.map(of.command.task.record(Attempts.failedEvent(of.command.commandId, of.state.last, failed)), (event) => {
    of.state = CommandState.evolve(of.state, event)
  })

/** Whether the next attempt may begin: once the task is not paused, with the same actuator and no further grants. */
const mayCallAgain = (
  of: ActiveCommand.ActiveCommand,
  resolved: Command.ResolvedActuator,
  turn: Parameters<Reach["call"]>[3],
) =>
  Effect.gen(function* () {
    const { task } = of.command
    while (task.isPaused()) yield* turn.apart(task.continued)
    yield* task.kernel.lease.check
    const now = yield* Command.resolve(of.command)
    return now?.digest === resolved.digest && outdatedBy(of, resolved, now) === undefined
  })

/** Keeps a recorded result that stands for further commands (`cacheFor`). */
const remember = (
  { command, outcome }: ActiveCommand.ActiveCommand,
  { declared, digest }: Command.ResolvedActuator,
  result: Json,
) =>
  Effect.suspend(() => {
    const { cacheFor } = declared ?? {}
    if (cacheFor === undefined || outcome?.status !== "succeeded") return Effect.void
    if (outcome.unrecorded !== undefined || result === null) return Effect.void
    const { task, commandId } = command
    return Effect.map(RecentResults.now, (now) =>
      task.recentResults.add({ ...command, digest }, { commandId, result }, now, cacheFor),
    )
  })
