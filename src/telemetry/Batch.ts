/** Turns a request into records for the inbox. Pure. */

import { belongingOf, usableId } from "../importing/agentlogs/Belonging.ts"
import { type LogRecord, logRecordOf, logRecordsIn } from "../importing/otlp/LogRecord.ts"
import { conversationIn, spansIn, whyLeftOut } from "../importing/otlp/Otlp.ts"
import { spanOf } from "../importing/otlp/Span.ts"
import { increase } from "../importing/runs/Tally.ts"
import { field } from "../importing/runs/Untrusted.ts"
import { sha256 } from "../values/Digest.ts"

export type RecordKind = "span" | "evaluation" | "log"

/** A span or log record. */
export interface Received {
  /** Equal for a record that comes again. */
  readonly key: string
  readonly kind: RecordKind
  /** `otlp`, or the coding agent that wrote it. */
  readonly source: string
  readonly trace: string | undefined
  readonly conversation: string | undefined
  /** The decoded record as JSON. */
  readonly body: string
}

export interface Batch {
  readonly received: ReadonlyArray<Received>
  /** Number of unreadable items. */
  readonly rejected: number
  readonly why: ReadonlyArray<string>
  /** Readable items that are not recorded, by reason. */
  readonly leftOut: ReadonlyMap<string, number>
}

/** Undefined for a value that is no such request. */
export const ofTraces = (request: unknown): Batch | undefined => {
  if (!isRequest(request, "resourceSpans", "resource_spans")) return undefined
  const batch = new Collected()
  for (const [value, resource] of spansIn(request)) {
    const span = spanOf(value, resource)
    const conversation = conversationIn(span?.attributes)
    const left = span === undefined ? undefined : whyLeftOut(span.name, span.service)
    if (span === undefined) batch.reject("a span without valid ids of trace and span")
    else if (left !== undefined) batch.leaveOut(left)
    else
      batch.received.push({
        key: `${span.traceId}${span.spanId}`,
        kind: "span",
        source: "otlp",
        trace: span.traceId,
        conversation: conversation === undefined ? undefined : usableId(conversation),
        body: JSON.stringify(span),
      })
  }
  return batch
}

/** Undefined for a value that is no such request. */
export const ofLogs = (request: unknown): Batch | undefined => {
  if (!isRequest(request, "resourceLogs", "resource_logs")) return undefined
  const batch = new Collected()
  for (const value of logRecordsIn(request)) {
    const record = logRecordOf(value)
    const belonging = belongingOf(record)
    if (belonging.kind === "invalid") batch.reject(belonging.why)
    else if (belonging.kind === "unknown") batch.leaveOut(belonging.why)
    else if (belonging.kind === "evaluation")
      batch.received.push({ ...ofLog(record, "evaluation"), conversation: belonging.conversation })
    else {
      const { agent, session } = belonging
      batch.received.push({ ...ofLog(record, "log"), source: agent.name, conversation: session, trace: undefined })
    }
  }
  return batch
}

const ofLog = (record: LogRecord, kind: RecordKind): Received => {
  const body = JSON.stringify(record)
  return { key: sha256(body), kind, source: "otlp", trace: record.traceId, conversation: undefined, body }
}

/** An empty request is one, too; a list in the wrong place is not. */
const isRequest = (value: unknown, camel: string, snake: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  [camel, snake].every((name) => field(value, name) === undefined || Array.isArray(field(value, name)))

class Collected implements Batch {
  readonly received: Array<Received> = []
  readonly leftOut = new Map<string, number>()
  readonly #why = new Set<string>()
  rejected = 0

  get why(): ReadonlyArray<string> {
    return [...this.#why]
  }

  reject(why: string): void {
    this.rejected += 1
    this.#why.add(why)
  }

  leaveOut(why: string): void {
    increase(this.leftOut, why)
  }
}
