/**
 * Records the ends of a round's commands in one commit, in their order, with the change of the world and its rewards.
 */

import { Effect } from "effect"
import type { CoreNewEvent, InvalidEvent } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { RoundAnswer } from "../../../plugins/process/ComponentCalls.ts"
import { type Json, plainText } from "../../../values/Json.ts"
import { failureOf, type PluginFailure } from "../../instances/PluginFailure.ts"
import type { ActingTask } from "../ActingTask.ts"
import type { ActiveCommand } from "../ActiveCommand.ts"
import * as CommandOutcome from "../CommandOutcome.ts"
import * as CommandState from "../CommandState.ts"
import { rewardsAfter } from "../FailedStep.ts"
import { rewardsOf, unknownReward } from "../WorldRewards.ts"
import { resultsOf } from "./RoundResults.ts"

/**
 * If the log cannot store the commit, leaves out the results of the commands that succeeded, and then the change as
 * well.
 */
export const recordRound = (
  task: ActingTask,
  active: ReadonlyArray<ActiveCommand>,
  plugin: string,
  { agents, state }: RoundAnswer,
  latencyMs: number,
) => {
  const acted = active.map(({ command }) => command.agentId ?? "")
  const results = resultsOf(agents, acted)
  const endings = results.map(
    (result): CommandOutcome.ExecutionResult =>
      "ok" in result ? { succeeded: result.ok, latencyMs } : { failed: result.error, latencyMs },
  )
  const rewards = active.flatMap(({ command, state: { commandedAt } }, index) => {
    const result = results[index]
    const got = result === undefined || "ok" in result ? result?.ok : result.got
    if (got === undefined) return []
    const { agentId } = command
    return rewardsOf({ taskId: task.id, plugin, because: [commandedAt], agentId }, got)
  })
  const unknown = active.flatMap(({ step }) => (step === undefined ? [] : [unknownReward(step)]))
  const without = ({ reason, message }: InvalidEvent, state: Json | undefined, rewards: ReadonlyArray<CoreNewEvent>) =>
    recordEndings(
      ...([task, active, plugin] as const),
      endings.map((ending) =>
        "succeeded" in ending
          ? CommandOutcome.unrecorded(task, plugin, { reason, state }, latencyMs)
          : { failed: { code: "OutcomeNotRecordable", message: plainText(message) }, latencyMs },
      ),
      state,
      rewards,
    )
  return recordEndings(task, active, plugin, endings, state, rewards).pipe(
    Effect.catchTag("InvalidEvent", (invalid) => without(invalid, state, rewards)),
    Effect.catchTag("InvalidEvent", (invalid) => without(invalid, undefined, unknown)),
  )
}

/**
 * Records that the world took none of a round's actions or, if its answer was invalid, that it took them with an
 * unknown result.
 */
export const recordFailure = (
  task: ActingTask,
  active: ReadonlyArray<ActiveCommand>,
  plugin: string,
  failure: PluginFailure & { readonly state?: Json },
  latencyMs: number,
) => {
  const rewards = rewardsAfter(
    failure,
    active.flatMap(({ step }) => step ?? []),
  )
  if ("reason" in failure && failure._tag === "AnswerInvalid") {
    const ending = CommandOutcome.unrecorded(task, plugin, failure, latencyMs)
    return recordEndings(
      ...([task, active, plugin] as const),
      active.map(() => ending),
      failure.state,
      rewards,
    )
  }
  const error = failureOf(failure)
  const endings = active.map(() => ({ failed: error, latencyMs }))
  return recordEndings(task, active, plugin, endings, failure.state, rewards)
}

const recordEndings = (
  task: ActingTask,
  active: ReadonlyArray<ActiveCommand>,
  plugin: string,
  endings: ReadonlyArray<CommandOutcome.ExecutionResult>,
  state: Json | undefined,
  rewards: ReadonlyArray<CoreNewEvent>,
) =>
  task.inOrder(
    Effect.gen(function* () {
      const open = active.map((of, index) => ({ of, ending: endings[index] }))
      const outcomes = open.flatMap(({ of: { command, state }, ending }) =>
        ending === undefined ? [] : [CommandOutcome.outcomeEvent(command.commandId, state.last, ending)],
      )
      const commands = active.map(({ command }) => command.commandId)
      const last = active.at(-1)?.state.last ?? task.openedBy
      const changed = CommandOutcome.changesOf(task, plugin, state, {
        commands,
        isConfirmed: endings.some(CommandOutcome.isUnrecorded),
      })
      const causedBy = (event: CoreNewEvent): CoreNewEvent => ({ causationId: last, ...event })
      const recorded = yield* recordedAll(task, [...outcomes, ...changed.map(causedBy), ...rewards.map(causedBy)])
      if (state !== undefined) task.documents.set(plugin, state)
      for (const [index, { of, ending }] of open.entries()) {
        const event = recorded[index]
        if (event === undefined || ending === undefined) continue
        of.state = CommandState.evolve(of.state, event)
        of.outcome = CommandOutcome.outcomeOf(of.command, event, ending)
      }
    }),
  )

export const recordedAll = (task: ActingTask, events: ReadonlyArray<CoreNewEvent>) => {
  const [first, ...others] = events
  return first === undefined ? Effect.succeed<ReadonlyArray<Event>>([]) : task.recordAll([first, ...others])
}
