/** The log records of Codex (https://developers.openai.com/codex/config-advanced, `[otel]`). */

import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { LogRecord } from "../otlp/LogRecord.ts"
import { json } from "../otlp/Meaning.ts"
import { field, numericOf, textOf } from "../runs/Untrusted.ts"
import type { AgentLog, Telling } from "./AgentLog.ts"

const PREFIX = "codex."

export const codex: AgentLog = {
  name: "codex",
  title: "Codex",
  more: "log_user_prompt = true in [otel] sends prompts; Codex sends no answers",
  recognizes: ({ name }) => name.startsWith(PREFIX),
  session: "conversation.id",
  tellingOf: ({ name, attributes }: LogRecord): Telling => {
    const model = textOf(attributes, "model") ?? "unknown"
    const count = (key: string) => {
      const found = numericOf(attributes, key)
      return found === undefined ? undefined : Math.max(0, Math.round(found))
    }
    const call = {
      callId: textOf(attributes, "call_id"),
      tool: textOf(attributes, "tool_name") ?? "unknown",
      args: json(field(attributes, "arguments")),
    }
    switch (name.slice(PREFIX.length)) {
      case "user_prompt":
        return { kind: "prompt", text: sent(textOf(attributes, "prompt")) }
      case "sse_event":
        if (textOf(attributes, "event.kind") !== "response.completed") return { kind: "noise" }
        return {
          kind: "request",
          id: undefined,
          provider: "openai",
          model,
          usage: ProviderUsage.wholeOrUnknown({
            inputTokens: count("input_token_count"),
            outputTokens: count("output_token_count"),
            cachedTokens: count("cached_token_count"),
          }),
          usd: undefined,
          durationMs: numericOf(attributes, "duration_ms"),
          text: undefined,
        }
      case "api_request": {
        const reason = textOf(attributes, "error.message")
        return reason === undefined ? { kind: "noise" } : { kind: "failure", provider: "openai", model, reason }
      }
      case "tool_decision": {
        const by = textOf(attributes, "source") ?? "unknown"
        const approved = /^approved/i.test(textOf(attributes, "decision") ?? "")
        return { kind: "decision", ...call, approved, by: by.toLowerCase(), asked: /^user$/i.test(by) }
      }
      case "tool_result":
        return {
          kind: "result",
          ...call,
          ok: textOf(attributes, "success") === "true" || field(attributes, "success") === true,
          content: field(attributes, "output"),
          durationMs: numericOf(attributes, "duration_ms"),
        }
      default:
        return { kind: "other" }
    }
  },
}

const sent = (text: string | undefined): string | undefined => (text === "[REDACTED]" ? undefined : text)
