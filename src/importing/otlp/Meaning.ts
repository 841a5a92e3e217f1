/**
 * Interprets a span's attributes as a request to a model, a tool call or an agent, in any of the supported conventions.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { field, isObject, numberOf, parsed, statedCount, textOf } from "../runs/Untrusted.ts"
import * as Messages from "./Messages.ts"
import type { Span } from "./Span.ts"

/** A request to a model. */
export interface ModelMeaning {
  readonly kind: "model"
  readonly provider: string
  readonly model: string
  readonly usage: ModelUsage
  /** In US dollars, if the span states it. */
  readonly usd?: number | undefined
  /** The whole conversation so far. */
  readonly input: ReadonlyArray<Messages.Message>
  readonly output: ReadonlyArray<Messages.Message>
}

export interface ToolMeaning {
  readonly kind: "tool"
  readonly tool: string
  readonly callId: string | undefined
  readonly args: unknown
  readonly result: unknown
}

/** An agent's run; `text` is its prompt. */
export interface AgentMeaning {
  readonly kind: "agent"
  readonly name: string
  readonly text: string | undefined
}

export type Meaning = ModelMeaning | ToolMeaning | AgentMeaning | { readonly kind: "other" }

const OTHER: Meaning = { kind: "other" }

/** Checks the AI SDK first, since its spans also carry OpenTelemetry attributes. */
export const meaningOf = (span: Span): Meaning => {
  const { attributes } = span
  const operation = textOf(attributes, "ai.operationId") ?? textOf(attributes, "operation.name")
  if (operation?.startsWith("ai.") === true) return ofAiSdk(operation, span)
  const kind = textOf(attributes, "openinference.span.kind")
  if (kind !== undefined) return ofOpenInference(kind.toUpperCase(), span)
  return ofGenAi(span)
}

const ofAiSdk = (operation: string, { attributes }: Span): Meaning => {
  if (operation.startsWith("ai.toolCall"))
    return {
      kind: "tool",
      tool: textOf(attributes, "ai.toolCall.name") ?? "unknown",
      callId: textOf(attributes, "ai.toolCall.id"),
      args: json(field(attributes, "ai.toolCall.args")),
      result: json(field(attributes, "ai.toolCall.result")),
    }
  // The outer span of a generation repeats its inner spans, one per request.
  if (!/\.(?:doGenerate|doStream)\b/.test(operation))
    return {
      kind: "agent",
      name: textOf(attributes, "ai.telemetry.functionId") ?? "ai-sdk",
      text: promptIn(attributes),
    }
  const text = textOf(attributes, "ai.response.text") ?? textOf(attributes, "ai.response.object")
  const calls = json(field(attributes, "ai.response.toolCalls"))
  return {
    kind: "model",
    provider: (textOf(attributes, "ai.model.provider") ?? "unknown").split(".")[0] ?? "unknown",
    model: textOf(attributes, "ai.response.model") ?? textOf(attributes, "ai.model.id") ?? "unknown",
    usage: usageIn(
      attributes,
      ["ai.usage.inputTokens", "ai.usage.promptTokens"],
      ["ai.usage.outputTokens", "ai.usage.completionTokens"],
      ["ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"],
      ["ai.usage.inputTokenDetails.cacheWriteTokens"],
    ),
    input: Messages.ofAiSdk(json(field(attributes, "ai.prompt.messages") ?? field(attributes, "ai.prompt"))),
    output: Messages.answer(textOf(attributes, "ai.response.reasoning"), text, Messages.aiSdkCalls(calls)),
  }
}

const promptIn = (attributes: unknown): string | undefined => {
  const prompt = json(field(attributes, "ai.prompt"))
  if (typeof prompt === "string") return prompt
  return (
    textOf(prompt, "prompt") ?? Messages.ofAiSdk(field(prompt, "messages")).find(({ role }) => role === "user")?.text
  )
}

const ofOpenInference = (kind: string, span: Span): Meaning => {
  const { name, attributes } = span
  switch (kind) {
    case "LLM":
      return {
        kind: "model",
        provider: textOf(attributes, "llm.provider") ?? textOf(attributes, "llm.system") ?? "unknown",
        model: textOf(attributes, "llm.model_name") ?? "unknown",
        usage: usageIn(
          attributes,
          ["llm.token_count.prompt"],
          ["llm.token_count.completion"],
          ["llm.token_count.prompt_details.cache_read"],
          ["llm.token_count.prompt_details.cache_write"],
        ),
        usd: numberOf(attributes, "llm.cost.total"),
        ...Messages.ofOpenInference(span),
      }
    case "TOOL":
      return {
        kind: "tool",
        tool: textOf(attributes, "tool.name") ?? textOf(attributes, "gen_ai.tool.name") ?? name,
        callId: textOf(attributes, "tool_call.id") ?? textOf(attributes, "tool.id"),
        args: json(field(attributes, "tool.parameters") ?? field(attributes, "input.value")),
        result: json(field(attributes, "output.value")),
      }
    case "AGENT":
    case "CHAIN":
      return { kind: "agent", name: textOf(attributes, "agent.name") ?? name, text: textOf(attributes, "input.value") }
    default:
      return OTHER
  }
}

const ASKS = new Set(["chat", "text_completion", "generate_content", "completion"])

const ofGenAi = (span: Span): Meaning => {
  const { name, attributes } = span
  const operation = textOf(attributes, "gen_ai.operation.name")
  if (operation === "execute_tool" || (operation === undefined && textOf(attributes, "gen_ai.tool.name") !== undefined))
    return {
      kind: "tool",
      tool: textOf(attributes, "gen_ai.tool.name") ?? name.replace(/^execute_tool /, ""),
      callId: textOf(attributes, "gen_ai.tool.call.id"),
      args: json(field(attributes, "gen_ai.tool.call.arguments")),
      result: json(field(attributes, "gen_ai.tool.call.result")),
    }
  if (operation === "invoke_agent" || operation === "create_agent" || operation === "invoke_workflow")
    return {
      kind: "agent",
      name: textOf(attributes, "gen_ai.agent.name") ?? name,
      text: Messages.ofGenAi(span).input.find(({ role }) => role === "user")?.text,
    }
  const model = textOf(attributes, "gen_ai.response.model") ?? textOf(attributes, "gen_ai.request.model")
  if (!(ASKS.has(operation ?? "") || (operation === undefined && model !== undefined))) return OTHER
  return {
    kind: "model",
    provider: textOf(attributes, "gen_ai.provider.name") ?? textOf(attributes, "gen_ai.system") ?? "unknown",
    model: model ?? "unknown",
    usage: usageIn(
      attributes,
      ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
      ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
      ["gen_ai.usage.cache_read.input_tokens"],
      ["gen_ai.usage.cache_creation.input_tokens"],
    ),
    usd: numberOf(attributes, "gen_ai.usage.cost") ?? numberOf(attributes, "hindcast.model.cost.usd"),
    ...Messages.ofGenAi(span),
  }
}

const usageIn = (
  attributes: unknown,
  input: ReadonlyArray<string>,
  output: ReadonlyArray<string>,
  cached: ReadonlyArray<string>,
  written: ReadonlyArray<string>,
): ModelUsage => {
  const count = (names: ReadonlyArray<string>) => {
    const counts = names.flatMap((name) => statedCount(attributes, name) ?? [])
    return counts.find((found) => found > 0) ?? counts[0]
  }
  const usage = {
    ...{ inputTokens: count(input), outputTokens: count(output) },
    ...{ cachedTokens: count(cached) || undefined, cacheWriteTokens: count(written) },
  }
  return ProviderUsage.wholeOrUnknown(usage)
}

/** Parses an attribute with JSON text; other text stays text. */
export const json = (value: unknown): unknown => {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value
  const found = parsed(value)
  return isObject(found) || Array.isArray(found) || typeof found === "string" ? found : value
}
