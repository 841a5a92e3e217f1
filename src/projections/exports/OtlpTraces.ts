/** Tasks as OpenTelemetry traces in OTLP/JSON. */

import type { DecodedEvent } from "../../events/read/Records.ts"
import type { Encoder } from "./Encoder.ts"
import { LogSpans } from "./otlp/LogSpans.ts"
import * as Span from "./otlp/Span.ts"

/** The origin of the spans, for their resource. */
export interface Origin {
  /** `service.name` of the resource. */
  readonly service: string
  /** Hindcast's version. */
  readonly version: string
  /** The log's file name. */
  readonly log: string
}

export interface OtlpOptions extends Origin {
  /**
   * The timeline of all spans, including those of events that it shares with others; null for each event's own.
   * Default: null.
   */
  readonly timeline?: string | null
}

/** Maximum number of spans per line. */
const SPANS_PER_LINE = 500

/** A `TracesData` in JSON, which is also a request to `/v1/traces`. `spans` are JSON texts. */
export const documentOf = ({ service, version, log }: Origin, spans: ReadonlyArray<string>): string => {
  const resource = { attributes: Span.attributes({ "service.name": service, "hindcast.log": log }) }
  const scope = JSON.stringify({ name: "hindcast", version })
  return `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":${scope},"spans":[${spans.join(",")}]}]}]}`
}

/**
 * Encodes tasks as traces (`LogSpans`), in lines of OTLP/JSON
 * (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter). Each line is a `TracesData`, which a collector also
 * accepts at `/v1/traces`.
 */
export const encoder = (options: OtlpOptions): Encoder<DecodedEvent> => {
  const made = new LogSpans(options.timeline ?? null)
  let spans: Array<string> = []
  const push = (more: ReadonlyArray<Span.Span>): void => {
    for (const span of more) spans.push(JSON.stringify(span))
  }
  const lines = (least: number): ReadonlyArray<string> => {
    const written: Array<string> = []
    while (spans.length > 0 && spans.length >= least) {
      written.push(`${documentOf(options, spans.slice(0, SPANS_PER_LINE))}\n`)
      spans = spans.slice(SPANS_PER_LINE)
    }
    return written
  }
  return {
    add: (page) => {
      for (const event of page) push(made.take(event))
      return lines(SPANS_PER_LINE)
    },
    end: () => {
      push(made.end())
      return lines(0)
    },
  }
}
