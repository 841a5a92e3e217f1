/**
 * Commands that no kernel carried out: a program that is recorded, or was imported, carried them out itself. The answer of its model has
 * the call, and a later request, or the program's own records, have the result. No gate ruled on them, and no kernel ever dispatches them,
 * asks about them or executes them again. Recordings and imports write their events by this module. Pure.
 */

import type { Event } from "../../../events/vocabulary/Event.ts"
import type { PairingRule } from "../../../events/vocabulary/Inference.ts"
import { type CoreName, is, type PayloadOf } from "../../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../../values/Digest.ts"
import { defined } from "../../../values/defined.ts"
import { type Json, plainText } from "../../../values/Json.ts"

type Body<Name extends CoreName> = { readonly type: Name; readonly payload: PayloadOf<Name> }

/** A call that a program carried out itself. */
export interface ObservedCall {
  readonly commandId: string
  /** `plugin/actuator`. No plugin stands behind it. */
  readonly actuator: string
  readonly args: Json
  /** The model's id of the call. */
  readonly callId: string
  readonly agentId?: string | undefined
}

/** A call's result, as the program told its model or its records. */
export interface ObservedResult {
  readonly ok: boolean
  readonly content: Json
  /** Between the call and its result; undefined where nothing says when they were. */
  readonly latencyMs: number | undefined
  /** By which rule it was paired with its call; undefined where one record has both. */
  readonly by: PairingRule | undefined
}

/** The part of an outcome's payload that says how it was paired with its call. */
const inferredBy = (by: PairingRule | undefined) => (by === undefined ? {} : { inferred: { cause: by } })

/** The request of a command. */
export const requested = ({ agentId, args, ...call }: ObservedCall): Body<"ActuatorCommanded"> => ({
  type: "ActuatorCommanded",
  payload: {
    ...call,
    args,
    argsDigest: digest(args),
    priority: 0,
    observed: true,
    ...defined({ agentId }),
  },
})

/** What stands between a command's request and its end. `rule` names the source, because nobody ruled. */
export const passed = (
  commandId: string,
  rule: "observed" | "import",
): readonly [Body<"CommandAllowed">, Body<"CommandDispatched">] => [
  { type: "CommandAllowed", payload: { commandId, rule } },
  { type: "CommandDispatched", payload: { commandId } },
]

/** The end of a command by its result. */
export const ended = (
  commandId: string,
  { ok, content, latencyMs, by }: ObservedResult,
): Body<"CommandSucceeded"> | Body<"CommandFailed"> => {
  const timed = { ...defined({ latencyMs }), ...inferredBy(by) }
  if (ok) return { type: "CommandSucceeded", payload: { commandId, result: content, ...timed } }
  const message = plainText(typeof content === "string" ? content : JSON.stringify(content))
  return { type: "CommandFailed", payload: { commandId, error: { code: "failed", message }, ...timed } }
}

/** The end of a command that somebody refused, as the program's records say. */
export const denied = (commandId: string, reason: string, by: PairingRule | undefined): Body<"CommandDenied"> => ({
  type: "CommandDenied",
  payload: { commandId, rule: "import", reason: plainText(reason), ...inferredBy(by) },
})

/**
 * The end of a command whose result never came: it may have succeeded.
 *
 * @param by how what the records say in a result's place was paired with the call
 */
export const unknown = (commandId: string, reason?: string, by?: PairingRule): Body<"CommandOutcomeUnknown"> => ({
  type: "CommandOutcomeUnknown",
  payload: { commandId, ...defined({ reason }), ...inferredBy(by) },
})

/** The ids of the commands among events that no kernel carried out. */
export const idsIn = (events: Iterable<Event>): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const event of events) {
    if (is(event, "ActuatorCommanded") && event.payload.observed === true) ids.add(event.payload.commandId)
  }
  return ids
}
