/** The parts of a task that take time: calls, requests to models, questions to people, and pauses. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { isOfCritic } from "../state/ModelCallEnd.ts"
import * as TaskClock from "../state/TaskClock.ts"
import { begun } from "./Begun.ts"
import { Calls } from "./Calls.ts"
import type { Approval, Call } from "./Item.ts"
import { countOr, isText, textOr } from "./Parts.ts"
import type { Growing, Told } from "./Told.ts"

/** `wait`: before a request is repeated. `pause`: of the task, or of one of its agents. */
export type SpanKind = "call" | "model" | "approval" | "wait" | "pause"

export interface Span {
  readonly kind: SpanKind
  /** The tool, or `provider/model`; for a question and a wait, its subject. */
  readonly name: string
  /** Who acts, in a task with several agents; null in others. */
  readonly agentId: string | null
  /** The position of the event with which it begins. */
  readonly from: number
  /** The position at which the work on a call began, after its approval; null if the log does not say. */
  readonly begun: number | null
  /** The position of the event that ends it; null if the log has none. */
  readonly to: number | null
  /** In milliseconds, as the log states it and audits count it; null if unknown. */
  readonly ms: number | null
  /** Such as `running`, `waiting`, `succeeded`, `answered` or `expired`. */
  readonly state: string
  /** Whether it failed, was denied, or has an unknown outcome. */
  readonly isBad: boolean
  /** Who decided, for a question. */
  readonly by: string | null
  /** The positions of a call's events, in order; empty for others. */
  readonly events: ReadonlyArray<number>
}

/** The spans of a task, event by event. It holds no payloads. */
export class Spans {
  readonly all: Array<Growing<Span>> = []
  readonly #calls = new Calls()
  readonly #byCommand = new Map<string, { readonly call: Growing<Call>; readonly span: Growing<Span> }>()
  readonly #commandOf = new Map<string, string>()
  readonly #questions = new Map<string, Growing<Span>>()
  /** Requests without an answer so far, by the ids of their events. */
  readonly #requests = new Map<string, Growing<Span>>()
  /** Waits and pauses without an end so far, by their kind and agent. */
  readonly #open = new Map<string, { readonly span: Growing<Span>; readonly sinceMs: number }>()
  #clock: TaskClock.TaskClock | undefined

  /** Takes the next event. Returns the call or the request that it is part of. */
  take(event: Event): Span | undefined {
    const payload = asObject(event.payload)
    this.#clock = this.#clock === undefined ? TaskClock.start(event) : TaskClock.after(this.#clock, event)
    switch (event.type) {
      case "ActuatorCommanded":
        return this.#command(event, payload)
      case "ModelCalled":
        return isOfCritic(event) ? undefined : this.#ask(event, payload)
      case "ModelResponded":
      case "ModelFailed":
        return isOfCritic(event) ? undefined : this.#answer(event, payload)
      case "ConfirmationRequested":
        this.#question(event, payload)
        return this.#ofCall(event, payload)
      case "ConfirmationDecided":
      case "ConfirmationExpired":
      case "ConfirmationWithdrawn":
        this.#settle(event, payload)
        return this.#ofCall(event, payload)
      case "TaskPaused":
        return this.#begin("pause", "the task is paused", event, null)
      case "TaskContinued":
      case "TaskClosed":
        this.#end("pause", event, null)
        return undefined
      case "AgentSuspended":
        return this.#begin("pause", "suspended", event, textOr(payload.agentId))
      case "AgentContinued":
      case "AgentLeft":
        this.#end("pause", event, textOr(payload.agentId))
        return undefined
      default:
        return event.type.startsWith("Command") ? this.#ofCall(event, payload) : undefined
    }
  }

  #command(event: Event, payload: JsonObject): Span {
    const { actuator, agentId, source, observed, commandId } = payload
    const call: Growing<Call> = {
      kind: "call",
      ...begun(told(event), agentId),
      tool: textOr(actuator) ?? "",
      args: null,
      isOfScenario: source === "scenario",
      isObserved: observed === true,
      state: "running",
      approval: null,
      rule: null,
      end: null,
      changes: [],
    }
    this.#calls.begin(told(event), payload, call)
    const span = this.#add("call", call.tool, event, call.agentId)
    span.events = call.events
    if (isText(commandId)) this.#byCommand.set(commandId, { call, span })
    return span
  }

  /** Takes a later event of a command, by the rules of conversations. */
  #ofCall(event: Event, payload: JsonObject): Span | undefined {
    this.#calls.take(told(event), payload)
    const { commandId, confirmationId } = payload
    if (isText(commandId) && isText(confirmationId)) this.#commandOf.set(confirmationId, commandId)
    const known = isText(commandId)
      ? commandId
      : isText(confirmationId)
        ? this.#commandOf.get(confirmationId)
        : undefined
    const found = known === undefined ? undefined : this.#byCommand.get(known)
    if (found === undefined) return undefined
    const { call, span } = found
    // The result may be large, and nobody reads it here.
    if (call.end !== null) call.end = { ...call.end, result: null }
    span.events = call.events
    if (event.type === "CommandDispatched") span.begun = event.position
    span.state = call.state
    span.to = call.end?.position ?? null
    span.ms = call.end?.latencyMs ?? null
    span.isBad = call.end !== null && call.end.status !== "succeeded"
    span.by = call.approval?.by ?? null
    return span
  }

  #ask(event: Event, { provider, model, agentId }: JsonObject): Span {
    const agent = textOr(agentId)
    this.#end("wait", event, agent)
    const span = this.#add("model", [provider, model].filter(isText).join("/"), event, agent)
    this.#requests.set(event.id, span)
    return span
  }

  #answer(event: Event, { latencyMs, retryInMs, kind }: JsonObject): Span | undefined {
    const asked = event.causationId ?? ""
    const span = this.#requests.get(asked)
    this.#requests.delete(asked)
    const agent = span?.agentId ?? null
    const inMs = countOr(retryInMs)
    if (inMs !== null) this.#begin("wait", `before a retry${isText(kind) ? `: ${kind}` : ""}`, event, agent).ms = inMs
    if (span === undefined) return undefined
    span.to = event.position
    span.ms = countOr(latencyMs)
    span.isBad = event.type === "ModelFailed"
    span.state = span.isBad ? "failed" : "answered"
    return span
  }

  #question(event: Event, { confirmationId, commandId, shown }: JsonObject): void {
    const of = isText(commandId) ? this.#byCommand.get(commandId)?.span : undefined
    const { actuator, request } = asObject(shown)
    const name = of?.name ?? textOr(actuator) ?? textOr(request) ?? "a request"
    const span = this.#add("approval", name, event, of?.agentId ?? null)
    span.state = "waiting"
    if (isText(confirmationId)) this.#questions.set(confirmationId, span)
  }

  #settle(event: Event, { confirmationId, approved, by, waitedMs }: JsonObject): void {
    const span = isText(confirmationId) ? this.#questions.get(confirmationId) : undefined
    if (span === undefined || span.to !== null) return
    span.to = event.position
    span.ms = countOr(waitedMs)
    span.by = textOr(by)
    span.state = event.type === "ConfirmationDecided" ? decided(approved === true) : unanswered(event.type)
    span.isBad = span.state === "rejected" || span.state === "expired"
  }

  #begin(kind: "wait" | "pause", name: string, event: Event, agentId: string | null): Growing<Span> {
    const span = this.#add(kind, name, event, agentId)
    this.#open.set(`${kind} ${agentId}`, { span, sinceMs: this.#clock?.elapsedMs ?? 0 })
    return span
  }

  #end(kind: "wait" | "pause", event: Event, agentId: string | null): void {
    const key = `${kind} ${agentId}`
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    open.span.to = event.position
    open.span.state = "over"
    open.span.ms ??= Math.max(0, (this.#clock?.elapsedMs ?? 0) - open.sinceMs)
  }

  #add(kind: SpanKind, name: string, { position }: Event, agentId: string | null): Growing<Span> {
    const span: Growing<Span> = {
      ...{ kind, name, agentId, from: position, begun: null, to: null, ms: null },
      ...{ state: "running", isBad: false, by: null, events: [] },
    }
    this.all.push(span)
    return span
  }
}

const decided = (isApproved: boolean): Approval["state"] => (isApproved ? "approved" : "rejected")

/** How a question ends that nobody decides. */
const unanswered = (type: string): Approval["state"] => (type === "ConfirmationExpired" ? "expired" : "withdrawn")

const told = (event: Event): Told => ({ ...event, cause: null, length: 0, line: "" })
