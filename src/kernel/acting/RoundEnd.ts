/** Records how the commands of a round ended: together, in one commit, in the order of the commands. */

import { Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { RoundAnswer } from "../../plugins/process/Components.ts"
import type { Json } from "../../values/Json.ts"
import { failureOf } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import type * as Command from "./Command.ts"
import * as CommandOutcome from "./CommandOutcome.ts"
import type { LeftCommand } from "./LeftCommand.ts"
import { rewardsOf } from "./WorldRewards.ts"

/** A command on its way: what was recorded of it, and its outcome once it has one. */
export interface Traveller {
  readonly command: Command.Command
  readonly progress: Command.CommandProgress
  readonly left: LeftCommand | undefined
  /** The version of the task's stream up to which it was checked that nothing ended it. */
  version: number
  outcome?: Command.CommandOutcome
}

/** Records the ends of a round's commands, the change of the world and its rewards in one commit. */
export const recordRound = (
  task: ActingTask,
  travellers: ReadonlyArray<Traveller>,
  plugin: string,
  { agents, state }: RoundAnswer,
  latencyMs: number,
) => {
  const endings = travellers.map(({ command }): CommandOutcome.ExecutionResult => {
    const found = agents[command.agentId ?? ""]
    if (found === undefined) {
      const message = "the world said nothing about this agent's action"
      return { failed: { code: "InvalidStep", message }, latencyMs }
    }
    return "ok" in found ? { succeeded: found.ok, latencyMs } : { failed: found.error, latencyMs }
  })
  const acted = new Set(travellers.map(({ command }) => command.agentId))
  const rewards = [
    ...travellers.flatMap(({ command, progress }) => {
      const found = agents[command.agentId ?? ""]
      const got = found === undefined ? undefined : "ok" in found ? found.ok : found.got
      if (got === undefined) return []
      return rewardsOf(stepOf(task, plugin, progress.commandedAt, command.agentId), got)
    }),
    ...Object.entries(agents).flatMap(([agentId, outcome]) => {
      if (acted.has(agentId) || !("ok" in outcome)) return []
      return rewardsOf(stepOf(task, plugin, travellers[0]?.progress.commandedAt ?? 0, agentId), outcome.ok)
    }),
  ]
  return recordEndings(task, travellers, plugin, endings, state, rewards)
}

const stepOf = (task: ActingTask, plugin: string, commandedAt: number, agentId: string | undefined) => ({
  ...{ taskId: task.id, plugin, commandedAt, agentId },
})

/** Records that the world took none of a round's actions. */
export const recordFailure = (
  task: ActingTask,
  travellers: ReadonlyArray<Traveller>,
  plugin: string,
  failure: Parameters<typeof failureOf>[0] & { readonly state?: Json },
  latencyMs: number,
) => {
  const error = failureOf(failure)
  const endings = travellers.map(() => ({ failed: error, latencyMs }))
  return recordEndings(task, travellers, plugin, endings, failure.state, [])
}

const recordEndings = (
  task: ActingTask,
  travellers: ReadonlyArray<Traveller>,
  plugin: string,
  endings: ReadonlyArray<CommandOutcome.ExecutionResult>,
  state: Json | undefined,
  rewards: ReadonlyArray<CoreNewEvent>,
) =>
  task.inOrder(
    Effect.gen(function* () {
      const open = travellers.map((traveller, index) => ({ traveller, ending: endings[index] }))
      const outcomes = open.flatMap(({ traveller: { command, progress }, ending }) =>
        ending === undefined ? [] : [CommandOutcome.outcomeEvent(command.commandId, progress.last, ending)],
      )
      const commands = travellers.map(({ command }) => command.commandId)
      const last = travellers.at(-1)?.progress.last ?? task.openedBy
      const changed = CommandOutcome.changesOf(task, plugin, state, commands)
      const causedBy = (event: CoreNewEvent): CoreNewEvent => ({ causationId: last, ...event })
      const recorded = yield* recordedAll(task, [...outcomes, ...changed.map(causedBy), ...rewards.map(causedBy)])
      if (state !== undefined) task.documents.set(plugin, state)
      for (const [index, { traveller, ending }] of open.entries()) {
        const event = recorded[index]
        if (event === undefined || ending === undefined) continue
        traveller.progress.ended = true
        traveller.outcome = CommandOutcome.outcomeOf(traveller.command, event, ending)
      }
    }),
  )

/** Records how the commands ended that were interrupted, or that failed without an outcome. */
export const abortAll = (
  travellers: ReadonlyArray<Traveller>,
  cause: Parameters<typeof CommandOutcome.recordAborted>[2],
) =>
  Effect.forEach(
    travellers,
    ({ command, progress }) => (progress.ended ? Effect.void : CommandOutcome.recordAborted(command, progress, cause)),
    { discard: true },
  )

/** Records events in one commit, if there are any. */
export const recordedAll = (task: ActingTask, events: ReadonlyArray<CoreNewEvent>) => {
  const [first, ...others] = events
  return first === undefined ? Effect.succeed<ReadonlyArray<Event>>([]) : task.recordAll([first, ...others])
}
