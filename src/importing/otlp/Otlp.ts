/**
 * Traces as OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): one document, or a line for each
 * export, as the collector's file exporter writes them. Spans of three conventions are understood: OpenTelemetry's for
 * generative AI, OpenInference, and those of the AI SDK.
 */

import { groupBy } from "../../values/groupBy.ts"
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
  recognizes: ({ text }: FileHead) => /^\s*\{/.test(text) && /"(?:resourceSpans|resource_spans)"\s*:\s*\[/.test(text),
  open: (file: SourceFile, runs: Runs): Mapper => {
    const conversations = new Conversations()
    /** The spans of what is not surveyed: of a document, which is in memory as it is. */
    const held: Array<Span> = []
    let isSurveyed = false
    /** Whether the span was the last one of a conversation, which is mapped. */
    const take = (span: Span): boolean => {
      const added = conversations.add(span)
      if (added.kind === "again") runs.leaveOut("span", "the same span again")
      if (added.kind === "kept" || added.whole === undefined) return false
      mapConversation(file, runs, added.whole)
      return true
    }
    return {
      survey: ({ value }) => {
        isSurveyed = true
        for (const [span] of spansIn(value)) {
          const traceId = traceIdOf(span)
          if (traceId !== undefined) conversations.survey({ traceId, conversation: conversationOf(span) })
        }
      },
      record: ({ value }) => {
        for (const [one, resource] of spansIn(value)) {
          const span = spanOf(one, resource)
          if (span === undefined) runs.leaveOut("span", "it has no ids")
          else if (isSurveyed) take(span)
          else held.push(span)
        }
      },
      end: function* () {
        for (const { traceId, attributes } of held) {
          conversations.survey({ traceId, conversation: firstOf((name) => textOf(attributes, name)) })
        }
        for (const span of held) if (take(span)) yield
      },
    }
  },
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
  const last = spans.reduce<number | null>((max, { end }) => (end === null ? max : Math.max(max ?? end, end)), null)
  const hasEnded = isSilent(file, last)
  const mapped = hasEnded ? spans : wholeTraces(spans)
  if (mapped.length < spans.length)
    runs.postpone("a trace whose first span has not ended: it is imported when it has, or is silent for an hour")
  if (mapped.length > 0) mapTrace(runs, id, mapped, hasEnded)
}

/**
 * The spans of the traces that go on no more: their first span, which has no parent, was written, as it is last. Those that began
 * after one that goes on wait with it: what a model was told before is not told again.
 */
const wholeTraces = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const roots = new Set(spans.flatMap(({ traceId, parentSpanId }) => (parentSpanId === undefined ? [traceId] : [])))
  const begun = (those: ReadonlyArray<Span>) =>
    those.reduce((first, { start }) => Math.min(first, start ?? 0), Number.POSITIVE_INFINITY)
  const traces = groupBy(spans, ({ traceId }) => [traceId])
  const until = begun(spans.filter(({ traceId }) => !roots.has(traceId)))
  return [...traces.values()].filter((trace) => begun(trace) < until).flat()
}

/** A span's attribute that names the conversation that its trace is a part of. */
const CONVERSATION = ["gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId"]

const firstOf = (textOf: (name: string) => string | undefined): string | undefined =>
  CONVERSATION.map(textOf).find((id) => id !== undefined)

/** The conversation that a span names. */
const conversationOf = (span: unknown): string | undefined => firstOf((name) => textAttribute(span, name))
