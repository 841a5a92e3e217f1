/** Turns a request into records for the inbox. Pure. */

import * as AgentLogs from "../importing/agentlogs/AgentLogs.ts"
import { EVALUATION_EVENT } from "../importing/otlp/Evaluations.ts"
import { type LogRecord, logRecordOf, logRecordsIn } from "../importing/otlp/LogRecord.ts"
import { conversationIn, spansIn } from "../importing/otlp/Otlp.ts"
import { type Span, spanOf } from "../importing/otlp/Span.ts"
import { increase } from "../importing/runs/Tally.ts"
import { field, textOf } from "../importing/runs/Untrusted.ts"
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
  /** Items that could not be read. */
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
    if (span === undefined) batch.reject("a span without valid ids of trace and span")
    else if (agentOf(span) !== undefined) batch.leaveOut(`spans of ${agentOf(span)}: its log records tell the same`)
    else
      batch.received.push({
        key: `${span.traceId}${span.spanId}`,
        kind: "span",
        source: "otlp",
        trace: span.traceId,
        conversation: usable(conversationIn(span.attributes)),
        body: JSON.stringify(span),
      })
  }
  return batch
}

/** The coding agent whose log records tell more than its spans: approvals, texts and costs. */
const agentOf = ({ name, service }: Span): string | undefined => {
  if (name.startsWith("claude_code.")) return "claude-code"
  if (service === "gemini-cli") return service
  return service?.startsWith("codex_") === true ? "codex" : undefined
}

/** A hostile id, which could fill the memory or end at a NUL in SQLite, becomes its digest. */
const usable = (id: string | undefined): string | undefined =>
  id === undefined || (id.length <= MAX_ID && id.isWellFormed() && !id.includes("\0")) ? id : sha256(JSON.stringify(id))

const MAX_ID = 1_000

/** Undefined for a value that is no such request. */
export const ofLogs = (request: unknown): Batch | undefined => {
  if (!isRequest(request, "resourceLogs", "resource_logs")) return undefined
  const batch = new Collected()
  for (const value of logRecordsIn(request)) {
    const record = logRecordOf(value)
    const agent = AgentLogs.agentOf(record)
    if (agent !== undefined) {
      const session = textOf(record.attributes, agent.session)
      if (session === undefined) batch.reject(`a log record of ${agent.title} without ${agent.session}`)
      else
        batch.received.push({
          ...ofLog(record, "log"),
          source: agent.name,
          conversation: usable(session),
          trace: undefined,
        })
    } else if (record.name === EVALUATION_EVENT) {
      const conversation = conversationIn(record.attributes)
      if (record.traceId === undefined && conversation === undefined)
        batch.reject("an evaluation without a trace or conversation: what it judges is not known")
      else batch.received.push({ ...ofLog(record, "evaluation"), conversation: usable(conversation) })
    } else batch.leaveOut("log records of no coding agent and no evaluation")
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
