import type { Link } from "../../events/integrity/Chain.ts"
import type { Readable } from "../../events/read/Records.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { Encoder } from "./Encoder.ts"
import { Scorings, type SpanParent } from "./otlp/Scorings.ts"
import * as Span from "./otlp/Span.ts"
import { TaskTrace } from "./otlp/TaskTrace.ts"

/** Where the spans are said to come from. */
export interface OtlpOptions {
  /** `service.name` of the resource. */
  readonly service: string
  /** Hindcast's version. */
  readonly version: string
  /** The log's file name. */
  readonly log: string
  /** The timeline whose history the events are, with what it shares with others; null for each event's own. Default: null. */
  readonly timeline?: string | null
}

/** Most spans of a line. */
const SPANS_A_LINE = 500

/**
 * Tasks as traces, in lines of OTLP/JSON (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter): each line is a
 * `TracesData`, which is also what a collector takes at `/v1/traces`.
 *
 * A trace is a task. Its root is the agent's invocation; the spans in it are commands, readings, model calls, the wait for
 * a person (within its command), and each scoring of the task, with its verdicts as events. Ids follow from the ids of
 * tasks and events, so that the same span has the same id in every export. A task that went on in a fork has a trace of its
 * own there. What is kept in memory is what has begun and not ended, and of every task where its trace is.
 */
export const encoder = ({ service, version, log, timeline = null }: OtlpOptions): Encoder<Readable> => {
  const traces = new Map<string, TaskTrace>()
  /** Where the tasks' traces are, also those of closed ones: they are scored after they were closed. */
  const places = new Map<string, SpanParent>()
  const timelineOf = (link: Link): string => timeline ?? link.timeline
  const keyOf = (taskId: string, link: Link): string => `${timelineOf(link)}\0${taskId}`
  const placeOf = (taskId: string, link: Link): SpanParent =>
    places.get(keyOf(taskId, link)) ?? { traceId: Span.traceIdOf(taskId, timelineOf(link)), rootId: undefined }
  const scorings = new Scorings(placeOf)
  let spans: Array<Span.Span> = []

  const resource = { attributes: Span.attributes({ "service.name": service, "hindcast.log": log }) }
  const scope = { name: "hindcast", version }
  const lines = (least: number): ReadonlyArray<string> => {
    const written: Array<string> = []
    while (spans.length > 0 && spans.length >= least) {
      const scopeSpans = [{ scope, spans: spans.slice(0, SPANS_A_LINE) }]
      spans = spans.slice(SPANS_A_LINE)
      written.push(`${JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })}\n`)
    }
    return written
  }

  const add = ({ link, text }: Readable): void => {
    const { taskId, type } = link
    if (SCORING.has(type)) {
      spans.push(...scorings.take(link, JSON.parse(text) as JsonObject))
      return
    }
    if (taskId === null || !TRACED.has(type)) return
    const payload = JSON.parse(text) as JsonObject
    const key = keyOf(taskId, link)
    const trace = traces.get(key) ?? traceOf({ ...link, timeline: timelineOf(link) }, taskId, payload)
    if (!traces.has(key)) {
      traces.set(key, trace)
      places.set(key, { traceId: trace.traceId, rootId: trace.root.spanId })
    }
    spans.push(...trace.take(link, payload))
    if (type === "TaskClosed") traces.delete(key)
  }

  return {
    add: (page) => {
      for (const event of page) add(event)
      return lines(SPANS_A_LINE)
    },
    end: () => {
      spans.push(...scorings.end())
      for (const trace of traces.values()) spans.push(...trace.end())
      traces.clear()
      return lines(0)
    },
  }
}

/** A task that was opened before the first of the events begins with the first of its own. */
const traceOf = (link: Link, taskId: string, payload: JsonObject): TaskTrace =>
  new TaskTrace(taskId, link, link.type === "TaskOpened" ? payload : {})

const SCORING: ReadonlySet<string> = new Set([
  ...["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished"],
])

/** What a trace shows. What comes of a task once it is closed does not open it again. */
const TRACED: ReadonlySet<string> = new Set([
  ...["TaskOpened", "TaskClosed", "SensorRead", "SensorFailed", "SensorSkipped", "InputReceived", "MessageSent"],
  ...["DecisionMade", "ModelCalled", "ModelResponded", "ActuatorCommanded", "CommandAllowed", "CommandDispatched"],
  ...["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
  ...["ConfirmationRequested", "ConfirmationDecided", "ConfirmationExpired", "ConfirmationWithdrawn"],
])
