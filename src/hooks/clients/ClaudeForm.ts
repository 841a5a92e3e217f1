/** Claude Code's hook format, which Codex and Qwen Code mostly share. */

import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { Happening, HookEvent, HookRuling, ToolCall } from "../HookEvent.ts"
import { type Answer, EMPTY, reasonOf } from "./Client.ts"
import * as Payload from "./Payload.ts"

/** The event at which a tool waits. */
export const GATE = "PreToolUse"

export const read = (
  payload: Json,
  callIdOf = (from: JsonObject) => Payload.text(from, "tool_use_id"),
): HookEvent | undefined => {
  if (!isObject(payload)) return undefined
  const event = Payload.text(payload, "hook_event_name")
  const session = Payload.text(payload, "session_id")
  if (event === undefined || session === undefined) return undefined
  const happening = happeningOf(event, payload, callIdOf)
  if (happening === undefined) return undefined
  const cwd = Payload.text(payload, "cwd") ?? ""
  return { event, session, cwd, happening, payload, ...defined({ agentId: Payload.text(payload, "agent_id") }) }
}

const happeningOf = (
  event: string,
  payload: JsonObject,
  callIdOf: (from: JsonObject) => string | undefined,
): Happening | undefined => {
  const callOf = (from: JsonObject): ToolCall | undefined => {
    const tool = Payload.text(from, "tool_name")
    return tool === undefined
      ? undefined
      : { tool, input: Payload.value(from, "tool_input"), ...defined({ callId: callIdOf(from) }) }
  }
  switch (event) {
    case "PreToolUse":
    case "PostToolUse":
    case "PostToolUseFailure": {
      const call = callOf(payload)
      if (call === undefined) return undefined
      if (event === GATE) return { kind: "before", ...call }
      const ok = event === "PostToolUse"
      const content = Payload.value(payload, ok ? "tool_response" : "error")
      return { kind: "after", ...call, ok, content, ...defined({ durationMs: Payload.span(payload, "duration_ms") }) }
    }
    case "PostToolBatch":
      return {
        kind: "batch",
        calls: Payload.objects(payload, "tool_calls").flatMap((one) => {
          const call = callOf(one)
          return call === undefined ? [] : [{ ...call, content: Payload.value(one, "tool_response") }]
        }),
      }
    case "UserPromptSubmit": {
      const text = Payload.text(payload, "prompt")
      return text === undefined ? { kind: "other" } : { kind: "prompt", text, source: "user" }
    }
    case "Stop": {
      const text = Payload.text(payload, "last_assistant_message")
      return text === undefined ? { kind: "other" } : { kind: "said", text }
    }
    case "SessionEnd":
      return { kind: "ended", reason: Payload.text(payload, "reason") ?? "unknown" }
    default:
      return { kind: "other" }
  }
}

/** The answer in JSON. It is empty for an allowed call: the client's own rules and questions still apply. */
export const answer = (event: string, ruling: HookRuling): Answer => {
  if (ruling.decision !== "deny") return EMPTY
  const decided = {
    hookSpecificOutput: {
      hookEventName: event,
      permissionDecision: "deny",
      permissionDecisionReason: reasonOf(ruling),
    },
  }
  return { ...EMPTY, stdout: JSON.stringify(decided) }
}
