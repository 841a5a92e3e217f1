/**
 * Traces as OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): one document, or a line for each
 * export, as the collector's file exporter writes them. Spans of three conventions are understood: OpenTelemetry's for
 * generative AI, OpenInference, and those of the AI SDK.
 */

import { groupBy } from "../../values/groupBy.ts"
import { APPROVALS, UNTRACED, WORLD } from "../runs/FormatCapture.ts"
import type { Runs } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { listOf, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { type Conversation, Conversations } from "./Conversations.ts"
import { meaningOf } from "./Meaning.ts"
import { type Span, spanOf, textAttribute, traceIdOf } from "./Span.ts"
import { mapTrace } from "./Trace.ts"

export const otlp: Source = {
  name: "otlp",
  title: "trace in OTLP/JSON",
  form: "either",
  capture: { pairing: "call-id", lacks: [UNTRACED, APPROVALS, WORLD] },
  recognizes: ({ text }: FileHead) => /^\s*\{/.test(text) && /"(?:resourceSpans|resource_spans)"\s*:\s*\[/.test(text),
  open: (file: SourceFile, runs: Runs): Mapper => spanMapper(file, runs, OTLP),
}

/** How the spans of a record are read. */
export interface SpanReader {
  /** The spans; undefined for one that has no ids. */
  readonly spans: (record: unknown) => Iterable<Span | undefined>
  /** Of each span the trace, and the conversation that it names, without reading more of it. */
  readonly traces: (record: unknown) => Iterable<Named>
}

/** The trace of a span, and the conversation that it names. */
interface Named {
  readonly traceId: string
  readonly conversation: string | undefined
}

const OTLP: SpanReader = {
  *spans(record) {
    for (const [span, resource] of spansIn(record)) yield spanOf(span, resource)
  },
  *traces(record) {
    for (const [span] of spansIn(record)) {
      const traceId = traceIdOf(span)
      if (traceId !== undefined) yield { traceId, conversation: conversationOf(span) }
    }
  },
}

/** Maps spans, as a reader finds them in records, to the runs of their conversations. */
export const spanMapper = (file: SourceFile, runs: Runs, reader: SpanReader): Mapper => {
  const conversations = new Conversations()
  /** The spans of what is not surveyed: of a document, which is in memory as it is. */
  const held: Array<Span> = []
  let isSurveyed = false
  /** Whether the span was the last one of a conversation, which is mapped. */
  const take = (span: Span): boolean => {
    const added = conversations.add(span)
    if (added.kind === "again") runs.repeated("span", "span")
    if (added.kind === "kept" || added.whole === undefined) return false
    mapConversation(file, runs, added.whole)
    return true
  }
  return {
    survey: ({ value }) => {
      isSurveyed = true
      for (const named of reader.traces(value)) conversations.survey(named)
    },
    record: ({ value }) => {
      for (const span of reader.spans(value)) {
        if (span === undefined) runs.leaveOut("span", "it has no ids")
        else if (isSurveyed) take(span)
        else held.push(span)
      }
    },
    end: function* () {
      for (const { traceId, attributes } of held)
        conversations.survey({ traceId, conversation: firstOf((name) => textOf(attributes, name)) })
      for (const span of held) if (take(span)) yield
    },
  }
}

/** Each span with its resource. */
function* spansIn(value: unknown): Iterable<readonly [span: unknown, resource: unknown]> {
  for (const resource of [...listOf(value, "resourceSpans"), ...listOf(value, "resource_spans")])
    for (const scope of [
      ...listOf(resource, "scopeSpans"),
      ...listOf(resource, "scope_spans"),
      ...listOf(resource, "instrumentationLibrarySpans"),
    ])
      for (const span of listOf(scope, "spans")) yield [span, resource]
}

const mapConversation = (file: SourceFile, runs: Runs, { id, spans }: Conversation): void => {
  if (spans.every((span) => meaningOf(span).kind === "other")) {
    runs.leaveOut("trace", "no span of it is of a model, a tool or an agent")
    return
  }
  const hasEnded = isSilent(file, lastEnd(spans))
  const mapped = hasEnded ? spans : wholeTraces(file, spans)
  if (mapped.length < spans.length)
    runs.postpone(
      "a trace whose root span is not written: it is imported, with those that began after it, when it is, or when the trace is silent for an hour",
    )
  if (mapped.length > 0) mapTrace(runs, id, mapped, hasEnded)
}

/**
 * The spans of the traces whose root span was written: it is written last. A trace that began after an unfinished one is held back
 * with it, so that what a model was told is not told again.
 */
const wholeTraces = (file: SourceFile, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const traces = [...groupBy(spans, ({ traceId }) => [traceId]).values()]
  const unfinished = traces.filter((trace) => !hasRoot(trace) && !isSilent(file, lastEnd(trace)))
  const until = firstStart(unfinished.flat())
  return traces.filter((trace) => firstStart(trace) < until).flat()
}

/**
 * Whether the root span of a trace was written: one without a parent. Where a service was called within a trace of another, its entry
 * is the root of what it wrote, unless a parent is missing that is yet to be written.
 */
const hasRoot = (trace: ReadonlyArray<Span>): boolean => {
  if (trace.some(({ parentSpanId }) => parentSpanId === undefined)) return true
  const written = new Set(trace.map(({ spanId }) => spanId))
  return trace.every(({ isEntry, parentSpanId = "" }) => isEntry || written.has(parentSpanId))
}

const firstStart = (spans: ReadonlyArray<Span>): number =>
  spans.reduce((first, { start }) => Math.min(first, start ?? 0), Number.POSITIVE_INFINITY)

const lastEnd = (spans: ReadonlyArray<Span>): number | null =>
  spans.reduce<number | null>((last, { end }) => (end === null ? last : Math.max(last ?? end, end)), null)

/** A span's attribute that names the conversation that its trace is a part of. */
const CONVERSATION = ["gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId"]

const firstOf = (textOf: (name: string) => string | undefined): string | undefined =>
  CONVERSATION.map(textOf).find((id) => id !== undefined)

/** The conversation that a span names. */
const conversationOf = (span: unknown): string | undefined => firstOf((name) => textAttribute(span, name))
