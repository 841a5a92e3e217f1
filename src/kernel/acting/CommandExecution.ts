/** Executes one command: gate, confirmation, dispatch, outcome. */

import { Effect, Exit } from "effect"
import type { AppendError, CoreNewEvent, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { inWords } from "../../plugins/manifest/Risk.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { ConfirmationResult } from "../gate/Confirmations.ts"
import * as Gate from "../gate/Gate.ts"
import { mayDoMore } from "../gate/PluginRisk.ts"
import type { Restore } from "../instances/Instance.ts"
import type { ActingTask } from "./ActingTask.ts"
import { atOnce } from "./AtOnce.ts"
import * as Command from "./Command.ts"
import { recordAborted, recordDenied, recordExpired } from "./CommandOutcome.ts"
import { dispatch } from "./Dispatch.ts"

export type { ActError, CommandOutcome } from "./Command.ts"

/**
 * Takes a command through the gate and, if it passes, to its actuator. Each step is recorded before the next begins;
 * `CommandDispatched` is on disk before anything leaves the kernel. It fails closed: without a rule, an answer, an
 * active actuator or the lease, the command is not executed. Every command ends: if it is interrupted or something
 * fails, its end is recorded, provided that the log can be written.
 *
 * @param causationId the decision that the command came from, or another event that caused it
 */
export const act = (
  task: ActingTask,
  actuator: string,
  args: JsonObject,
  causationId: string,
  identity: Command.CommandIdentity = {},
  stop?: Command.Stop,
): Effect.Effect<Command.CommandOutcome, Command.ActError> =>
  Command.stoppable(
    acted(task, actuator, args, causationId, identity, stop),
    stop === undefined ? [] : [stop],
    () => stop?.outcome,
  )

const acted = (
  task: ActingTask,
  actuator: string,
  args: JsonObject,
  causationId: string,
  { callId, agentId, source }: Command.CommandIdentity = {},
  stop?: Command.Stop,
): Effect.Effect<Command.CommandOutcome, Command.ActError> =>
  Effect.uninterruptibleMask((restore) =>
    Command.withPlace(task, (place) =>
      Effect.gen(function* () {
        const made = yield* Command.make(task, actuator, args, place, agentId)
        const command: Command.Command = stop === undefined ? made : { ...made, stop }
        const { commandId, argsDigest } = command
        const resolved = yield* Command.resolve(command)
        const requested = {
          ...{ commandId, actuator, args: command.args, argsDigest, priority: resolved?.priority ?? 0 },
          ...(callId === undefined ? {} : { callId }),
          ...(agentId === undefined ? {} : { agentId }),
          ...(source === undefined ? {} : { source }),
        }
        const rule = resolved === undefined ? undefined : ruleThatAllows(command, resolved)
        if (resolved !== undefined && rule !== undefined) {
          const outcome = yield* atOnce({ command, resolved, rule, requested, causationId }, restore)
          if (outcome !== undefined) return outcome
        }
        const commanding = { type: "ActuatorCommanded", causationId, payload: requested } as const
        if (resolved !== undefined && rule !== undefined) {
          return yield* commandAllowed(command, resolved, commanding, rule, restore)
        }
        const commanded = yield* task.record(commanding)
        const progress = Command.begun(commanded)
        const steps =
          resolved === undefined
            ? denyUnknown(command, progress)
            : decideAndDispatch(command, resolved, progress, restore)
        return yield* endIfAborted(command, progress, steps)
      }),
    ),
  )

/** Records in one commit that a command was requested and that the gate allows it. Then it waits for its turn. */
const commandAllowed = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  commanding: CoreNewEvent,
  rule: string,
  restore: Restore,
) =>
  Effect.gen(function* () {
    const id = newId()
    const [commanded, allowed] = yield* command.task.recordAll([
      { ...commanding, id },
      { type: "CommandAllowed", causationId: id, payload: { commandId: command.commandId, rule } },
    ])
    if (commanded === undefined || allowed === undefined)
      return yield* Effect.dieMessage("two events were not recorded")
    const progress = { ...Command.begun(commanded), last: allowed.id }
    const steps = dispatch(command, resolved, allowed.version, outdated(command, resolved, false), progress, restore)
    return yield* endIfAborted(command, progress, steps)
  })

/** Records the end of a command that was interrupted, or that failed without an outcome. */
const endIfAborted = <A, E>(
  command: Command.Command,
  progress: Command.CommandProgress,
  steps: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.onExit(steps, (exit) =>
    Exit.isFailure(exit) ? recordAborted([{ command, progress }], exit.cause) : Effect.void,
  )

/** The rule by which the gate allows a command without asking; undefined if it does not, or if the arguments are wrong. */
const ruleThatAllows = (command: Command.Command, resolved: Command.ResolvedActuator): string | undefined => {
  const { decision, rule } = rulingOn(command, resolved)
  if (decision !== "allow") return undefined
  return validationError(command, resolved) === undefined ? rule : undefined
}

/** What is wrong with a command's arguments by the schema that its actuator declares; undefined if nothing is. */
export const validationError = ({ args }: Command.Command, { declared }: Command.ResolvedActuator) =>
  ComponentSchemas.validationError("args", declared?.args, args)

export const denyUnknown = (command: Command.Command, progress: Command.CommandProgress) =>
  Effect.flatMap(command.task.kernel.registry.state, (registry) => {
    const names = Command.activeIn(command.task, registry).map(({ name }) => name)
    const reason = `no active actuator has this name; active: ${names.join(", ") || "none"}`
    return recordDenied(command, progress, "active-actuators", reason)
  })

export const decideAndDispatch = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  progress: Command.CommandProgress,
  restore: Restore,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> =>
  Effect.gen(function* () {
    const wrong = validationError(command, resolved)
    if (wrong !== undefined) return yield* recordDenied(command, progress, "args-schema", wrong)
    const ruling = rulingOn(command, resolved)
    return yield* carryOut(command, resolved, ruling, progress, restore)
  })

/** The gate's decision about a command, by its plugin's current grants. */
export const rulingOn = ({ task, actuator }: Command.Command, { risk }: Command.ResolvedActuator): Gate.Ruling =>
  Gate.decide(task.kernel.gate, { actuator, risk: risk.effective, because: risk.because })

/**
 * Carries out the gate's decision. Only an explicit `allow`, or a person's approval after `confirm`, leads to a
 * dispatch.
 */
const carryOut = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  ruling: Gate.Ruling,
  progress: Command.CommandProgress,
  restore: Restore,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> => {
  const { rule, reason } = ruling
  switch (ruling.decision) {
    case "allow":
      return allow(command, resolved, rule, false, progress, restore)
    case "confirm":
      return Effect.flatMap(
        Command.stepAside(command, restore(ask(command, resolved, ruling.confirmWithinMs, progress.last))),
        (settled) => followAnswer(command, resolved, rule, settled, progress, restore),
      )
    case "deny":
      return recordDenied(command, progress, rule, reason)
    default:
      return recordDenied(
        command,
        progress,
        Gate.INVALID_GATE_RULE,
        unexpectedValue("allow, deny or confirm", ruling.decision),
      )
  }
}

/** Carries out a person's decision, or that there was none. */
export const followAnswer = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  rule: string,
  settled: ConfirmationResult,
  progress: Command.CommandProgress,
  restore: Restore,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> => {
  progress.last = settled.event.id
  switch (settled.kind) {
    case "approved":
      return allow(command, resolved, rule, true, progress, restore)
    case "rejected":
      return recordDenied(command, progress, rule, settled.reason)
    case "expired":
      return recordExpired(command, progress, rule)
    default:
      return recordDenied(
        command,
        progress,
        Gate.INVALID_GATE_RULE,
        unexpectedValue("approved, rejected or expired", settled),
      )
  }
}

/**
 * The reason for denying a command after an unknown decision. The compiler excludes it; a cast or a defect could
 * still cause it.
 */
const unexpectedValue = (expected: string, found: never): string =>
  `expected ${expected}, found ${JSON.stringify(found) ?? String(found)}; whatever is not allowed is denied`

const allow = (
  command: Command.Command,
  resolved: Command.ResolvedActuator,
  rule: string,
  approved: boolean,
  progress: Command.CommandProgress,
  restore: Restore,
) =>
  Effect.gen(function* () {
    const allowed = yield* command.task.record({
      type: "CommandAllowed",
      causationId: progress.last,
      payload: { commandId: command.commandId, rule },
    })
    progress.last = allowed.id
    return yield* dispatch(command, resolved, allowed.version, outdated(command, resolved, approved), progress, restore)
  })

/** Asks a person about a command. */
export const ask = (
  { task, actuator, args, commandId, argsDigest, agentId }: Command.Command,
  { declared, risk, plugin, digest, found }: Command.ResolvedActuator,
  withinMs: number,
  causationId: string,
) =>
  task.kernel.confirmations.ask({
    taskId: task.id,
    commandId,
    argsDigest,
    shown: {
      ...{ actuator, args, risk: risk.effective },
      ...(agentId === undefined ? {} : { agent: agentId }),
      ...(risk.because.length === 0 ? {} : { declared: risk.declared, because: risk.because.join("; ") }),
      ...{ description: declared?.description ?? "", plugin: `${plugin} ${found.version}`, pluginDigest: digest },
    },
    withinMs,
    causationId,
  })

/**
 * Why an allowed command is not dispatched: its plugin has been granted more since then. A command that the gate
 * allowed is dispatched if the gate allows it again. A command that a person approved is denied, since the approval
 * was of less.
 */
export const outdated =
  (command: Command.Command, before: Command.ResolvedActuator, approved: boolean) =>
  (now: Command.ResolvedActuator): string | undefined => {
    if (!mayDoMore(now.found, before.found)) return undefined
    const why = `its plugin was granted more meanwhile (risk ${inWords(now.risk)})`
    if (approved) return `${why}, and the approval was of less`
    const again = rulingOn(command, now)
    return again.decision === "allow" ? undefined : `${why}: ${again.reason}`
  }
