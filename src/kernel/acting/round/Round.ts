/**
 * Takes the steps of several agents in one world together. Each passes the gate by itself. Those that pass share one
 * commit of their dispatch, one call of the world and one commit of their ends, so that a kernel that dies leaves all
 * of them or none. Events follow the order of the commands, not the clock.
 */

import { Effect } from "effect"
import * as MonotonicClock from "../../../platform/MonotonicClock.ts"
import type { JsonObject } from "../../../values/Json.ts"
import * as Options from "../../../values/Options.ts"
import type { ActingTask } from "../ActingTask.ts"
import * as ActiveCommand from "../ActiveCommand.ts"
import * as Command from "../Command.ts"
import * as CommandBatch from "../CommandBatch.ts"
import type { LeftCommands } from "../LeftCommands.ts"
import type { Reach } from "../Reach.ts"
import { recordFailure, recordRound } from "./RoundEnd.ts"

/** The step of one agent. */
export interface AgentCommand {
  readonly agentId: string
  /** `world/step` */
  readonly actuator: string
  readonly args: JsonObject
  /** Default: the event that opened the task. */
  readonly causationId?: string
  /**
   * The agent's remaining time, in milliseconds. The round stops once none of its agents has time left. Default: no
   * limit.
   */
  readonly withinMs?: number
}

export const together = (
  task: ActingTask,
  left: LeftCommands,
  commands: ReadonlyArray<AgentCommand>,
  stopOf: (command: AgentCommand) => Command.Stop | undefined,
): Effect.Effect<ReadonlyArray<Command.CommandOutcome>, Options.InvalidOptions | Command.ActError> =>
  Effect.suspend((): ReturnType<typeof together> => {
    const [first] = commands
    if (commands.some(({ actuator }) => actuator !== first?.actuator)) return severalActuators(commands)
    if (new Set(commands.map(({ agentId }) => agentId)).size < commands.length) return severalOfOne(commands)
    const all = commands.flatMap((command) => stopOf(command) ?? [])
    // An agent without a stop keeps the whole round going.
    const stops = all.length < commands.length ? [] : all
    let known: ReadonlyArray<ActiveCommand.ActiveCommand> = []
    const preparing = Effect.forEach(commands, (command, index) => prepare(task, left, command, stops[index]))
    const taking = CommandBatch.make(task, REACH, preparing, (active) => {
      known = active
    })
    return Command.stoppable(taking, stops, () => {
      const outcomes = known.flatMap(({ command, outcome }) => outcome ?? command.stop?.outcome ?? [])
      return outcomes.length === commands.length ? outcomes : undefined
    })
  })

const prepare = (
  task: ActingTask,
  left: LeftCommands,
  { agentId, actuator, args, causationId = task.openedBy }: AgentCommand,
  stop: Command.Stop | undefined,
) =>
  Effect.suspend(() => {
    const begun = left.take({ agentId, actuator, args })
    if (begun !== undefined) return Effect.succeed(ActiveCommand.left(task, begun, stop))
    return Effect.map(Command.make(task, actuator, args, agentId), (command) =>
      ActiveCommand.requested({ ...command, stop }, {}, causationId),
    )
  })

const severalActuators = (commands: ReadonlyArray<AgentCommand>) =>
  new Options.InvalidOptions({
    of: "together",
    problems: [
      {
        path: "commands",
        expected: "commands of one actuator",
        found: [...new Set(commands.map(({ actuator }) => actuator))].join(", "),
      },
    ],
  })

const severalOfOne = (commands: ReadonlyArray<AgentCommand>) =>
  new Options.InvalidOptions({
    of: "together",
    problems: [
      {
        path: "commands",
        expected: "one command of each agent",
        found: commands.map(({ agentId }) => agentId).join(", "),
      },
    ],
  })

const REACH: Reach = {
  isRound: true,
  // The world takes a round as a step, whatever actuator the gate ruled on.
  refuses: ({ isStep }) =>
    isStep ? undefined : { rule: "world-step", reason: "it is no world's step, and only steps are taken together" },
  call: (process, active, { plugin }) => {
    const [first] = active
    const task = first?.command.task
    if (first === undefined || task === undefined) return Effect.succeed(Effect.void)
    for (const of of active) {
      of.step = { taskId: task.id, plugin, because: [of.state.commandedAt], agentId: of.command.agentId }
    }
    const startedAt = performance.now()
    const actions = Object.fromEntries(
      active.map(({ command }) => [command.agentId ?? "", command.args.action ?? null] as const),
    )
    return Effect.match(process.round(actions, { taskId: task.instanceName, causationId: first.state.last }), {
      onSuccess: (answer) => recordRound(task, active, plugin, answer, MonotonicClock.elapsedSince(startedAt)),
      onFailure: (failure) => recordFailure(task, active, plugin, failure, MonotonicClock.elapsedSince(startedAt)),
    })
  },
  unreached: (failure, active, { plugin }) => {
    const task = active[0]?.command.task
    return task === undefined ? Effect.void : recordFailure(task, active, plugin, failure, 0)
  },
}
