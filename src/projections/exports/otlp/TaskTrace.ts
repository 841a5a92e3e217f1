/** Builds the spans of one task from its events. */

import type { Link } from "../../../events/integrity/Chain.ts"
import { defined } from "../../../values/defined.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"
import * as ModelUsage from "./ModelUsage.ts"
import * as Span from "./Span.ts"

/** Maximum number of events per open span; others are only counted. */
const MAX_EVENTS = 1_000

interface OpenSpan {
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly start: number
  attributes: Readonly<Record<string, string | number | boolean | undefined>>
  readonly events: Array<Span.SpanEvent>
  readonly links?: ReadonlyArray<Span.SpanLink>
  dropped: number
}

/**
 * The spans of one task, built event by event. Returns a span when it ends and keeps only open ones. Names and
 * attributes follow OpenTelemetry's GenAI conventions (https://opentelemetry.io/docs/specs/semconv/gen-ai);
 * `hindcast.*` attributes cover the rest.
 */
export class TaskTrace {
  readonly traceId: string
  readonly root: OpenSpan
  #agent: string
  /** Open spans by key: commands, confirmations and model calls, by their ids. */
  readonly #open = new Map<string, OpenSpan>()
  #last: number

  /** @param parent the root span of the task that started it, if that is exported */
  constructor(taskId: string, first: Link, opened: JsonObject, parent?: Span.SpanLink) {
    const agent = typeof opened.agent === "string" ? opened.agent : ""
    this.traceId = Span.traceIdOf(taskId, first.timeline)
    this.#agent = agent
    this.#last = first.occurredAt
    const { taskId: startedBy, timeline, commandId } = asObject(opened.parent)
    const root = begin(first, {
      name: agent === "" ? "invoke_agent" : `invoke_agent ${nameOf(agent)}`,
      kind: Span.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        ...agentAttributes(agent),
        "gen_ai.conversation.id": taskId,
        "hindcast.task.goal": textOf(opened.goal),
        "hindcast.timeline": first.timeline,
        "hindcast.task.parent": textOf(startedBy),
        "hindcast.task.parent_timeline": textOf(timeline),
        "hindcast.task.parent_command": textOf(commandId),
      },
    })
    this.root = parent === undefined ? root : { ...root, links: [parent] }
  }

  take(link: Link, payload: JsonObject): ReadonlyArray<Span.Span> {
    this.#last = Math.max(this.#last, link.occurredAt)
    const handle = HANDLERS[link.type]
    return handle === undefined ? [] : handle(this, link, payload)
  }

  /** Ends the open spans, the root last, as unfinished. */
  end(): ReadonlyArray<Span.Span> {
    return [...this.#closeOpen(), this.#ended(this.root, this.#last, Span.UNSET, { "hindcast.unfinished": true })]
  }

  close(link: Link, payload: JsonObject): ReadonlyArray<Span.Span> {
    const outcome = String(payload.outcome)
    const status = STATUS_OF_OUTCOME[outcome]?.(textOf(payload.reason) ?? outcome) ?? Span.UNSET
    return [
      ...this.#closeOpen(),
      this.#ended(this.root, link.occurredAt, status, {
        "hindcast.task.outcome": outcome,
        "hindcast.task.reason": textOf(payload.reason),
        "error.type": status.code === 2 ? outcome : undefined,
      }),
    ]
  }

  begin(key: string, link: Link, about: SpanDescription): ReadonlyArray<Span.Span> {
    this.#open.set(key, begin(link, { parentSpanId: this.root.spanId, ...about }))
    return []
  }

  /** Ends the span under a key, unless it began before the first exported event. */
  finish(
    key: string,
    link: Link,
    status: Span.Status,
    attributes: OpenSpan["attributes"] = {},
  ): ReadonlyArray<Span.Span> {
    const span = this.#open.get(key)
    if (span === undefined) return []
    this.#open.delete(key)
    return [this.#ended(span, link.occurredAt, status, attributes)]
  }

  /** A span that begins and ends with one event. */
  whole(link: Link, about: SpanDescription, ms: number, status: Span.Status): ReadonlyArray<Span.Span> {
    const span = begin({ ...link, occurredAt: link.occurredAt - ms }, { parentSpanId: this.root.spanId, ...about })
    return [this.#ended(span, link.occurredAt, status, {})]
  }

  /** Adds an event to the open span under a key, otherwise to the root. */
  note(key: string, link: Link, name: string, attributes: OpenSpan["attributes"]): ReadonlyArray<Span.Span> {
    const span = this.#open.get(key) ?? this.root
    if (span.events.length >= MAX_EVENTS) span.dropped += 1
    else span.events.push(eventOf(link, name, attributes))
    return []
  }

  /** The id of the open span under a key, otherwise of the root. */
  idOf(key: string): string {
    return (this.#open.get(key) ?? this.root).spanId
  }

  get agent(): string {
    return this.#agent
  }

  #closeOpen(): ReadonlyArray<Span.Span> {
    const left = [...this.#open.values()]
    this.#open.clear()
    return left.map((span) => this.#ended(span, this.#last, Span.UNSET, { "hindcast.unfinished": true }))
  }

  #ended(span: OpenSpan, at: number, status: Span.Status, attributes: OpenSpan["attributes"]): Span.Span {
    return ended(this.traceId, span, at, status, attributes)
  }
}

export const ended = (
  traceId: string,
  span: OpenSpan,
  at: number,
  status: Span.Status,
  attributes: OpenSpan["attributes"],
): Span.Span => ({
  traceId,
  spanId: span.spanId,
  ...defined({ parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: Span.nanos(span.start),
  // The source's clock may have been set back.
  endTimeUnixNano: Span.nanos(Math.max(span.start, at)),
  attributes: Span.attributes({ ...span.attributes, ...attributes }),
  events: span.events,
  ...defined({ links: span.links }),
  ...(span.dropped === 0 ? {} : { droppedEventsCount: span.dropped }),
  status,
})

interface SpanDescription {
  readonly parentSpanId?: string
  readonly name: string
  readonly kind?: number
  readonly attributes: OpenSpan["attributes"]
}

export const begin = (
  link: Link,
  { parentSpanId, name, kind = Span.INTERNAL, attributes }: SpanDescription,
): OpenSpan => ({
  spanId: Span.spanIdOf(link.id),
  parentSpanId,
  name,
  kind,
  start: link.occurredAt,
  attributes: { ...attributes, "hindcast.position": link.position },
  events: [],
  dropped: 0,
})

export const eventOf = (link: Link, name: string, attributes: OpenSpan["attributes"]): Span.SpanEvent => ({
  timeUnixNano: Span.nanos(link.occurredAt),
  name,
  attributes: Span.attributes({ ...attributes, "hindcast.position": link.position }),
})

const agentAttributes = (agent: string): OpenSpan["attributes"] => ({
  "gen_ai.agent.name": agent === "" ? undefined : nameOf(agent),
  "gen_ai.agent.version": agent.includes("@") ? agent.slice(agent.indexOf("@") + 1) : undefined,
})

const nameOf = (agent: string): string => agent.replace(/@.*$/, "")

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

const numberOf = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined)

const STATUS_OF_OUTCOME: Readonly<Record<string, (why: string) => Span.Status>> = {
  achieved: () => Span.OK,
  failed: Span.failed,
  abandoned: Span.failed,
}

type Handle = (trace: TaskTrace, link: Link, payload: JsonObject) => ReadonlyArray<Span.Span>

const commandOf = (payload: JsonObject): string => `command ${payload.commandId}`
const confirmationOf = (payload: JsonObject): string => `question ${payload.confirmationId}`

/** Key of a model call, with the id of its event, which the response names as its cause. */
const CALL = "call"

const tool =
  (status: (payload: JsonObject) => Span.Status, type?: (payload: JsonObject) => string): Handle =>
  (trace, link, payload) =>
    trace.finish(commandOf(payload), link, status(payload), {
      "gen_ai.tool.call.result":
        payload.result === undefined || payload.unrecorded !== undefined ? undefined : JSON.stringify(payload.result),
      "hindcast.command.unrecorded": textOf(asObject(payload.unrecorded).reason),
      "hindcast.command.settled_by": textOf(payload.settledBy),
      "hindcast.command.rule": textOf(payload.rule),
      "error.type": type?.(payload),
    })

const messageOf = (payload: JsonObject): string => String(asObject(payload.error).message ?? "")
const codeOf = (payload: JsonObject): string => String(asObject(payload.error).code ?? "_OTHER")

const HANDLERS: Readonly<Record<string, Handle>> = {
  TaskClosed: (trace, link, payload) => trace.close(link, payload),
  SensorRead: (trace, link, payload) =>
    trace.whole(link, sensorAbout(payload), numberOf(payload.latencyMs) ?? 0, Span.UNSET),
  SensorFailed: (trace, link, payload) =>
    trace.whole(link, sensorAbout(payload, codeOf(payload)), 0, Span.failed(messageOf(payload))),
  SensorSkipped: (trace, link, payload) =>
    trace.note("", link, "sensor skipped", {
      "hindcast.sensor": textOf(payload.sensor),
      reason: textOf(payload.reason),
    }),
  InputReceived: (trace, link, payload) => trace.note("", link, "input received", { source: textOf(payload.source) }),
  MessageSent: (trace, link, payload) => trace.note("", link, "message sent", { content: textOf(payload.content) }),
  DecisionMade: (trace, link, payload) =>
    trace.note("", link, "decision made", {
      choice: JSON.stringify(payload.choice ?? null),
      rationale: textOf(payload.rationale),
    }),
  ActuatorCommanded: (trace, link, payload) =>
    trace.begin(commandOf(payload), link, {
      name: `execute_tool ${payload.actuator}`,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": textOf(payload.actuator),
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": textOf(payload.commandId),
        "gen_ai.tool.call.arguments": JSON.stringify(payload.args ?? null),
        "gen_ai.agent.name": trace.agent === "" ? undefined : nameOf(trace.agent),
      },
    }),
  CommandAllowed: (trace, link, payload) =>
    trace.note(commandOf(payload), link, "allowed", { rule: textOf(payload.rule) }),
  CommandDispatched: (trace, link, payload) => trace.note(commandOf(payload), link, "dispatched", {}),
  CommandSucceeded: tool(() => Span.OK),
  CommandFailed: tool((payload) => Span.failed(messageOf(payload)), codeOf),
  CommandDenied: tool(
    (payload) => Span.failed(textOf(payload.reason) ?? "denied"),
    () => "denied",
  ),
  CommandOutcomeUnknown: tool(
    () => Span.failed("the kernel ended before the outcome was known"),
    () => "outcome_unknown",
  ),
  ConfirmationRequested: (trace, link, payload) =>
    trace.begin(confirmationOf(payload), link, {
      parentSpanId: trace.idOf(commandOf(payload)),
      name: `confirm ${asObject(payload.shown).actuator ?? "command"}`,
      attributes: {
        "gen_ai.tool.call.id": textOf(payload.commandId),
        "hindcast.confirmation.id": textOf(payload.confirmationId),
      },
    }),
  ConfirmationDecided: (trace, link, payload) =>
    trace.finish(confirmationOf(payload), link, Span.OK, {
      "hindcast.confirmation.approved": payload.approved === true,
      "hindcast.confirmation.by": textOf(payload.by),
      "hindcast.confirmation.channel": textOf(payload.channel),
    }),
  ConfirmationExpired: (trace, link, payload) =>
    trace.finish(confirmationOf(payload), link, Span.failed("nobody decided in time"), { "error.type": "expired" }),
  ConfirmationWithdrawn: (trace, link, payload) =>
    trace.finish(confirmationOf(payload), link, Span.UNSET, { "hindcast.confirmation.withdrawn": true }),
  ModelCalled: (trace, link, payload) =>
    trace.begin(`${CALL} ${link.id}`, link, {
      name: `chat ${payload.model}`,
      kind: Span.CLIENT,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": textOf(payload.provider),
        "gen_ai.request.model": textOf(payload.model),
      },
    }),
  ModelResponded: (trace, link, payload) =>
    trace.finish(`${CALL} ${link.causationId}`, link, Span.OK, ModelUsage.attributes(payload)),
  ModelFailed: (trace, link, payload) =>
    trace.finish(`${CALL} ${link.causationId}`, link, Span.failed(textOf(payload.reason) ?? ""), {
      "error.type": textOf(payload.kind),
      ...ModelUsage.attributes(payload),
    }),
}

const sensorAbout = (payload: JsonObject, errorType?: string): SpanDescription => ({
  name: `read ${payload.sensor}`,
  attributes: { "hindcast.sensor": textOf(payload.sensor), "error.type": errorType },
})
