/**
 * The steps of several agents in one world, taken together. Each passes the gate by itself. Those that pass are
 * dispatched in one commit, reach the world in one call, and end in one commit, so that a kernel that dies leaves all of
 * them or none. Events follow the order of the commands, and never the clock.
 */

import { Effect, Exit } from "effect"
import type { AppendError, CoreNewEvent, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type { Instance, Restore } from "../instances/Instance.ts"
import { onPluginFailure } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as Command from "./Command.ts"
import * as CommandExecution from "./CommandExecution.ts"
import * as CommandOutcome from "./CommandOutcome.ts"
import { Paused, recordDispatches } from "./Dispatch.ts"
import { commandOf, isInDoubt, isRepeatable, isStillAllowed, progressOf, thenOf } from "./LeftCommand.ts"
import type { LeftCommands } from "./LeftCommands.ts"
import { recordedAll, recordFailure, recordRound, type Traveller } from "./RoundEnd.ts"

/** The step of one of several agents. */
export interface AgentCommand {
  readonly agentId: string
  /** `world/step` */
  readonly actuator: string
  readonly args: JsonObject
  /** The decision that it came from, or another event that caused it. */
  readonly causationId?: string
  /**
   * How long its agent has left, in milliseconds. A round is of all its agents: it is stopped once none of them has time
   * left. Default: no limit.
   */
  readonly withinMs?: number
}

/** Takes the steps through the gate and, of those that pass, a round of the world. Returns their ends in order. */
export const together = (
  task: ActingTask,
  left: LeftCommands,
  commands: ReadonlyArray<AgentCommand>,
  stopOf: (command: AgentCommand) => Command.Stop | undefined,
): Effect.Effect<ReadonlyArray<Command.CommandOutcome>, Options.InvalidOptions | Command.ActError> =>
  Effect.suspend(() => {
    const stops = commands.flatMap((command) => stopOf(command) ?? [])
    if (stops.length < commands.length) return taken(task, left, commands, [], () => undefined)
    let known: ReadonlyArray<Traveller> = []
    const taking = taken(task, left, commands, stops, (travellers) => {
      known = travellers
    })
    return Command.stoppable(taking, stops, () => {
      const outcomes = known.flatMap(({ command, outcome }) => outcome ?? command.stop?.outcome ?? [])
      return outcomes.length === commands.length ? outcomes : undefined
    })
  })

const taken = (
  task: ActingTask,
  left: LeftCommands,
  commands: ReadonlyArray<AgentCommand>,
  stops: ReadonlyArray<Command.Stop>,
  begun: (travellers: ReadonlyArray<Traveller>) => void,
): Effect.Effect<ReadonlyArray<Command.CommandOutcome>, Options.InvalidOptions | Command.ActError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const [first] = commands
      if (first === undefined) return []
      if (commands.some(({ actuator }) => actuator !== first.actuator)) return yield* severalActuators(commands)
      if (new Set(commands.map(({ agentId }) => agentId)).size < commands.length) return yield* severalOfOne(commands)
      return yield* Command.withPlace(task, (place) =>
        Effect.gen(function* () {
          const travellers = (yield* request(task, left, commands, place)).map((each, index): Traveller => {
            const stop = stops[index]
            return stop === undefined ? each : { ...each, command: { ...each.command, stop } }
          })
          begun(travellers)
          const steps = travelled(task, travellers, restore)
          yield* Effect.onExit(steps, (exit) =>
            Exit.isFailure(exit) ? CommandOutcome.recordAborted(travellers, exit.cause) : Effect.void,
          )
          return yield* Effect.forEach(travellers, ({ outcome }) =>
            outcome === undefined ? Effect.dieMessage("a command of a round has no outcome") : Effect.succeed(outcome),
          )
        }),
      )
    }),
  )

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

/** Records the requests in one commit. Commands that an earlier kernel left go on under their ids. */
const request = (
  task: ActingTask,
  left: LeftCommands,
  commands: ReadonlyArray<AgentCommand>,
  place: Command.Command["place"],
) =>
  Effect.gen(function* () {
    const made = yield* Effect.forEach(commands, (requested) =>
      Effect.gen(function* () {
        const { agentId, actuator, args, causationId = task.openedBy } = requested
        const begun = left.take({ agentId, actuator, args })
        if (begun !== undefined) return { begun, causationId, command: commandOf(task, begun, place) }
        return { begun, causationId, command: yield* Command.make(task, actuator, args, place, agentId) }
      }),
    )
    const [firstMade] = made
    const resolved = firstMade === undefined ? undefined : yield* Command.resolve(firstMade.command)
    const requests = made.flatMap(({ begun, command, causationId }): ReadonlyArray<CoreNewEvent> => {
      if (begun !== undefined) return []
      const { commandId, actuator, args, argsDigest, agentId } = command
      const named = agentId === undefined ? {} : { agentId }
      const payload = { commandId, actuator, args, argsDigest, priority: resolved?.priority ?? 0, ...named }
      return [{ type: "ActuatorCommanded", causationId, payload }]
    })
    const recorded = [...(yield* recordedAll(task, requests))]
    return made.flatMap(({ begun, command }): ReadonlyArray<Traveller> => {
      if (begun !== undefined) {
        return [{ command, progress: progressOf(begun), left: begun, version: begun.state.version }]
      }
      const event = recorded.shift()
      return event === undefined
        ? []
        : [{ command, progress: Command.begun(event), left: undefined, version: event.version }]
    })
  })

/** The gate, and the round of those that it lets pass. */
const travelled = (task: ActingTask, travellers: ReadonlyArray<Traveller>, restore: Restore) =>
  Effect.gen(function* () {
    const [first] = travellers
    const resolved = first === undefined ? undefined : yield* Command.resolve(first.command)
    if (resolved === undefined) {
      for (const each of travellers) each.outcome = yield* CommandExecution.denyUnknown(each.command, each.progress)
      return
    }
    if (!resolved.isStep) {
      // The world takes a round as a step, whatever actuator was ruled on.
      const reason = "it is no world's step, and only steps are taken together"
      for (const each of travellers) {
        each.outcome = yield* CommandOutcome.recordDenied(each.command, each.progress, "world-step", reason)
      }
      return
    }
    // `Effect.filter` would begin with the last one.
    const passing: Array<Traveller> = []
    for (const each of travellers) if (yield* passes(each, resolved, restore)) passing.push(each)
    const allowed = passing.filter(
      ({ command, left }) => left === undefined || !(isInDoubt(left) || isStillAllowed(command, resolved, left)),
    )
    const events = yield* recordedAll(
      task,
      allowed.map(({ command, progress }) => ({
        type: "CommandAllowed",
        causationId: progress.last,
        payload: { commandId: command.commandId, rule: CommandExecution.rulingOn(command, resolved).rule },
      })),
    )
    for (const [index, each] of allowed.entries()) {
      const event = events[index]
      if (event === undefined) continue
      each.progress.last = event.id
      each.version = event.version
    }
    if (passing.length > 0) yield* dispatch(task, passing, resolved, restore)
  })

/** Whether the gate, or a person whom it asks, lets a command pass. Otherwise it ends here. */
const passes = (each: Traveller, resolved: Command.ResolvedActuator, restore: Restore) =>
  Effect.gen(function* () {
    const { command, progress, left } = each
    if (left?.settled !== undefined) {
      each.outcome = left.settled
      return false
    }
    const wrong = ComponentSchemas.validationError("args", resolved.declared?.args, command.args)
    if (wrong !== undefined) {
      each.outcome = yield* CommandOutcome.recordDenied(command, progress, "args-schema", wrong)
      return false
    }
    const { confirmations } = command.task.kernel
    const question = left?.state.question
    const { decision, rule, reason, confirmWithinMs } = CommandExecution.rulingOn(command, resolved)
    const before = left === undefined ? resolved : thenOf(resolved, left)
    const changed = CommandExecution.outdated(command, before, question !== undefined)(resolved)
    const mayPass = (decision === "allow" || decision === "confirm") && changed === undefined
    // One that a kernel dispatched and left is dispatched again only where that has no further effect.
    if (left !== undefined && isInDoubt(left)) {
      const isAllowed = mayPass && (decision === "allow" || question !== undefined)
      if (isAllowed && isRepeatable(command, resolved)) return true
      each.outcome = yield* CommandOutcome.recordUnknown(command, progress)
      return false
    }
    if (!mayPass) {
      if (question !== undefined) yield* confirmations.withdraw(question, changed ?? reason)
      const by = changed === undefined ? rule : "effective-risk"
      each.outcome = yield* CommandOutcome.recordDenied(command, progress, by, changed ?? reason)
      return false
    }
    // A question that a person was asked still stands.
    if (decision === "allow" && question === undefined) return true
    const settled = yield* Command.stepAside(
      command,
      restore(
        question === undefined
          ? CommandExecution.ask(command, resolved, confirmWithinMs, progress.last)
          : confirmations.resume(question),
      ),
    )
    progress.last = settled.event.id
    if (settled.kind === "approved") return true
    each.outcome = yield* settled.kind === "expired"
      ? CommandOutcome.recordExpired(command, progress, rule)
      : CommandOutcome.recordDenied(command, progress, rule, settled.reason)
    return false
  })

/** Dispatches the commands in one commit, in one turn, and records how the round ended. */
const dispatch = (
  task: ActingTask,
  travellers: ReadonlyArray<Traveller>,
  resolved: Command.ResolvedActuator,
  restore: Restore,
): Effect.Effect<void, LeaseLost | AppendError | LogError> => {
  const { lane, priority, plugin } = resolved
  const [first] = travellers
  if (first === undefined) return Effect.void
  const denyAll = (rule: string, reason: string) =>
    Effect.forEach(
      travellers,
      (each) =>
        Effect.map(CommandOutcome.recordDenied(each.command, each.progress, rule, reason), (outcome) => {
          each.outcome = outcome
        }),
      { discard: true },
    )

  const send = ({ process, use }: Instance) =>
    Effect.gen(function* () {
      // They may have waited long for people, their turn or the process, so the actuator is resolved and checked again.
      const now = yield* Command.resolve(first.command)
      if (now?.digest !== resolved.digest) {
        return yield* denyAll("active-actuators", "its actuator was deactivated or updated meanwhile")
      }
      const changed = CommandExecution.outdated(first.command, resolved, true)(now)
      if (changed !== undefined) return yield* denyAll("effective-risk", changed)
      yield* task.kernel.lease.check
      if (task.isPaused()) return yield* new Paused()
      if (!(yield* recordDispatches(travellers, first.command.commandId))) {
        yield* task.kernel.lease.check
        return yield* denyAll("open-task", "its task was closed or cancelled meanwhile")
      }
      yield* task.kernel.commands.leave(first.command.place)
      for (const { command, progress } of travellers) {
        progress.step = { taskId: task.id, plugin, because: [progress.commandedAt], agentId: command.agentId }
      }
      const startedAt = performance.now()
      const actions = Object.fromEntries(
        travellers.map(({ command }) => [command.agentId ?? "", command.args.action ?? null] as const),
      )
      const options = { taskId: task.instanceName, causationId: first.progress.last }
      const answered = yield* Effect.either(restore(process.round(actions, options)))
      const latencyMs = MonotonicClock.elapsedSince(startedAt)
      return yield* answered._tag === "Right"
        ? recordRound(task, travellers, plugin, answered.right, latencyMs)
        : recordFailure(task, travellers, plugin, answered.left, latencyMs)
    }).pipe(use)

  const instance = Effect.flatMap(task.kernel.registry.state, (registry) => restore(task.instance(plugin, registry)))
  return restore(task.continued).pipe(
    Effect.zipRight(
      task.kernel.commands.inTurn(
        { lane, actuator: first.command.actuator, priority, place: first.command.place },
        Effect.flatMap(instance, send),
        restore,
      ),
    ),
    onPluginFailure((failure) =>
      first.command.inDoubt === true ? recordUnknowns(travellers) : recordFailure(task, travellers, plugin, failure, 0),
    ),
    Effect.catchTag("Paused", () => dispatch(task, travellers, resolved, restore)),
  )
}

/** Records that it is not known what came of commands that an earlier kernel dispatched. */
const recordUnknowns = (travellers: ReadonlyArray<Traveller>) =>
  Effect.forEach(
    travellers,
    (each) =>
      Effect.map(CommandOutcome.recordUnknown(each.command, each.progress), (outcome) => {
        each.outcome = outcome
      }),
    { discard: true },
  )
