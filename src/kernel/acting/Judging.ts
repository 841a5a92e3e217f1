/**
 * Judges a command once: against the schema of its arguments, by the gate, and by grants that its plugin has received
 * since.
 */

import { Effect } from "effect"
import { inWords } from "../../plugins/manifest/Risk.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import * as Gate from "../gate/Gate.ts"
import { mayDoMore } from "../gate/PluginRisk.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { ActiveCommand, UnjudgedCommand } from "./ActiveCommand.ts"
import * as Command from "./Command.ts"
import * as CommandState from "./CommandState.ts"
import * as Attempts from "./policies/Attempts.ts"

export interface Denial {
  readonly rule: string
  readonly reason: string
}

export const denying = (denial: Denial): ((unjudged: UnjudgedCommand) => CommandState.Judgement) => {
  const judgement = deny(denial)
  return () => judgement
}

const deny = ({ rule, reason }: Denial): CommandState.Judgement => ({
  decision: "deny",
  rule,
  reason,
  confirmWithinMs: 0,
})

/** A person who was asked by an earlier kernel approved the grants of that time. */
export const by =
  (resolved: Command.ResolvedActuator) =>
  ({ command, state, plugin }: UnjudgedCommand): CommandState.Judgement => {
    const wrong = validationError(command, resolved)
    if (wrong !== undefined) return deny({ rule: "args-schema", reason: wrong })
    const isApproved = state.question !== undefined
    const changed = isApproved ? outdated(command, plugin ?? resolved.found, { isApproved }, resolved) : undefined
    if (changed !== undefined) return deny({ rule: GRANTED_MORE, reason: changed })
    const ruling = rulingOn(command, resolved)
    return state.at === "doubtful" ? { ...ruling, isRepeatable: isRepeatable(command, resolved) } : ruling
  }

export const GRANTED_MORE = "effective-risk"

export const validationError = (
  { args }: Pick<Command.Command, "args">,
  { declared }: Command.ResolvedActuator,
): string | undefined => ComponentSchemas.validationError("args", declared?.args, args)

const rulingOn = ({ task, actuator, args }: Command.Command, { risk }: Command.ResolvedActuator): Gate.Ruling =>
  Gate.decide(task.kernel.gate, { actuator, risk: risk.effective, because: risk.because, args })

/** A world's step may be repeated only if the world was restored to the state before it. */
const isRepeatable = ({ task }: Command.Command, { declared, isStep, plugin }: Command.ResolvedActuator): boolean =>
  Attempts.isRepeatable(declared) && !(isStep && task.unrewound.has(plugin))

/**
 * The reason not to dispatch an allowed command: its plugin has been granted more since. The gate rules again on a
 * command that it had allowed. A command that a person approved is denied, because the approval was for less.
 */
const outdated = (
  command: Command.Command,
  before: Plugin,
  { isApproved }: { readonly isApproved: boolean },
  now: Command.ResolvedActuator,
): string | undefined => {
  if (!mayDoMore(now.found, before)) return undefined
  const why = `its plugin was granted more meanwhile (risk ${inWords(now.risk)})`
  if (isApproved) return `${why}, and the approval was of less`
  const again = rulingOn(command, now)
  return again.decision === "allow" ? undefined : `${why}: ${again.reason}`
}

export const outdatedBy = (
  { command, state, begun, plugin }: ActiveCommand,
  resolved: Command.ResolvedActuator,
  now: Command.ResolvedActuator,
): string | undefined => {
  // The allowance of an earlier kernel covers the plugin's grants of that time.
  const before = state.last === begun.last ? (plugin ?? resolved.found) : resolved.found
  return outdated(command, before, { isApproved: CommandState.isApproved(state) }, now)
}

export const noActuator = (task: ActingTask) =>
  Effect.map(task.kernel.registry.state, (registry): Denial => {
    const names = Command.activeIn(task, registry).map(({ name }) => name)
    return {
      rule: "active-actuators",
      reason: `no active actuator has this name; active: ${names.join(", ") || "none"}`,
    }
  })

export const ask = ({ command, judgement, state }: ActiveCommand, resolved: Command.ResolvedActuator | undefined) => {
  const { task, actuator, args, commandId, argsDigest, agentId } = command
  const { confirmations } = task.kernel
  if (state.question !== undefined) return confirmations.resume(state.question)
  if (resolved === undefined) return Effect.dieMessage(`nobody is asked about ${actuator}, which no plugin has`)
  const { declared, risk, plugin, digest, found } = resolved
  return confirmations.ask({
    taskId: task.id,
    commandId,
    argsDigest,
    shown: {
      actuator,
      args,
      risk: risk.effective,
      ...defined({ agent: agentId }),
      ...(risk.because.length === 0 ? {} : { declared: risk.declared, because: risk.because.join("; ") }),
      description: declared?.description ?? "",
      plugin: `${plugin} ${found.version}`,
      pluginDigest: digest,
      rule: judgement.rule,
      reason: judgement.reason,
    },
    withinMs: judgement.confirmWithinMs,
    causationId: state.last,
  })
}
