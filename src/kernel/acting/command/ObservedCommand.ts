/**
 * Events of commands that a recorded or imported program carried out itself. No gate ruled on them, and no kernel
 * dispatches them or asks about them. Pure.
 */

import type { Event } from "../../../events/vocabulary/Event.ts"
import type { PairingRule } from "../../../events/vocabulary/Inference.ts"
import { type CoreName, is, type PayloadOf } from "../../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../../values/Digest.ts"
import { defined } from "../../../values/defined.ts"
import { type Json, plainText } from "../../../values/Json.ts"

type Body<Name extends CoreName> = { readonly type: Name; readonly payload: PayloadOf<Name> }

export interface ObservedCall {
  readonly commandId: string
  /** `plugin/actuator`. No such plugin exists. */
  readonly actuator: string
  readonly args: Json
  /** The model's id of the call; some programs report none. */
  readonly callId?: string | undefined
  readonly agentId?: string | undefined
}

/** A result as the program reported it to its model or its records. */
export interface ObservedResult {
  readonly ok: boolean
  readonly content: Json
  readonly latencyMs: number | undefined
  /** The rule that paired it with its call; undefined if one record has both. */
  readonly by: PairingRule | undefined
}

const inferredBy = (by: PairingRule | undefined) => (by === undefined ? {} : { inferred: { cause: by } })

export const requested = ({ agentId, args, callId, ...call }: ObservedCall): Body<"ActuatorCommanded"> => ({
  type: "ActuatorCommanded",
  payload: {
    ...call,
    args,
    argsDigest: digest(args),
    priority: 0,
    observed: true,
    ...defined({ callId, agentId }),
  },
})

/** `rule` is `observed` or `import`, or the source's own reason. No gate of ours ruled. */
export const passed = (
  commandId: string,
  rule: string,
): readonly [Body<"CommandAllowed">, Body<"CommandDispatched">] => [
  { type: "CommandAllowed", payload: { commandId, rule } },
  { type: "CommandDispatched", payload: { commandId } },
]

export const ended = (
  commandId: string,
  { ok, content, latencyMs, by }: ObservedResult,
): Body<"CommandSucceeded"> | Body<"CommandFailed"> => {
  const timed = { ...defined({ latencyMs }), ...inferredBy(by) }
  if (ok) return { type: "CommandSucceeded", payload: { commandId, result: content, ...timed } }
  const message = plainText(typeof content === "string" ? content : JSON.stringify(content))
  return { type: "CommandFailed", payload: { commandId, error: { code: "failed", message }, ...timed } }
}

export const denied = (commandId: string, reason: string, by: PairingRule | undefined): Body<"CommandDenied"> => ({
  type: "CommandDenied",
  payload: { commandId, rule: "import", reason: plainText(reason), ...inferredBy(by) },
})

/**
 * The result never came: the command may have succeeded.
 *
 * @param by the rule that paired the records' substitute for a result with the call
 */
export const unknown = (commandId: string, reason?: string, by?: PairingRule): Body<"CommandOutcomeUnknown"> => ({
  type: "CommandOutcomeUnknown",
  payload: { commandId, ...defined({ reason }), ...inferredBy(by) },
})

export const idsIn = (events: Iterable<Event>): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const event of events) {
    if (is(event, "ActuatorCommanded") && event.payload.observed === true) ids.add(event.payload.commandId)
  }
  return ids
}
