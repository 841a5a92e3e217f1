/** Gemini CLI: its own event names, no call ids. It runs no tool hooks under ACP. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { fieldOf, isObject } from "../../values/JsonObjects.ts"
import type { Happening } from "../HookEvent.ts"
import { type Client, EMPTY, reasonOf } from "./Client.ts"
import * as Payload from "./Payload.ts"

const GATE = "BeforeTool"

export const client: Client = {
  name: "gemini-cli",
  title: "Gemini CLI",
  tried: "0.61.0",
  read: (payload) => {
    if (!isObject(payload)) return undefined
    const event = Payload.text(payload, "hook_event_name")
    const session = Payload.text(payload, "session_id")
    if (event === undefined || session === undefined) return undefined
    const happening = happeningOf(event, payload)
    if (happening === undefined) return undefined
    return { event, session, cwd: Payload.text(payload, "cwd") ?? "", happening, payload }
  },
  answer: (_, ruling) =>
    ruling.decision === "deny"
      ? { ...EMPTY, stdout: JSON.stringify({ decision: "deny", reason: reasonOf(ruling) }) }
      : EMPTY,
}

const happeningOf = (event: string, payload: JsonObject): Happening | undefined => {
  switch (event) {
    case GATE:
    case "AfterTool": {
      const tool = Payload.text(payload, "tool_name")
      if (tool === undefined) return undefined
      const call = { tool, input: Payload.value(payload, "tool_input") }
      if (event === GATE) return { kind: "before", ...call }
      const content = Payload.value(payload, "tool_response")
      return { kind: "after", ...call, content, ok: !isError(content) }
    }
    case "BeforeAgent": {
      const text = Payload.text(payload, "prompt")
      return text === undefined ? { kind: "other" } : { kind: "prompt", text, source: "user" }
    }
    case "AfterAgent": {
      const text = Payload.text(payload, "prompt_response")
      return text === undefined ? { kind: "other" } : { kind: "said", text }
    }
    case "SessionEnd":
      return { kind: "ended", reason: Payload.text(payload, "reason") ?? "unknown" }
    default:
      return { kind: "other" }
  }
}

const isError = (response: Json): boolean => {
  const error = fieldOf(response, "error")
  return error !== undefined && error !== null
}
