/** Tasks as OpenTelemetry traces in OTLP/JSON. */

import type { Link } from "../../events/integrity/Chain.ts"
import type { DecodedEvent } from "../../events/read/Records.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as TaskClock from "../state/TaskClock.ts"
import type { Encoder } from "./Encoder.ts"
import { Scorings, type SpanParent } from "./otlp/Scorings.ts"
import * as Span from "./otlp/Span.ts"
import { TaskTrace } from "./otlp/TaskTrace.ts"

/** The origin of the spans, which their resource states. */
export interface OtlpOptions {
  /** `service.name` of the resource. */
  readonly service: string
  /** Hindcast's version. */
  readonly version: string
  /** The log's file name. */
  readonly log: string
  /**
   * The timeline to which all spans are attributed, including events it shares with others; null: each event's own.
   * Default: null.
   */
  readonly timeline?: string | null
}

/** Most spans per line. */
const SPANS_PER_LINE = 500

/**
 * Tasks as traces, in lines of OTLP/JSON (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter): each line
 * is a `TracesData`, which a collector also accepts at `/v1/traces`.
 *
 * A trace is a task. Its root span is the agent's invocation. The other spans are commands, readings, model calls,
 * waits for confirmation (within their command), and scorings of the task with their verdicts as span events. Ids are
 * derived from the ids of tasks and events, so that a span has the same id in every export. A task that was continued
 * in a fork has a separate trace for the fork. Times are the task's own (`TaskClock`): of a task that was forked or
 * resumed, what follows is as much earlier as lay in between (`hindcast.task.left_out_ms` of the root); where the log's
 * clock was set back, it is as much later. Memory holds the open spans, and the trace id of every task.
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

  /** The event at the own time of its task. */
  const inOwnTime = ({ link, text }: DecodedEvent): Link => {
    if (link.taskId === null) return link
    const key = keyOf(link.taskId, link)
    const before = clocks.get(key)
    const timed = { ...link, payload: link.type === "ClockChanged" ? (JSON.parse(text) as JsonObject) : null }
    // What comes after the close is about the task.
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
    // A scoring may be of many tasks, and long after them.
    if (SCORING.has(type)) {
      spans.push(...scorings.take(recorded, JSON.parse(text) as JsonObject))
      return
    }
    if (taskId === null || !TRACED.has(type)) return
    const payload = JSON.parse(text) as JsonObject
    const key = keyOf(taskId, link)
    // An event after the close does not open the task again.
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

/** The trace of a task that was opened before the first exported event begins with the task's first exported event. */
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
