/** Observations of Langfuse: lines of its exports (`observations`, with names in snake case), or documents of its API (`data`, `observations`). */

import { defined } from "../../values/defined.ts"
import { spanMapper } from "../otlp/Otlp.ts"
import type { Span } from "../otlp/Span.ts"
import { APPROVALS, UNTRACED, WORLD } from "../runs/FormatCapture.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, listOf, numberOf, parsed, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Source } from "../Source.ts"
import { answerIn, toldIn } from "./ChatParts.ts"

const TYPES = /^(?:GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)$/

/** A field by its name in camel case, or in snake case. */
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
      spans: (record) => observationsIn(record).map(([one, trace]) => spanOf(one, trace)),
      traces: (record) =>
        observationsIn(record).map(([one, trace]) => ({
          traceId: textAt(one, "traceId") ?? "unknown",
          conversation: sessionOf(one, trace),
        })),
    }),
}

/** The observations of a record, each with its trace, where that has them in it. */
const observationsIn = (record: unknown): ReadonlyArray<readonly [observation: unknown, trace: unknown]> => {
  if (Array.isArray(record)) return record.flatMap(observationsIn)
  if (Array.isArray(field(record, "data"))) return listOf(record, "data").flatMap(observationsIn)
  const own = listOf(record, "observations").filter(isObject)
  return own.length > 0 ? own.map((one) => [one, record] as const) : [[record, undefined] as const]
}

const sessionOf = (one: unknown, trace: unknown): string | undefined =>
  textAt(one, "sessionId") ?? textAt(trace, "sessionId")

const spanOf = (one: unknown, trace: unknown): Span | undefined => {
  const [spanId, traceId] = [textOf(one, "id"), textAt(one, "traceId")]
  if (spanId === undefined || traceId === undefined || !isObservation(one)) return undefined
  const [type, session] = [textOf(one, "type") ?? "SPAN", sessionOf(one, trace)]
  const isError = textOf(one, "level") === "ERROR"
  return {
    traceId,
    spanId,
    parentSpanId: textAt(one, "parentObservationId"),
    isEntry: false,
    name: textOf(one, "name") ?? type,
    start: timeOf(get(one, "startTime")),
    end: timeOf(get(one, "endTime")),
    attributes: {
      ...defined({ "gen_ai.conversation.id": session }),
      ...(type === "GENERATION"
        ? modelOf(one)
        : type === "TOOL"
          ? toolOf(one)
          : { "gen_ai.operation.name": "invoke_agent" }),
    },
    events: [],
    error: isError ? (textAt(one, "statusMessage") ?? "an error") : undefined,
    service: undefined,
  }
}

/** An object, which exports may have as text. */
const objectAt = (value: unknown, name: string): unknown => {
  const found = get(value, name)
  return typeof found === "string" ? parsed(found) : found
}

const modelOf = (one: unknown): Readonly<Record<string, unknown>> => {
  const [usage, cost] = [objectAt(one, "usageDetails") ?? get(one, "usage"), objectAt(one, "costDetails")]
  const read = numberOf(usage, "input_cached_tokens") ?? numberOf(usage, "cache_read_input_tokens")
  const written = numberOf(usage, "cache_creation_input_tokens")
  const input = numberOf(usage, "input")
  return given({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": textAt(one, "providedModelName") ?? textOf(one, "model") ?? "unknown",
    "gen_ai.input.messages": toldIn(field(one, "input") ?? []),
    "gen_ai.output.messages": answerIn(field(one, "output") ?? []),
    // Langfuse counts each token once: those of the cache are beside the input.
    "gen_ai.usage.input_tokens": input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
    "gen_ai.usage.output_tokens": numberOf(usage, "output"),
    "gen_ai.usage.cache_read.input_tokens": read,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "gen_ai.usage.cost":
      numberOf(cost, "total") ??
      numberOf({ cost: get(one, "totalCost") }, "cost") ??
      numberOf({ cost: get(one, "calculatedTotalCost") }, "cost"),
  })
}

const toolOf = (one: unknown): Readonly<Record<string, unknown>> =>
  given({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": textOf(one, "name") ?? "unknown",
    "gen_ai.tool.call.arguments": objectAt(one, "input") ?? field(one, "input"),
    "gen_ai.tool.call.result": objectAt(one, "output") ?? field(one, "output"),
  })

const given = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))
