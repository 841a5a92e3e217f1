/**
 * Observations of Langfuse: lines of its exports (`observations`, in snake case), or documents of its API (`data`,
 * `observations`).
 */

import { defined } from "../../values/defined.ts"
import { spanMapper } from "../otlp/Otlp.ts"
import type { Span } from "../otlp/Span.ts"
import { APPROVALS, UNTRACED, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, listOf, numericOf, parsed, plus, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Source } from "../Source.ts"
import { given, unreadIn } from "./Attributes.ts"
import { answerIn, askedIn, toldIn } from "./ChatParts.ts"
import { idIn, type Unread } from "./ContentParts.ts"

const TYPES = /^(?:GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)$/

/** A field in camel case or snake case. */
const get = (value: unknown, name: string): unknown =>
  field(value, name) ??
  field(
    value,
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )

const textAt = (value: unknown, name: string): string | undefined => textOf({ found: get(value, name) }, "found")

const isObservation = (value: unknown): boolean =>
  TYPES.test(textOf(value, "type") ?? "") &&
  textAt(value, "traceId") !== undefined &&
  textAt(value, "startTime") !== undefined

export const langfuse: Source = {
  name: "langfuse",
  title: "export of Langfuse's observations",
  form: "either",
  capture: { pairing: "call-id", lacks: [UNTRACED, APPROVALS, WORLD] },
  recognizes: ({ lines, text }: FileHead) =>
    observationsIn(lines[0]).some(([one]) => isObservation(one)) ||
    (lines.length === 0 &&
      /"type"\s*:\s*"(?:GENERATION|SPAN|AGENT|TOOL)"/.test(text) &&
      /"trace_?[iI]d"\s*:/.test(text)),
  open: (file, runs) =>
    spanMapper(file, runs, {
      spans: (record) => spansIn(record, runs),
      traces: (record) =>
        observationsIn(record).map(([one, trace]) => ({
          traceId: textAt(one, "traceId") ?? "unknown",
          conversation: sessionOf(one, trace),
        })),
    }),
}

const observationsIn = (record: unknown): ReadonlyArray<readonly [observation: unknown, trace: unknown]> => {
  if (Array.isArray(record)) return record.flatMap(observationsIn)
  if (Array.isArray(field(record, "data"))) return listOf(record, "data").flatMap(observationsIn)
  const own = listOf(record, "observations").filter(isObject)
  const trace = isObject(field(record, "trace")) ? field(record, "trace") : record
  return own.length > 0 ? own.map((one) => [one, trace] as const) : [[record, undefined] as const]
}

/** Number of scores, which belong to observations rather than runs. */
const scoresIn = (record: unknown): number => {
  if (Array.isArray(record)) return record.reduce((sum: number, one) => sum + scoresIn(one), 0)
  const inner = ["data", "trace"].map((name) => field(record, name)).filter((value) => typeof value === "object")
  const scores = listOf(record, "scores").filter(isObject).length
  return inner.reduce((sum: number, one) => sum + scoresIn(one), scores)
}

const sessionOf = (one: unknown, trace: unknown): string | undefined =>
  textAt(one, "sessionId") ?? textAt(trace, "sessionId") ?? textOf(metadataOf(one), "thread_id")

const spansIn = (record: unknown, runs: MappedRuns): ReadonlyArray<Span | undefined> => {
  const scores = scoresIn(record)
  if (scores > 0) runs.leaveOut("score", "scores of Langfuse are not read; export them and use a mapping", scores)
  return observationsIn(record).map(([one, trace]) => spanOf(one, trace, unreadIn(runs)))
}

const spanOf = (one: unknown, trace: unknown, unread: Unread): Span | undefined => {
  const [spanId, traceId] = [textOf(one, "id"), textAt(one, "traceId")]
  if (spanId === undefined || traceId === undefined || !isObservation(one)) return undefined
  const [type, session] = [textOf(one, "type") ?? "SPAN", sessionOf(one, trace)]
  const isError = textOf(one, "level") === "ERROR"
  const parentSpanId = textAt(one, "parentObservationId")
  const read = type === "GENERATION" ? modelOf(one, isError, unread) : isTool(one, type) ? toolOf(one) : undefined
  return {
    traceId,
    spanId,
    parentSpanId,
    isEntry: false,
    name: textOf(one, "name") ?? type,
    start: timeOf(get(one, "startTime")),
    end: timeOf(get(one, "endTime")),
    attributes: {
      ...defined({ "gen_ai.conversation.id": session }),
      ...(read ?? agentOf(one, parentSpanId === undefined ? trace : undefined)),
    },
    events: [],
    error: isError ? (textAt(one, "statusMessage") ?? "an error") : undefined,
    service: undefined,
  }
}

const jsonAt = (value: unknown, name: string): unknown => {
  const found = get(value, name)
  return typeof found === "string" ? (parsed(found) ?? found) : found
}

const metadataOf = (one: unknown): unknown => jsonAt(one, "metadata")

/** Attributes of the original span. */
const attributeOf = (one: unknown, ...names: ReadonlyArray<string>): string | undefined => {
  const attributes = jsonAt(metadataOf(one), "attributes")
  return names.map((name) => idIn(field(attributes, name))).find((text) => text !== undefined)
}

/** Whether an observation is a tool call; older ones have type SPAN. */
const isTool = (one: unknown, type: string): boolean =>
  type === "TOOL" ||
  (type === "SPAN" &&
    (attributeOf(one, "gen_ai.tool.name", "tool.name", "ai.toolCall.name") !== undefined ||
      textOf(jsonAt(one, "output"), "type") === "tool"))

const modelOf = (one: unknown, isError: boolean, unread: Unread): Readonly<Record<string, unknown>> => {
  const cost = jsonAt(one, "costDetails")
  const usage = usageOf(one)
  const [input, output] = [toldIn(get(one, "input"), unread), answerIn(get(one, "output"), unread)]
  // Some programs write empty generations for moments within one.
  if (!isError && input.length + output.length === 0 && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) === 0)
    return {}
  const metadata = metadataOf(one)
  return given({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name":
      textOf(metadata, "ls_provider") ?? attributeOf(one, "gen_ai.provider.name", "gen_ai.system", "llm.provider"),
    "gen_ai.request.model": textAt(one, "providedModelName") ?? textOf(one, "model") ?? "unknown",
    "gen_ai.input.messages": input,
    "gen_ai.output.messages": output,
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.read,
    "gen_ai.usage.cache_creation.input_tokens": usage.written,
    "gen_ai.usage.cost":
      numericOf(cost, "total") ?? numericAt(one, "totalCost") ?? numericAt(one, "calculatedTotalCost"),
  })
}

const numericAt = (one: unknown, name: string): number | undefined => numericOf({ found: get(one, name) }, "found")

/**
 * Langfuse counts cached tokens separately from the input. If the total contradicts this, the program supplied the
 * counts and the input includes them.
 */
const usageOf = (one: unknown) => {
  const details = jsonAt(one, "usageDetails")
  const usage = isObject(details) && Object.keys(details).length > 0 ? details : jsonAt(one, "usage")
  const of = (...names: ReadonlyArray<string>) =>
    names.map((name) => numericOf(usage, name)).find((count) => count !== undefined)
  const input =
    of("input", "promptTokens", "prompt_tokens", "input_tokens") ??
    numericAt(one, "inputUsage") ??
    numericAt(one, "promptTokens")
  const output =
    of("output", "completionTokens", "completion_tokens", "output_tokens") ??
    numericAt(one, "outputUsage") ??
    numericAt(one, "completionTokens")
  const read = of("input_cached_tokens", "cache_read_input_tokens", "input_cache_read", "prompt_details.cache_read")
  const written = of("cache_creation_input_tokens", "input_cache_creation", "prompt_details.cache_write")
  const reasoning = of("output_reasoning_tokens", "output_reasoning")
  const total = of("total", "totalTokens", "total_tokens")
  const isDotted = of("prompt_details.cache_read", "prompt_details.cache_write") !== undefined
  const isWhole = isDotted || (total !== undefined && total === (input ?? 0) + (output ?? 0))
  return {
    inputTokens: isWhole ? input : plus(input, read, written),
    outputTokens: isWhole ? output : plus(output, reasoning),
    read,
    written,
  }
}

const toolOf = (one: unknown): Readonly<Record<string, unknown>> => {
  const written = jsonAt(one, "output")
  const isEmpty = isObject(written) && Object.keys(written).length === 0
  // Google's ADK stores a call's result next to its output.
  const own = jsonAt(jsonAt(metadataOf(one), "attributes"), "gcp.vertex.agent.tool_response")
  const output = isEmpty ? (own ?? written) : written
  const input = jsonAt(one, "input")
  const name = attributeOf(one, "gen_ai.tool.name", "tool.name", "ai.toolCall.name") ?? textOf(one, "name") ?? "unknown"
  return given({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name.replace(/^(?:execute_tool |running tool: )/, ""),
    "gen_ai.tool.call.id":
      attributeOf(one, "gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id") ?? textOf(output, "tool_call_id"),
    "gen_ai.tool.call.arguments": field(metadataOf(one), "inputs") ?? input,
    "gen_ai.tool.call.result": textOf(output, "type") === "tool" ? field(output, "content") : output,
  })
}

/** A span around requests and calls; the root has the person's input. */
const agentOf = (one: unknown, trace: unknown): Readonly<Record<string, unknown>> => {
  const asked = askedIn(jsonAt(one, "input")) ?? askedIn(twice(jsonAt(trace, "input")))
  return given({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": attributeOf(one, "gen_ai.agent.name", "agent.name"),
    "gen_ai.input.messages":
      asked === undefined ? undefined : [{ role: "user", parts: [{ type: "text", content: asked }] }],
  })
}

/** A trace's input is JSON text within JSON text. */
const twice = (value: unknown): unknown => (typeof value === "string" ? (parsed(value) ?? value) : value)
