/** The log records of Gemini CLI (https://geminicli.com/docs/cli/telemetry). Its calls have no ids. */

import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { LogRecord } from "../otlp/LogRecord.ts"
import { json } from "../otlp/Meaning.ts"
import { at, field, listOf, numberOf, parsed, plus, statedCount, textOf } from "../runs/Untrusted.ts"
import type { AgentLog, Decision, Telling } from "./AgentLog.ts"

const PREFIX = "gemini_cli."

export const geminiCli: AgentLog = {
  name: "gemini-cli",
  title: "Gemini CLI",
  more: "logPrompts sends prompts and arguments; results of tools are not sent",
  recognizes: ({ name }) => name.startsWith(PREFIX),
  session: "session.id",
  tellingOf: ({ name, attributes }: LogRecord): Telling => {
    const model = textOf(attributes, "model") ?? "unknown"
    switch (name.slice(PREFIX.length)) {
      case "user_prompt":
        return { kind: "prompt", text: textOf(attributes, "prompt") }
      case "api_request":
        return { kind: "noise" }
      case "api_response":
        return {
          kind: "request",
          id: undefined,
          provider: "google",
          model,
          usage: ProviderUsage.wholeOrUnknown({
            inputTokens: statedCount(attributes, "input_token_count"),
            outputTokens: plus(
              statedCount(attributes, "output_token_count"),
              statedCount(attributes, "thoughts_token_count"),
            ),
            cachedTokens: statedCount(attributes, "cached_content_token_count"),
          }),
          usd: undefined,
          durationMs: numberOf(attributes, "duration_ms"),
          text: textIn(textOf(attributes, "response_text")),
        }
      case "api_error": {
        const reason = textOf(attributes, "error.message") ?? textOf(attributes, "error") ?? "an error"
        return { kind: "failure", provider: "google", model, reason }
      }
      case "tool_call":
        return {
          kind: "result",
          callId: textOf(attributes, "call_id"),
          tool: textOf(attributes, "function_name") ?? "unknown",
          args: json(field(attributes, "function_args")),
          ok: field(attributes, "success") === true,
          content: textOf(attributes, "error"),
          durationMs: numberOf(attributes, "duration_ms"),
          decision: decisionIn(attributes),
        }
      default:
        return { kind: "other" }
    }
  },
}

/** `auto_accept` had no question; the others are a person's. A refusal by a policy has no decision. */
const decisionIn = (attributes: unknown): Decision | undefined => {
  const decision = textOf(attributes, "decision")
  if (decision === undefined)
    return textOf(attributes, "error_type") === "policy_violation"
      ? { approved: false, by: "policy", asked: false }
      : undefined
  return { approved: decision !== "reject", by: decision, asked: decision !== "auto_accept" && decision !== "accept" }
}

/** The answer's text; undefined if it was cut or not sent. */
const textIn = (response: string | undefined): string | undefined => {
  const found = response === undefined ? undefined : parsed(response)
  const parts = (Array.isArray(found) ? found : []).flatMap((one) =>
    listOf(at(one, "candidates", "0", "content"), "parts").flatMap((part) => textOf(part, "text") ?? []),
  )
  return parts.length === 0 ? undefined : parts.join("")
}
