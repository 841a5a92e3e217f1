/** Decodes OTLP log records, in the encodings that `Span.ts` names. */

import { field, listOf, textOf } from "../runs/Untrusted.ts"
import { anyValue, attributesOf, idIn, nanosOf } from "./Span.ts"

export interface LogRecord {
  readonly traceId: string | undefined
  readonly spanId: string | undefined
  /** Epoch milliseconds. */
  readonly at: number | null
  /** The event's name, such as `user_prompt` or `codex.tool_result`. */
  readonly name: string
  readonly body: unknown
  readonly attributes: Readonly<Record<string, unknown>>
}

export const logRecordOf = (value: unknown): LogRecord => {
  const either = (camel: string, snake: string) => field(value, camel) ?? field(value, snake)
  const attributes = attributesOf(value)
  return {
    traceId: idIn(either("traceId", "trace_id")),
    spanId: idIn(either("spanId", "span_id")),
    // Some programs set only the time of observation.
    at:
      nanosOf(either("timeUnixNano", "time_unix_nano")) ??
      nanosOf(either("observedTimeUnixNano", "observed_time_unix_nano")),
    // Codex names a line of its source as the record's event, and the event as an attribute.
    name: textOf(attributes, "event.name") ?? textOf(value, "eventName") ?? textOf(value, "event_name") ?? "",
    body: anyValue(field(value, "body"), 0),
    attributes,
  }
}

/** The log records of a request or document. */
export function* logRecordsIn(value: unknown): Iterable<unknown> {
  for (const resource of [...listOf(value, "resourceLogs"), ...listOf(value, "resource_logs")])
    for (const scope of [...listOf(resource, "scopeLogs"), ...listOf(resource, "scope_logs")])
      yield* [...listOf(scope, "logRecords"), ...listOf(scope, "log_records")]
}
