/** Cursor, by its documentation (cursor.com/docs/agent/hooks): conversations are sessions. */

import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Happening } from "../HookEvent.ts"
import { type Client, EMPTY, reasonOf } from "./Client.ts"
import * as Payload from "./Payload.ts"

const GATE = "preToolUse"

export const client: Client = {
  name: "cursor",
  title: "Cursor",
  tried: undefined,
  read: (payload) => {
    if (!isObject(payload)) return undefined
    const event = Payload.text(payload, "hook_event_name")
    const session = Payload.text(payload, "conversation_id") ?? Payload.text(payload, "session_id")
    if (event === undefined || session === undefined) return undefined
    const happening = happeningOf(event, payload)
    if (happening === undefined) return undefined
    return { event, session, cwd: Payload.text(payload, "cwd") ?? rootOf(payload), happening, payload }
  },
  answer: (_, ruling) => {
    if (ruling.decision !== "deny") return EMPTY
    const reason = reasonOf(ruling)
    return { ...EMPTY, stdout: JSON.stringify({ permission: "deny", user_message: reason, agent_message: reason }) }
  },
}

const rootOf = (payload: JsonObject): string => {
  const roots = SafeRecord.get(payload, "workspace_roots")
  const [first] = Array.isArray(roots) ? roots : []
  return typeof first === "string" ? first : ""
}

const happeningOf = (event: string, payload: JsonObject): Happening | undefined => {
  switch (event) {
    case GATE:
    case "postToolUse":
    case "postToolUseFailure": {
      const tool = Payload.text(payload, "tool_name")
      if (tool === undefined) return undefined
      const callId = Payload.text(payload, "tool_use_id")
      const call = { tool, input: Payload.value(payload, "tool_input"), ...defined({ callId }) }
      if (event === GATE) return { kind: "before", ...call }
      const ok = event === "postToolUse"
      const content = Payload.value(payload, ok ? "tool_output" : "error_message")
      return { kind: "after", ...call, ok, content, ...defined({ durationMs: Payload.span(payload, "duration") }) }
    }
    case "beforeSubmitPrompt": {
      const text = Payload.text(payload, "prompt")
      return text === undefined ? { kind: "other" } : { kind: "prompt", text, source: "user" }
    }
    case "afterAgentResponse": {
      const text = Payload.text(payload, "text")
      return text === undefined ? { kind: "other" } : { kind: "said", text }
    }
    case "sessionEnd":
      return { kind: "ended", reason: Payload.text(payload, "reason") ?? "unknown" }
    default:
      return { kind: "other" }
  }
}
