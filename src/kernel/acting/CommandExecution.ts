import { Effect, Exit } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { inWords } from "../../plugins/manifest/Risk.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Gate from "../gate/Gate.ts"
import { mayDoMore } from "../gate/PluginRisk.ts"
import type { Restore } from "../instances/Instance.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as Command from "./Command.ts"
import { deny, expire, recordAborted } from "./CommandOutcome.ts"
import { dispatch } from "./Dispatch.ts"

export type { ActError, CommandOutcome } from "./Command.ts"

/**
 * Takes a command through the gate and, if it passes, to its actuator. Everything it does is recorded before the next
 * thing is done; in particular `CommandDispatched` is on the disk before anything leaves the kernel. It fails closed:
 * without a rule, an answer, an active actuator or the lease, the command is not executed. And it always ends: whatever
 * interrupts it or goes wrong, the log says how it ended, as long as the log can be written at all.
 *
 * @param causationId the decision that the command came from, or the event that else made it happen
 */
export const act = (
  task: ActingTask,
  actuator: string,
  args: JsonObject,
  causationId: string,
): Effect.Effect<Command.CommandOutcome, Command.ActError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const command = yield* Command.make(task, actuator, args)
      const { commandId, argsDigest } = command
      const address = yield* Command.resolve(command)
      const commanded = yield* task.record({
        type: "ActuatorCommanded",
        causationId,
        payload: { commandId, actuator, args: command.args, argsDigest, priority: address?.priority ?? 0 },
      })
      const progress: Command.Progress = { last: commanded.id, dispatched: false, ended: false }
      const steps =
        address === undefined ? denyUnknown(command, progress) : decideAndDispatch(command, address, progress, restore)
      return yield* Effect.onExit(steps, (exit) =>
        Exit.isFailure(exit) && !progress.ended ? recordAborted(command, progress, exit.cause) : Effect.void,
      )
    }),
  )

const denyUnknown = (command: Command.Command, progress: Command.Progress) =>
  Effect.flatMap(command.task.kernel.registry.state, (registry) => {
    const names = Command.activeIn(command.task, registry).map(({ name }) => name)
    const reason = `no active actuator has this name; active: ${names.join(", ") || "none"}`
    return deny(command, progress, "active-actuators", reason)
  })

const decideAndDispatch = (
  command: Command.Command,
  address: Command.ResolvedActuator,
  progress: Command.Progress,
  restore: Restore,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> =>
  Effect.gen(function* () {
    const schema = address.declared?.args
    if (schema !== undefined) yield* ComponentSchemas.load
    const wrong = ComponentSchemas.disagreement("args", schema, command.args)
    if (wrong !== undefined) return yield* deny(command, progress, "args-schema", wrong)
    const ruling = rulingOn(command, address)
    return yield* carryOut(command, address, ruling, progress, restore)
  })

/** What the gate decides about a command as its plugin stands now. */
const rulingOn = ({ task, actuator }: Command.Command, { risk }: Command.ResolvedActuator): Gate.Ruling =>
  Gate.decide(task.kernel.gate, { actuator, risk: risk.effective, because: risk.because })

/** Does what the gate decided. Only its explicit `allow`, or a person's approval where it says `confirm`, leads to a dispatch. */
const carryOut = (
  command: Command.Command,
  address: Command.ResolvedActuator,
  ruling: Gate.Ruling,
  progress: Command.Progress,
  restore: Restore,
): Effect.Effect<Command.CommandOutcome, LeaseLost | AppendError | LogError> => {
  const { rule, reason } = ruling
  switch (ruling.decision) {
    case "allow":
      return allow(command, address, rule, false, progress, restore)
    case "confirm":
      return Effect.gen(function* () {
        const settled = yield* restore(ask(command, address, ruling.confirmWithinMs, progress.last))
        progress.last = settled.event.id
        switch (settled.kind) {
          case "approved":
            return yield* allow(command, address, rule, true, progress, restore)
          case "rejected":
            return yield* deny(command, progress, rule, settled.reason)
          case "expired":
            return yield* expire(command, progress, rule)
          default:
            return yield* deny(command, progress, Gate.ITSELF, unheardOf("approved, rejected or expired", settled))
        }
      })
    case "deny":
      return deny(command, progress, rule, reason)
    default:
      return deny(command, progress, Gate.ITSELF, unheardOf("allow, deny or confirm", ruling.decision))
  }
}

/** Why a command is denied for a word that nobody knows. The compiler holds it to be never said, which is no proof. */
const unheardOf = (expected: string, found: never): string =>
  `expected ${expected}, found ${JSON.stringify(found) ?? String(found)}; whatever is not allowed is denied`

const allow = (
  command: Command.Command,
  address: Command.ResolvedActuator,
  rule: string,
  approved: boolean,
  progress: Command.Progress,
  restore: Restore,
) =>
  Effect.gen(function* () {
    const allowed = yield* command.task.record({
      type: "CommandAllowed",
      causationId: progress.last,
      payload: { commandId: command.commandId, rule },
    })
    progress.last = allowed.id
    return yield* dispatch(command, address, allowed, outdated(command, address, approved), progress, restore)
  })

const ask = (
  { task, actuator, args, commandId, argsDigest }: Command.Command,
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
      ...(risk.because.length === 0 ? {} : { declared: risk.declared, because: risk.because.join("; ") }),
      ...{ description: declared?.description ?? "", plugin: `${plugin} ${found.version}`, pluginDigest: digest },
    },
    withinMs,
    causationId,
  })

/**
 * Why a command is not dispatched that was let pass before: what its plugin may do has changed since then. Where the gate itself let it
 * pass, it has to do so again; what a person approved may not have become more than the person was shown.
 */
const outdated =
  (command: Command.Command, before: Command.ResolvedActuator, approved: boolean) =>
  (now: Command.ResolvedActuator): string | undefined => {
    if (!mayDoMore(now.found, before.found)) return undefined
    const why = `its plugin was granted more meanwhile (risk ${inWords(now.risk)})`
    if (approved) return `${why}, and the approval was of less`
    const again = rulingOn(command, now)
    return again.decision === "allow" ? undefined : `${why}: ${again.reason}`
  }
