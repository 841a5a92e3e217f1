/** Reads the AI SDK's (`ai`, version 7) reports of model calls and tools. Pure. */

import type { AnswerPart, Message } from "../../agents/models/Message.ts"
import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as AiSdkMessages from "../../importing/messages/AiSdk.ts"
import { field, listOf, logJson, nameFrom, numberOf, parsed, textOf } from "../../importing/runs/Untrusted.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { ModelRequest } from "../../providers/WireFormat.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { ReportedCall, ReportedEnd } from "../http/ObservedCalls.ts"
import * as JsonCopy from "../JsonCopy.ts"
import type { ObservedAnswer } from "../ObservedModel.ts"

/** The request of a `languageModelCall`. */
export const requestOf = (event: unknown): ModelRequest => {
  const provider = textOf(event, "provider") ?? "unknown"
  const instructions = field(event, "instructions") ?? field(event, "system")
  return {
    // `openai.responses` is OpenAI's.
    provider: provider.split(".")[0] ?? provider,
    model: textOf(event, "modelId") ?? "unknown",
    system: typeof instructions === "string" ? instructions : "",
    // The reader of imports keeps unknown parts as items.
    messages: listOf(event, "messages").flatMap(AiSdkMessages.messagesOf) as ReadonlyArray<Message>,
    tools: listOf(event, "tools").map((tool) => {
      const args = JsonCopy.of(field(tool, "inputSchema") ?? {})
      return {
        name: nameFrom(textOf(tool, "name") ?? "unknown"),
        description: textOf(tool, "description") ?? "",
        args: isObject(args) ? args : {},
      }
    }),
    settings: Object.fromEntries(
      SETTINGS.flatMap((name) => {
        const setting = field(event, name)
        return setting === undefined ? [] : [[name, JsonCopy.of(setting)]]
      }),
    ),
  }
}

const SETTINGS = ["maxOutputTokens", "temperature", "topP", "topK", "seed", "stopSequences", "toolChoice"]

/** The answer of a model; undefined if the publisher does not show it. */
export const answerOf = (answer: unknown, latencyMs: number): ObservedAnswer | undefined => {
  const content = field(answer, "content")
  if (!Array.isArray(content)) return undefined
  const [said] = AiSdkMessages.messagesOf({ role: "assistant", content: content.map(withParsedInput) })
  const parts = (said?.content ?? []) as ReadonlyArray<AnswerPart>
  const finish = field(answer, "finishReason")
  const reason = typeof finish === "string" ? finish : textOf(finish, "unified")
  const hasCalls = parts.some(({ type }) => type === "call")
  return {
    parts,
    finish: reason === "length" ? "length" : hasCalls ? "calls" : "stop",
    usage: usageOf(field(answer, "usage")),
    latencyMs,
  }
}

/** Providers give the arguments as text. */
const withParsedInput = (part: unknown): unknown => {
  const input = field(part, "input")
  if (textOf(part, "type") !== "tool-call" || typeof input !== "string") return part
  return { ...Object(part), input: parsed(input) ?? input }
}

const usageOf = (usage: unknown): ModelUsage | undefined => {
  const [input, output] = [field(usage, "inputTokens"), field(usage, "outputTokens")]
  const details = field(usage, "inputTokenDetails") ?? input
  const counts = {
    inputTokens: numberOf({ input }, "input") ?? numberOf(input, "total"),
    outputTokens: numberOf({ output }, "output") ?? numberOf(output, "total"),
    cachedTokens: numberOf(details, "cacheRead") ?? numberOf(details, "cacheReadTokens"),
    cacheWriteTokens: numberOf(details, "cacheWrite") ?? numberOf(details, "cacheWriteTokens"),
  }
  const known = Object.entries(counts).flatMap(([name, count]) =>
    count === undefined || count < 0 ? [] : [[name, Math.min(Math.round(count), ProviderUsage.MOST_TOKENS)]],
  )
  return ProviderUsage.whole(Object.fromEntries(known))
}

/** The call of an `executeTool`; undefined if it has no id. */
export const toolCallOf = (event: unknown): ReportedCall | undefined => {
  const call = field(event, "toolCall")
  const callId = textOf(call, "toolCallId")
  if (callId === undefined) return undefined
  return { callId, tool: textOf(call, "toolName") ?? "", args: JsonCopy.of(field(call, "input") ?? {}) }
}

/** How an `executeTool` ended; undefined if the publisher does not show it. */
export const toolEndOf = (message: unknown, elapsedMs: number): ReportedEnd | undefined => {
  const result = field(message, "result")
  const latencyMs = numberOf(result, "toolExecutionMs") ?? elapsedMs
  const output = field(result, "output")
  const thrown = field(output, "error") ?? field(message, "error")
  const type = textOf(output, "type")
  if (type === "tool-result") return { ok: true, content: JsonCopy.of(field(output, "output")), latencyMs }
  if (thrown === undefined) return undefined
  return { ok: false, content: thrown instanceof Error ? thrown.message : logJson(thrown).json, latencyMs }
}
