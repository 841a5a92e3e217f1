/** Tasks as OpenTelemetry traces in OTLP/JSON. */

import type { Link } from "../../events/integrity/Chain.ts"
import type { DecodedEvent } from "../../events/read/Records.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as TaskClock from "../state/TaskClock.ts"
import type { Encoder } from "./Encoder.ts"
import { Scorings, type SpanParent } from "./otlp/Scorings.ts"
import * as Span from "./otlp/Span.ts"
import { TaskTrace } from "./otlp/TaskTrace.ts"

/** The origin of the spans, for their resource. */
export interface OtlpOptions {
  /** `service.name` of the resource. */
  readonly service: string
  /** Hindcast's version. */
  readonly version: string
  /** The log's file name. */
  readonly log: string
  /**
   * The timeline of all spans, including those of events that it shares with others; null for each event's own.
   * Default: null.
   */
  readonly timeline?: string | null
}

/** Maximum number of spans per line. */
const SPANS_PER_LINE = 500

/**
 * Encodes tasks as traces, in lines of OTLP/JSON (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter).
 * Each line is a `TracesData`, which a collector also accepts at `/v1/traces`.
 *
 * A trace is a task. Its root span is the agent's invocation. The other spans are commands, readings, model calls,
 * waits for confirmation (within their command), and scorings of the task with verdicts as span events. Ids derive from
 * the ids of tasks and events, so a span has the same id in every export. A task that was continued in a fork has
 * another trace for the fork.
 *
 * Times are the task's own (`TaskClock`): gaps before a fork or a resumption are left out (`hindcast.task.left_out_ms`
 * of the root), and steps back of the log's clock are compensated. Memory holds the open spans, and the trace id of
 * every task.
 */
export const encoder = ({ service, version, log, timeline = null }: OtlpOptions): Encoder<DecodedEvent> => {
  const traces = new Map<string, TaskTrace>()
  const clocks = new Map<string, TaskClock.TaskClock>()
  /** The traces of all tasks, including closed ones, which can be scored later. */
  const parents = new Map<string, SpanParent>()
  const timelineOf = (link: Link): string => timeline ?? link.timeline
  const keyOf = (taskId: string, link: Link): string => `${timelineOf(link)}\0${taskId}`
  const parentOf = (taskId: string, link: Link): SpanParent =>
    parents.get(keyOf(taskId, link)) ?? { traceId: Span.traceIdOf(taskId, timelineOf(link)), rootId: undefined }
  const scorings = new Scorings(parentOf)
  let spans: Array<Span.Span> = []

  const resource = { attributes: Span.attributes({ "service.name": service, "hindcast.log": log }) }
  const scope = { name: "hindcast", version }
  const lines = (least: number): ReadonlyArray<string> => {
    const written: Array<string> = []
    while (spans.length > 0 && spans.length >= least) {
      const scopeSpans = [{ scope, spans: spans.slice(0, SPANS_PER_LINE) }]
      spans = spans.slice(SPANS_PER_LINE)
      written.push(`${JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })}\n`)
    }
    return written
  }

  /** Moves the event to the own time of its task. */
  const inOwnTime = ({ link, text }: DecodedEvent): Link => {
    if (link.taskId === null) return link
    const key = keyOf(link.taskId, link)
    const before = clocks.get(key)
    const timed = { ...link, payload: link.type === "ClockChanged" ? (JSON.parse(text) as JsonObject) : null }
    // Events after the close do not advance the task's clock.
    const isOpen = before === undefined || traces.has(key) || !parents.has(key)
    const clock = before === undefined ? TaskClock.start(timed) : isOpen ? TaskClock.after(before, timed) : before
    clocks.set(key, clock)
    const occurredAt = TaskClock.momentOf(clock, link)
    return occurredAt === link.occurredAt ? link : { ...link, occurredAt }
  }

  const add = (event: DecodedEvent): void => {
    const { link: recorded, text } = event
    const link = inOwnTime(event)
    const { taskId, type } = link
    // A scoring may cover many tasks, long after their close.
    if (SCORING.has(type)) {
      spans.push(...scorings.take(recorded, JSON.parse(text) as JsonObject))
      return
    }
    if (taskId === null || !TRACED.has(type)) return
    const payload = JSON.parse(text) as JsonObject
    const key = keyOf(taskId, link)
    // An event after the close does not reopen the task.
    if (parents.has(key) && !traces.has(key)) return
    const trace = traces.get(key) ?? traceOf({ ...link, timeline: timelineOf(link) }, taskId, payload)
    if (!traces.has(key)) {
      traces.set(key, trace)
      parents.set(key, { traceId: trace.traceId, rootId: trace.root.spanId })
    }
    const leftOutMs = clocks.get(key)?.leftOutMs ?? 0
    if (leftOutMs > 0) trace.root.attributes = { ...trace.root.attributes, "hindcast.task.left_out_ms": leftOutMs }
    spans.push(...trace.take(link, payload))
    if (type === "TaskClosed") traces.delete(key)
  }

  return {
    add: (page) => {
      for (const event of page) add(event)
      return lines(SPANS_PER_LINE)
    },
    end: () => {
      spans.push(...scorings.end())
      for (const trace of traces.values()) spans.push(...trace.end())
      traces.clear()
      return lines(0)
    },
  }
}

/** If the task was opened before the first exported event, its trace begins with its first exported event. */
const traceOf = (link: Link, taskId: string, payload: JsonObject): TaskTrace =>
  new TaskTrace(taskId, link, link.type === "TaskOpened" ? payload : {})

const SCORING: ReadonlySet<string> = new Set([
  ...["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished"],
])

/** The event types in a trace. */
const TRACED: ReadonlySet<string> = new Set([
  ...["TaskOpened", "TaskClosed", "SensorRead", "SensorFailed", "SensorSkipped", "InputReceived", "MessageSent"],
  ...["DecisionMade", "ModelCalled", "ModelResponded", "ModelFailed", "ActuatorCommanded", "CommandAllowed"],
  ...["CommandDispatched", "CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
  ...["ConfirmationRequested", "ConfirmationDecided", "ConfirmationExpired", "ConfirmationWithdrawn"],
])
