/** What is judged about a command, once: by its arguments' schema, by the gate, and by what its plugin was granted meanwhile. */

import { Effect } from "effect"
import { inWords } from "../../plugins/manifest/Risk.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import * as Gate from "../gate/Gate.ts"
import { mayDoMore } from "../gate/PluginRisk.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as Command from "./Command.ts"
import * as CommandState from "./CommandState.ts"
import type { Setout, Traveller } from "./Traveller.ts"

/** Why a command is denied, and by which rule. */
export interface Denial {
  readonly rule: string
  readonly reason: string
}

/** Judges every command the same: the gate is not asked. */
export const denying = (denial: Denial): ((setout: Setout) => CommandState.Judgement) => {
  const judgement = deny(denial)
  return () => judgement
}

const deny = ({ rule, reason }: Denial): CommandState.Judgement => ({
  decision: "deny",
  rule,
  reason,
  confirmWithinMs: 0,
})

/**
 * Judges a command that is new or that an earlier kernel left. A question that it asked a person is of what the plugin was granted
 * then.
 */
export const by =
  (resolved: Command.ResolvedActuator) =>
  ({ command, state, plugin }: Setout): CommandState.Judgement => {
    const wrong = validationError(command, resolved)
    if (wrong !== undefined) return deny({ rule: "args-schema", reason: wrong })
    const isApproved = state.question !== undefined
    const changed = isApproved ? outdated(command, plugin ?? resolved.found, { isApproved }, resolved) : undefined
    if (changed !== undefined) return deny({ rule: GRANTED_MORE, reason: changed })
    const ruling = rulingOn(command, resolved)
    return state.at === "doubtful" ? { ...ruling, isRepeatable: isRepeatable(command, resolved) } : ruling
  }

/** The rule by which a command is denied whose plugin was granted more than was allowed. */
export const GRANTED_MORE = "effective-risk"

/** What is wrong with a command's arguments by the schema that its actuator declares; undefined if nothing is. */
export const validationError = (
  { args }: Pick<Command.Command, "args">,
  { declared }: Command.ResolvedActuator,
): string | undefined => ComponentSchemas.validationError("args", declared?.args, args)

/** The gate's decision about a command, by its plugin's current grants. */
const rulingOn = ({ task, actuator, args }: Command.Command, { risk }: Command.ResolvedActuator): Gate.Ruling =>
  Gate.decide(task.kernel.gate, { actuator, risk: risk.effective, because: risk.because, args })

/**
 * Whether a command that may have taken effect may be dispatched again. A world's step may only where the world was
 * brought back to where it stood before.
 */
const isRepeatable = ({ task }: Command.Command, { declared, isStep, plugin }: Command.ResolvedActuator): boolean =>
  declared?.idempotent === true && !(isStep && task.unrewound.has(plugin))

/**
 * Why an allowed command is not dispatched: its plugin has been granted more since then. A command that the gate
 * allowed is dispatched if the gate allows it again. A command that a person approved is denied, since the approval
 * was of less.
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

/** Why a command that may be dispatched is not, with its actuator as it is now. */
export const outdatedBy = (
  { command, state, begun, plugin }: Traveller,
  resolved: Command.ResolvedActuator,
  now: Command.ResolvedActuator,
): string | undefined => {
  // One that goes on as an earlier kernel allowed it was allowed what its plugin had then.
  const before = state.last === begun.last ? (plugin ?? resolved.found) : resolved.found
  return outdated(command, before, { isApproved: CommandState.isApproved(state) }, now)
}

/** Why a command has no actuator. */
export const noActuator = (task: ActingTask) =>
  Effect.map(task.kernel.registry.state, (registry): Denial => {
    const names = Command.activeIn(task, registry).map(({ name }) => name)
    return {
      rule: "active-actuators",
      reason: `no active actuator has this name; active: ${names.join(", ") || "none"}`,
    }
  })

/** Asks a person about a command, or waits for the answer to the question that an earlier kernel asked. */
export const ask = ({ command, judgement, state }: Traveller, resolved: Command.ResolvedActuator | undefined) => {
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
    },
    withinMs: judgement.confirmWithinMs,
    causationId: state.last,
  })
}
