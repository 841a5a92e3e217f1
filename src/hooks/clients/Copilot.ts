/** GitHub Copilot CLI: its payloads have no event names and no call ids. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { fieldOf, isObject } from "../../values/JsonObjects.ts"
import type { Happening } from "../HookEvent.ts"
import { type Client, EMPTY, reasonOf } from "./Client.ts"
import * as Payload from "./Payload.ts"

const GATE = "preToolUse"

export const client: Client = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  format: "copilot-cli",
  tried: "1.0.102",
  read: (payload) => {
    if (!isObject(payload)) return undefined
    const event = Payload.text(payload, "hookEvent")
    const session = Payload.text(payload, "sessionId")
    if (event === undefined || session === undefined) return undefined
    const happening = happeningOf(event, payload)
    if (happening === undefined) return undefined
    return { event, session, cwd: Payload.text(payload, "cwd") ?? "", happening, payload }
  },
  answer: (_, ruling) =>
    ruling.decision === "deny"
      ? {
          ...EMPTY,
          stdout: JSON.stringify({ permissionDecision: "deny", permissionDecisionReason: reasonOf(ruling) }),
        }
      : EMPTY,
}

const happeningOf = (event: string, payload: JsonObject): Happening | undefined => {
  switch (event) {
    case GATE:
    case "postToolUse": {
      const tool = Payload.text(payload, "toolName")
      if (tool === undefined) return undefined
      const call = { tool, input: Payload.value(payload, "toolArgs") }
      if (event === GATE) return { kind: "before", ...call }
      const result = Payload.value(payload, "toolResult")
      const text: Json = textOf(result)
      return { kind: "after", ...call, content: text, ok: fieldOf(result, "resultType") === "success" }
    }
    case "userPromptSubmitted": {
      const text = Payload.text(payload, "prompt")
      return text === undefined ? { kind: "other" } : { kind: "prompt", text, source: "user" }
    }
    case "sessionEnd":
      return { kind: "ended", reason: Payload.text(payload, "reason") ?? "unknown" }
    default:
      return { kind: "other" }
  }
}

const textOf = (result: Json): Json => (isObject(result) ? Payload.value(result, "textResultForLlm") : result)
