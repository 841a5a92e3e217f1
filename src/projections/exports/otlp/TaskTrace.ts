import type { Link } from "../../../events/integrity/Chain.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import * as Span from "./Span.ts"

/** Most events of a span that are kept until it ends; the others are counted. */
const MAX_EVENTS = 1_000

/** A span that has begun. */
interface Begun {
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly start: number
  attributes: Readonly<Record<string, string | number | boolean | undefined>>
  readonly events: Array<Span.SpanEvent>
  dropped: number
}

/**
 * The spans of one task under way, made of its events one by one. A span is given out when it ends; what is kept is what has
 * begun and not ended. Names and attributes are those of OpenTelemetry's GenAI conventions
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai), and `hindcast.*` for what these have no name for.
 */
export class TaskTrace {
  readonly traceId: string
  readonly root: Begun
  #agent: string
  /** Spans by what ends them: commands, questions and model calls, by their ids. */
  readonly #open = new Map<string, Begun>()
  #last: number

  constructor(taskId: string, first: Link, opened: JsonObject) {
    const agent = typeof opened.agent === "string" ? opened.agent : ""
    this.traceId = Span.traceIdOf(taskId, first.timeline)
    this.#agent = agent
    this.#last = first.occurredAt
    this.root = begin(first, {
      name: agent === "" ? "invoke_agent" : `invoke_agent ${nameOf(agent)}`,
      kind: Span.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        ...agentAttributes(agent),
        "gen_ai.conversation.id": taskId,
        "hindcast.task.goal": textOf(opened.goal),
        "hindcast.timeline": first.timeline,
      },
    })
  }

  /** The spans that an event ends. */
  take(link: Link, payload: JsonObject): ReadonlyArray<Span.Span> {
    this.#last = Math.max(this.#last, link.occurredAt)
    const handle = HANDLERS[link.type]
    return handle === undefined ? [] : handle(this, link, payload)
  }

  /** The spans that are still under way, the root the last of them, as far as they are known. */
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

  begin(key: string, link: Link, about: About): ReadonlyArray<Span.Span> {
    this.#open.set(key, begin(link, { parentSpanId: this.root.spanId, ...about }))
    return []
  }

  /** Ends what was begun under a key. What began before the first event of the export is not there. */
  finish(key: string, link: Link, status: Span.Status, attributes: Begun["attributes"] = {}): ReadonlyArray<Span.Span> {
    const begun = this.#open.get(key)
    if (begun === undefined) return []
    this.#open.delete(key)
    return [this.#ended(begun, link.occurredAt, status, attributes)]
  }

  /** A span that is known whole at once. */
  whole(link: Link, about: About, ms: number, status: Span.Status): ReadonlyArray<Span.Span> {
    const begun = begin({ ...link, occurredAt: link.occurredAt - ms }, { parentSpanId: this.root.spanId, ...about })
    return [this.#ended(begun, link.occurredAt, status, {})]
  }

  /** Notes an event on the span under a key, else on the root. */
  note(key: string, link: Link, name: string, attributes: Begun["attributes"]): ReadonlyArray<Span.Span> {
    const span = this.#open.get(key) ?? this.root
    if (span.events.length >= MAX_EVENTS) span.dropped += 1
    else span.events.push(eventOf(link, name, attributes))
    return []
  }

  /** The id of what was begun under a key, else of the root. */
  idOf(key: string): string {
    return (this.#open.get(key) ?? this.root).spanId
  }

  get agent(): string {
    return this.#agent
  }

  #closeOpen(): ReadonlyArray<Span.Span> {
    const left = [...this.#open.values()]
    this.#open.clear()
    return left.map((begun) => this.#ended(begun, this.#last, Span.UNSET, { "hindcast.unfinished": true }))
  }

  #ended(begun: Begun, at: number, status: Span.Status, attributes: Begun["attributes"]): Span.Span {
    return ended(this.traceId, begun, at, status, attributes)
  }
}

/** A span at an event, as it ends. */
export const ended = (
  traceId: string,
  begun: Begun,
  at: number,
  status: Span.Status,
  attributes: Begun["attributes"],
): Span.Span => ({
  traceId,
  spanId: begun.spanId,
  ...(begun.parentSpanId === undefined ? {} : { parentSpanId: begun.parentSpanId }),
  name: begun.name,
  kind: begun.kind,
  startTimeUnixNano: Span.nanos(begun.start),
  // The source's clock may have been set back.
  endTimeUnixNano: Span.nanos(Math.max(begun.start, at)),
  attributes: Span.attributes({ ...begun.attributes, ...attributes }),
  events: begun.events,
  ...(begun.dropped === 0 ? {} : { droppedEventsCount: begun.dropped }),
  status,
})

/** What a span is called, and what it says. */
interface About {
  readonly parentSpanId?: string
  readonly name: string
  readonly kind?: number
  readonly attributes: Begun["attributes"]
}

export const begin = (link: Link, { parentSpanId, name, kind = Span.INTERNAL, attributes }: About): Begun => ({
  ...{ spanId: Span.spanIdOf(link.id), parentSpanId, name, kind, start: link.occurredAt },
  attributes: { ...attributes, "hindcast.position": link.position },
  events: [],
  dropped: 0,
})

export const eventOf = (link: Link, name: string, attributes: Begun["attributes"]): Span.SpanEvent => ({
  timeUnixNano: Span.nanos(link.occurredAt),
  name,
  attributes: Span.attributes({ ...attributes, "hindcast.position": link.position }),
})

const agentAttributes = (agent: string): Begun["attributes"] => ({
  "gen_ai.agent.name": agent === "" ? undefined : nameOf(agent),
  "gen_ai.agent.version": agent.includes("@") ? agent.slice(agent.indexOf("@") + 1) : undefined,
})

/** `walker@1.0.0` is the agent `walker`. */
const nameOf = (agent: string): string => agent.replace(/@.*$/, "")

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

const numberOf = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined)

const asObject = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

const STATUS_OF_OUTCOME: Readonly<Record<string, (why: string) => Span.Status>> = {
  achieved: () => Span.OK,
  failed: Span.failed,
  abandoned: Span.failed,
}

type Handle = (trace: TaskTrace, link: Link, payload: JsonObject) => ReadonlyArray<Span.Span>

const commandOf = (payload: JsonObject): string => `command ${payload.commandId}`
const questionOf = (payload: JsonObject): string => `question ${payload.confirmationId}`

/** A model's answer names the call as its cause. */
const CALL = "call"

const tool =
  (status: (payload: JsonObject) => Span.Status, type?: (payload: JsonObject) => string): Handle =>
  (trace, link, payload) =>
    trace.finish(commandOf(payload), link, status(payload), {
      "gen_ai.tool.call.result": payload.result === undefined ? undefined : JSON.stringify(payload.result),
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
    trace.begin(questionOf(payload), link, {
      parentSpanId: trace.idOf(commandOf(payload)),
      name: `confirm ${asObject(payload.shown).actuator ?? "command"}`,
      attributes: {
        "gen_ai.tool.call.id": textOf(payload.commandId),
        "hindcast.confirmation.id": textOf(payload.confirmationId),
      },
    }),
  ConfirmationDecided: (trace, link, payload) =>
    trace.finish(questionOf(payload), link, Span.OK, {
      "hindcast.confirmation.approved": payload.approved === true,
      "hindcast.confirmation.by": textOf(payload.by),
      "hindcast.confirmation.channel": textOf(payload.channel),
    }),
  ConfirmationExpired: (trace, link, payload) =>
    trace.finish(questionOf(payload), link, Span.failed("nobody decided in time"), { "error.type": "expired" }),
  ConfirmationWithdrawn: (trace, link, payload) =>
    trace.finish(questionOf(payload), link, Span.UNSET, { "hindcast.confirmation.withdrawn": true }),
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
    trace.finish(`${CALL} ${link.causationId}`, link, Span.OK, {
      "gen_ai.usage.input_tokens": numberOf(asObject(payload.usage).inputTokens),
      "gen_ai.usage.output_tokens": numberOf(asObject(payload.usage).outputTokens),
    }),
}

const sensorAbout = (payload: JsonObject, errorType?: string): About => ({
  name: `read ${payload.sensor}`,
  attributes: { "hindcast.sensor": textOf(payload.sensor), "error.type": errorType },
})
