/** The log records of Claude Code (https://code.claude.com/docs/en/monitoring-usage). */

import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { LogRecord } from "../otlp/LogRecord.ts"
import { json } from "../otlp/Meaning.ts"
import { field, numberOf, numericOf, plus, statedCount, textOf } from "../runs/Untrusted.ts"
import type { AgentLog, Decision, Telling } from "./AgentLog.ts"

const PREFIX = "claude_code."

export const claudeCode: AgentLog = {
  name: "claude-code",
  title: "Claude Code",
  more: "OTEL_LOG_USER_PROMPTS=1 sends prompts and answers, OTEL_LOG_TOOL_DETAILS=1 the arguments of tools",
  recognizes: ({ body, name }) => name !== "" && typeof body === "string" && body.startsWith(PREFIX),
  session: "session.id",
  tellingOf: ({ name, attributes }: LogRecord): Telling => {
    const requestId = textOf(attributes, "request_id")
    const model = textOf(attributes, "model") ?? "unknown"
    switch (name) {
      case "user_prompt":
        return { kind: "prompt", text: sent(textOf(attributes, "prompt")) }
      case "assistant_response":
        return { kind: "answer", id: requestId, text: sent(textOf(attributes, "response")) }
      case "api_request": {
        const cachedTokens = statedCount(attributes, "cache_read_tokens")
        const cacheWriteTokens = statedCount(attributes, "cache_creation_tokens")
        return {
          kind: "request",
          id: requestId,
          provider: "anthropic",
          model,
          usage: ProviderUsage.wholeOrUnknown({
            inputTokens: plus(statedCount(attributes, "input_tokens"), cachedTokens, cacheWriteTokens),
            outputTokens: statedCount(attributes, "output_tokens"),
            cachedTokens,
            cacheWriteTokens,
          }),
          usd: numberOf(attributes, "cost_usd"),
          durationMs: numericOf(attributes, "duration_ms"),
          text: undefined,
        }
      }
      case "api_error":
        return { kind: "failure", provider: "anthropic", model, reason: textOf(attributes, "error") ?? "an error" }
      case "tool_decision":
        return { kind: "decision", ...callIn(attributes), ...decisionIn(attributes) }
      case "tool_result": {
        const ok = textOf(attributes, "success") === "true" || field(attributes, "success") === true
        const content = ok ? undefined : textOf(attributes, "error")
        return {
          kind: "result",
          ...callIn(attributes),
          ok,
          content,
          durationMs: numericOf(attributes, "duration_ms"),
        }
      }
      case "hook_execution_start":
      case "hook_registered":
        return { kind: "noise" }
      default:
        return { kind: "other" }
    }
  },
}

/** Replaces a text that Claude Code had no permission to send. */
const NOT_SENT = "<REDACTED>"

const sent = (text: string | undefined): string | undefined => (text === NOT_SENT ? undefined : text)

const callIn = (attributes: unknown) => ({
  callId: textOf(attributes, "tool_use_id"),
  tool: textOf(attributes, "tool_name") ?? "unknown",
  args: json(field(attributes, "tool_input") ?? field(attributes, "tool_parameters")),
  requestId: textOf(attributes, "request_id"),
})

const decisionIn = (attributes: unknown): Decision => {
  const by = textOf(attributes, "source") ?? "unknown"
  return { approved: textOf(attributes, "decision") === "accept", by, asked: by.startsWith("user_") }
}
