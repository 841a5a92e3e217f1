/**
 * Traces in OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): a document, or one line per
 * export as the collector's file exporter writes. Supported conventions: OpenTelemetry for generative AI,
 * OpenInference, AI SDK.
 */

import { groupBy } from "../../values/groupBy.ts"
import { APPROVALS, type FormatCapture, UNTRACED, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { field, listOf, textOf } from "../runs/Untrusted.ts"
import type { Mapper, SourceFile, SourceRecord } from "../Source.ts"
import { type Conversation, Conversations } from "./Conversations.ts"
import { meaningOf } from "./Meaning.ts"
import { type Span, spanOf, textAttribute, traceIdOf } from "./Span.ts"
import { mapTrace } from "./Trace.ts"

/** Reads the spans of a record. */
export interface SpanReader {
  /** Undefined for a span without ids; a reason for one that is not mapped. */
  readonly spans: (record: unknown) => Iterable<Span | string | undefined>
  /** Reads only trace and conversation of each span. */
  readonly traces: (record: unknown) => Iterable<Named>
}

interface Named {
  readonly traceId: string
  readonly conversation: string | undefined
}

const reader: SpanReader = {
  *spans(record) {
    for (const [value, resource] of spansIn(record)) {
      const span = spanOf(value, resource)
      yield (span === undefined ? undefined : whyLeftOut(span.name, span.service)) ?? span
    }
  },
  *traces(record) {
    for (const [span, resource] of spansIn(record)) {
      const traceId = traceIdOf(span)
      const service = textAttribute(field(resource, "resource"), "service.name")
      if (traceId !== undefined && whyLeftOut(textOf(span, "name") ?? "", service) === undefined)
        yield { traceId, conversation: conversationOf(span) }
    }
  },
}

/** The traces of files and of `hindcast listen`. */
export const traces = {
  name: "otlp",
  capture: { pairing: "call-id", lacks: [UNTRACED, APPROVALS, WORLD] } satisfies FormatCapture,
  reader,
}

/** Why a span is not mapped: log records of some coding agents tell more, such as approvals, texts and costs. */
export const whyLeftOut = (name: string, service: string | undefined): string | undefined => {
  const agent = agentOf(name, service)
  return agent === undefined ? undefined : `spans of ${agent}: its log records tell the same`
}

const agentOf = (name: string, service: string | undefined): string | undefined => {
  if (name.startsWith("claude_code.")) return "claude-code"
  if (service === "gemini-cli") return service
  return service?.startsWith("codex_") === true ? "codex" : undefined
}

/** Maps spans, and knows the conversations that they name. */
export interface SpanMapper extends Mapper {
  readonly survey: (record: SourceRecord) => void
  readonly end: () => Iterable<void>
  /** The conversation that spans of a trace name, otherwise the trace itself. */
  readonly conversationOf: (trace: string) => string
}

/** Maps spans, as a reader finds them, to the runs of their conversations. */
export const spanMapper = (file: SourceFile, runs: MappedRuns, reader: SpanReader): SpanMapper => {
  const conversations = new Conversations()
  /** Spans of a document, which has no survey. */
  const held: Array<Span> = []
  let isSurveyed = false
  /** Returns whether the span completed a conversation, which is then mapped. */
  const take = (span: Span): boolean => {
    const added = conversations.add(span)
    if (added.kind === "again") runs.repeated("span", "span")
    if (added.kind === "kept" || added.whole === undefined) return false
    mapConversation(file, runs, added.whole)
    return true
  }
  return {
    conversationOf: (trace) => conversations.of(trace),
    survey: ({ value }) => {
      isSurveyed = true
      for (const named of reader.traces(value)) conversations.survey(named)
    },
    record: ({ value }) => {
      for (const span of reader.spans(value)) {
        if (span === undefined) runs.leaveOut("span", "it has no ids")
        else if (typeof span === "string") runs.leaveOut("span", span)
        else if (isSurveyed) take(span)
        else held.push(span)
      }
    },
    end: function* () {
      for (const { traceId, attributes } of held)
        conversations.survey({ traceId, conversation: conversationIn(attributes) })
      for (const span of held) if (take(span)) yield
    },
  }
}

/** The spans of a request or document, each with its resource. */
export function* spansIn(value: unknown): Iterable<readonly [span: unknown, resource: unknown]> {
  for (const resource of [...listOf(value, "resourceSpans"), ...listOf(value, "resource_spans")])
    for (const scope of [
      ...listOf(resource, "scopeSpans"),
      ...listOf(resource, "scope_spans"),
      ...listOf(resource, "instrumentationLibrarySpans"),
    ])
      for (const span of listOf(scope, "spans")) yield [span, resource]
}

/**
 * Maps the whole traces of a conversation.
 *
 * @param endsWithRoot whether the run ends with the root spans of its traces. Default: after an hour of silence
 */
export const mapConversation = (
  file: Pick<SourceFile, "now" | "modifiedAt">,
  runs: MappedRuns,
  { id, spans }: Conversation,
  endsWithRoot = false,
): void => {
  if (spans.every((span) => meaningOf(span).kind === "other")) {
    runs.leaveOut("trace", "no span of it is of a model, a tool or an agent")
    return
  }
  const silent = isSilent(file, lastEnd(spans))
  const mapped = silent ? spans : wholeTraces(file, spans)
  if (mapped.length < spans.length)
    runs.postpone(
      "postponed: a trace without its root span yet. It is imported, with those that began after it, once the root span is there or the trace was silent for an hour",
    )
  const hasEnded = silent || (endsWithRoot && mapped.length === spans.length)
  if (mapped.length > 0) mapTrace(runs, id, mapped, hasEnded)
}

/**
 * The spans of traces with a root span, which is written last. A trace that began after an unfinished one waits for it,
 * so that no message is recorded twice.
 */
const wholeTraces = (file: Pick<SourceFile, "now" | "modifiedAt">, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const traces = [...groupBy(spans, ({ traceId }) => [traceId]).values()]
  const unfinished = traces.filter((trace) => !hasRoot(trace) && !isSilent(file, lastEnd(trace)))
  const until = firstStart(unfinished.flat())
  return traces.filter((trace) => firstStart(trace) < until).flat()
}

/**
 * Whether a trace's root span was written: a span without a parent, or the entry span of a called service, unless one
 * of its parents is still to come.
 */
const hasRoot = (trace: ReadonlyArray<Span>): boolean => {
  if (trace.some(({ parentSpanId }) => parentSpanId === undefined)) return true
  const written = new Set(trace.map(({ spanId }) => spanId))
  return trace.every(({ isEntry, parentSpanId = "" }) => isEntry || written.has(parentSpanId))
}

const firstStart = (spans: ReadonlyArray<Span>): number =>
  spans.reduce((first, { start }) => Math.min(first, start ?? 0), Number.POSITIVE_INFINITY)

export const lastEnd = (spans: ReadonlyArray<Span>): number | null =>
  spans.reduce<number | null>((last, { end }) => (end === null ? last : Math.max(last ?? end, end)), null)

/** Attributes that name the conversation of a trace. */
const CONVERSATION = ["gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId"]

const firstOf = (textOf: (name: string) => string | undefined): string | undefined =>
  CONVERSATION.map(textOf).find((id) => id !== undefined)

/** The conversation that a span's or log record's attributes name. */
export const conversationIn = (attributes: unknown): string | undefined => firstOf((name) => textOf(attributes, name))

const conversationOf = (span: unknown): string | undefined => firstOf((name) => textAttribute(span, name))
