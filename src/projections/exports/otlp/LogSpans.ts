/** The spans of all tasks of a log, built event by event. */

import type { Link } from "../../../events/integrity/Chain.ts"
import { MAIN } from "../../../events/log/EventLog.ts"
import type { DecodedEvent } from "../../../events/read/Records.ts"
import type { JsonObject } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"
import * as TaskClock from "../../state/TaskClock.ts"
import { Scorings, type SpanParent } from "./Scorings.ts"
import * as Span from "./Span.ts"
import { TaskTrace } from "./TaskTrace.ts"

/**
 * A trace is a task. Its root span is the agent's invocation. The other spans are commands, readings, model calls,
 * waits for confirmation (within their command), and scorings of the task with verdicts as span events. Ids derive from
 * the ids of tasks and events, so a span has the same id in every export. A task that was continued in a fork has
 * another trace for the fork.
 *
 * Times are the task's own (`TaskClock`): they leave out gaps before a fork or a resumption
 * (`hindcast.task.left_out_ms` of the root), and compensate steps back of the log's clock. Memory holds the open spans,
 * and the trace id of every task.
 */
export class LogSpans {
  readonly #timeline: string | null
  readonly #traces = new Map<string, TaskTrace>()
  readonly #clocks = new Map<string, TaskClock.TaskClock>()
  /** The traces of all tasks, including closed ones, which can be scored later. */
  readonly #parents = new Map<string, SpanParent>()
  readonly #scorings: Scorings

  /** @param timeline the timeline of all spans; null for each event's own */
  constructor(timeline: string | null) {
    this.#timeline = timeline
    this.#scorings = new Scorings(
      (taskId, link) =>
        this.#parents.get(this.#keyOf(taskId, link)) ?? {
          traceId: Span.traceIdOf(taskId, this.#timelineOf(link)),
          rootId: undefined,
        },
    )
  }

  /** Takes the next event of the log. Returns the spans that end with it. */
  take(event: DecodedEvent): ReadonlyArray<Span.Span> {
    const { link: recorded, text } = event
    const link = this.#inOwnTime(event)
    const { taskId, type } = link
    // A scoring may cover many tasks, long after their close.
    if (SCORING.has(type)) return this.#scorings.take(recorded, JSON.parse(text) as JsonObject)
    if (taskId === null || !TRACED.has(type)) return []
    const payload = JSON.parse(text) as JsonObject
    const key = this.#keyOf(taskId, link)
    // An event after the close does not reopen the task.
    if (this.#parents.has(key) && !this.#traces.has(key)) return []
    const trace = this.#traces.get(key) ?? this.#begun(taskId, link, payload)
    if (!this.#traces.has(key)) {
      this.#traces.set(key, trace)
      this.#parents.set(key, { traceId: trace.traceId, rootId: trace.root.spanId })
    }
    const leftOutMs = this.#clocks.get(key)?.leftOutMs ?? 0
    if (leftOutMs > 0) trace.root.attributes = { ...trace.root.attributes, "hindcast.task.left_out_ms": leftOutMs }
    const spans = trace.take(link, payload)
    if (type === "TaskClosed") this.#traces.delete(key)
    return spans
  }

  /** Ends the open spans as unfinished. */
  end(): ReadonlyArray<Span.Span> {
    const spans = [...this.#scorings.end(), ...[...this.#traces.values()].flatMap((trace) => trace.end())]
    this.#traces.clear()
    return spans
  }

  /** If the task was opened before the first exported event, its trace begins with its first exported event. */
  #begun(taskId: string, link: Link, payload: JsonObject): TaskTrace {
    const opened = link.type === "TaskOpened" ? payload : {}
    const { taskId: parent, timeline = MAIN } = asObject(opened.parent)
    const { traceId, rootId } = this.#parents.get(`${this.#timeline ?? String(timeline)}\0${String(parent)}`) ?? {}
    const startedBy = traceId === undefined || rootId === undefined ? undefined : { traceId, spanId: rootId }
    return new TaskTrace(taskId, { ...link, timeline: this.#timelineOf(link) }, opened, startedBy)
  }

  #timelineOf(link: Link): string {
    return this.#timeline ?? link.timeline
  }

  #keyOf(taskId: string, link: Link): string {
    return `${this.#timelineOf(link)}\0${taskId}`
  }

  /** Moves the event to the own time of its task. */
  #inOwnTime({ link, text }: DecodedEvent): Link {
    if (link.taskId === null) return link
    const key = this.#keyOf(link.taskId, link)
    const before = this.#clocks.get(key)
    const timed = { ...link, payload: link.type === "ClockChanged" ? (JSON.parse(text) as JsonObject) : null }
    // Events after the close do not advance the task's clock.
    const isOpen = before === undefined || this.#traces.has(key) || !this.#parents.has(key)
    const clock = before === undefined ? TaskClock.start(timed) : isOpen ? TaskClock.after(before, timed) : before
    this.#clocks.set(key, clock)
    const occurredAt = TaskClock.momentOf(clock, link)
    return occurredAt === link.occurredAt ? link : { ...link, occurredAt }
  }
}

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
