/**
 * Makes a client's report fit for the log, which refuses lone surrogates and numbers beyond a double: a client may cut
 * a tool's output in the middle of a character. Pure.
 */

import { defined } from "../values/defined.ts"
import { findNonJson, type Json, stringified } from "../values/Json.ts"
import type { Happening, HookEvent } from "./HookEvent.ts"

/**
 * Returns the event with U+FFFD in place of lone surrogates and null in place of infinities. Does not change a call that
 * waits for the gate, because the tool would get something else than the gate saw: throws instead.
 */
export const fit = (hookEvent: HookEvent): HookEvent => {
  const { happening } = hookEvent
  if (happening.kind === "before") {
    const { tool, input, callId = "" } = happening
    const wrong = findNonJson([tool, input, callId, hookEvent.agentId ?? ""])
    if (wrong !== undefined)
      throw new Error(`expected a call of complete characters and finite numbers, found ${wrong.found}`)
  }
  const { agentId } = hookEvent
  return {
    ...hookEvent,
    event: hookEvent.event.toWellFormed(),
    payload: json(hookEvent.payload),
    happening: fitHappening(happening),
    ...defined({ agentId: agentId?.toWellFormed() }),
  }
}

const fitHappening = (happening: Happening): Happening => {
  switch (happening.kind) {
    case "before":
    case "other":
      return happening
    case "announced":
      return { ...happening, ...fitCall(happening) }
    case "after":
      return { ...happening, ...fitCall(happening), content: json(happening.content) }
    case "batch":
      return {
        ...happening,
        calls: happening.calls.map((call) => ({ ...call, ...fitCall(call), content: json(call.content) })),
      }
    case "prompt":
    case "said":
      return { ...happening, text: happening.text.toWellFormed() }
    case "ended":
      return { ...happening, reason: happening.reason.toWellFormed() }
  }
}

const fitCall = (call: { readonly tool: string; readonly input: Json; readonly callId?: string | undefined }) => ({
  tool: call.tool.toWellFormed(),
  input: json(call.input),
  ...defined({ callId: call.callId?.toWellFormed() }),
})

const json = (value: Json): Json => {
  if (findNonJson(value) === undefined) return value
  const made = stringified(value)
  return "json" in made ? made.json : `[left out: ${made.refused}]`
}
