/**
 * Translates a task's events into events for front ends. The names are those of the interface for user interfaces that
 * Hindcast began with.
 */

import type { InputDelivery } from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as AgentState from "./AgentState.ts"

/** An event for front ends, without its place. */
export type Happening =
  | { readonly type: "onNewMessage"; readonly content: string; readonly format: "markdown" | "text" }
  /** Somebody sent an input. `by` is the actor, such as `human:ada`. */
  | {
      readonly type: "onInputReceived"
      readonly source: string
      readonly by: string
      readonly content: Json
      readonly delivery: InputDelivery
    }
  | { readonly type: "onToolCall"; readonly commandId: string; readonly toolName: string; readonly args: Json }
  /** A command ended. `result` is its result, or the reason why it has none. */
  | {
      readonly type: "onToolCallEnd"
      readonly commandId: string
      readonly toolName: string
      readonly status: "succeeded" | "failed" | "denied" | "unknown"
      readonly result: Json
      /** Why the log has no result, although the command succeeded; `result` is null. */
      readonly unrecorded?: string
      /** The plugin that reported the outcome after a crash had left it in doubt. */
      readonly settledBy?: string
    }
  /** The newest report of a call in progress: a fraction from 0 to 1, or a few words. Not an event of its own in the log. */
  | {
      readonly type: "onToolProgress"
      readonly commandId: string
      readonly toolName: string
      readonly progress: number | string
    }
  /**
   * A command or a plugin's host request waits for a person. An approval covers exactly the content of `shown`, and
   * repeats its digest. A question of a fork names the fork's timeline.
   */
  | {
      readonly type: "onToolCallRequest"
      readonly toolName: string
      readonly args: Json
      readonly confirmationId: string
      /** The command that waits; absent for a plugin's host request. */
      readonly commandId?: string
      readonly security_warning?: Json
      readonly shown: JsonObject
      readonly shownDigest?: string
      /** In epoch milliseconds. */
      readonly expiresAt: number
    }
  /** A question no longer waits. */
  | {
      readonly type: "onToolCallSettled"
      readonly confirmationId: string
      readonly answer: "approved" | "rejected" | "expired" | "withdrawn"
      readonly by?: string
    }
  /** The agent's activity changed. Derived from the events, never logged. */
  | { readonly type: "onAgentStateChange"; readonly state: AgentState.AgentState }
  /** The model did not answer; the agent retries after `retryInMs` milliseconds. */
  | { readonly type: "onRetryWait"; readonly retryInMs: number; readonly kind: string; readonly reason: string }
  | { readonly type: "onReadyForInput" }
  /** A piece of an answer while it streams, identified by its request and the part's index. Not in the log. */
  | {
      readonly type: "onDelta"
      /** The id of the request's `ModelCalled` event. */
      readonly request: string
      readonly index: number
      readonly kind: "text" | "reasoning" | "call"
      readonly text: string
    }

/** An event for front ends. */
export type ChannelEvent = Happening & {
  /** Its position in the log; for a delta, that of the event before it. */
  readonly position: number
  readonly timeline: string
  /** Resumes the stream after this event: `after` of a later connection. */
  readonly cursor: string
}

export interface Telling {
  readonly activity: AgentState.Activity
  readonly tools: ReadonlyMap<string, string>
  readonly asked: ReadonlyMap<string, string>
}

export const initial: Telling = { activity: AgentState.initial, tools: new Map(), asked: new Map() }

/**
 * Applies one event and returns its translation. On another timeline than the task's own, only confirmations count.
 * Pure.
 */
export const tell = (telling: Telling, event: Event, isOwn: boolean): readonly [Telling, ReadonlyArray<Happening>] => {
  if (isEndElsewhere(telling, event)) return [telling, []]
  const asked = askedAfter(telling.asked, event)
  if (!isOwn) return [{ ...telling, asked }, confirming(event)]
  const before = AgentState.stateOf(telling.activity)
  const activity = AgentState.evolve(telling.activity, event)
  const state = AgentState.stateOf(activity)
  const isChanged = state !== before || is(event, "TaskOpened") || is(event, "TimelineForked")
  return [
    { activity, tools: toolsAfter(telling.tools, event), asked },
    [
      ...speaking(event),
      ...acting(telling.tools, event),
      ...confirming(event),
      ...(isChanged ? [{ type: "onAgentStateChange", state } as const] : []),
      ...(isChanged && state === "ready" ? [{ type: "onReadyForInput" } as const] : []),
    ],
  ]
}

/**
 * Whether an event ends a question of another timeline: a fork withdraws, for itself, questions that still wait in its
 * parent.
 */
const isEndElsewhere = ({ asked }: Telling, event: Event): boolean => {
  const { confirmationId } = event.payload
  if (typeof confirmationId !== "string" || is(event, "ConfirmationRequested")) return false
  const timeline = asked.get(confirmationId)
  return timeline !== undefined && timeline !== event.timeline
}

const askedAfter = (asked: Telling["asked"], event: Event): Telling["asked"] => {
  const { confirmationId } = event.payload
  if (typeof confirmationId !== "string") return asked
  if (is(event, "ConfirmationRequested")) return new Map(asked).set(confirmationId, event.timeline)
  return asked.has(confirmationId) ? new Map([...asked].filter(([id]) => id !== confirmationId)) : asked
}

const toolsAfter = (tools: Telling["tools"], event: Event): Telling["tools"] => {
  if (is(event, "ActuatorCommanded")) return new Map(tools).set(event.payload.commandId, event.payload.actuator)
  const { commandId } = event.payload
  if (typeof commandId !== "string" || !AgentState.ENDS.has(event.type)) return tools
  return new Map([...tools].filter(([id]) => id !== commandId))
}

const speaking = (event: Event): ReadonlyArray<Happening> => {
  if (is(event, "MessageSent")) return [{ type: "onNewMessage", ...event.payload }]
  if (is(event, "ModelFailed")) {
    const { retryInMs, kind, reason } = event.payload
    return retryInMs === undefined ? [] : [{ type: "onRetryWait", retryInMs, kind, reason }]
  }
  if (!is(event, "InputReceived")) return []
  const { source, content, delivery = "queued" } = event.payload
  return [{ type: "onInputReceived", source, by: event.actor, content, delivery }]
}

const acting = (tools: Telling["tools"], event: Event): ReadonlyArray<Happening> => {
  if (is(event, "ActuatorCommanded")) {
    const { commandId, actuator, args } = event.payload
    return [{ type: "onToolCall", commandId, toolName: actuator, args: args as Json }]
  }
  const ended = endOf(event)
  const toolName = ended === undefined ? undefined : tools.get(ended.commandId)
  return ended === undefined || toolName === undefined ? [] : [{ type: "onToolCallEnd", toolName, ...ended }]
}

const by = (settledBy: string | undefined) => (settledBy === undefined ? {} : { settledBy })

const endOf = (event: Event) => {
  if (is(event, "CommandSucceeded")) {
    const { commandId, result, unrecorded, settledBy } = event.payload
    const missing = unrecorded === undefined ? {} : { unrecorded: unrecorded.reason }
    return { commandId, status: "succeeded", result, ...missing, ...by(settledBy) } as const
  }
  if (is(event, "CommandFailed")) {
    const { commandId, error, settledBy } = event.payload
    return { commandId, status: "failed", result: { ...error }, ...by(settledBy) } as const
  }
  if (is(event, "CommandDenied")) {
    const { commandId, rule, reason } = event.payload
    return { commandId, status: "denied", result: { rule, reason } } as const
  }
  return is(event, "CommandOutcomeUnknown")
    ? ({ commandId: event.payload.commandId, status: "unknown", result: null } as const)
    : undefined
}

const confirming = (event: Event): ReadonlyArray<Happening> => {
  if (is(event, "ConfirmationRequested")) return [requestOf(event.payload)]
  const type = "onToolCallSettled"
  if (is(event, "ConfirmationDecided")) {
    const { confirmationId, approved, by } = event.payload
    return [{ type, confirmationId, answer: approved ? "approved" : "rejected", by }]
  }
  if (is(event, "ConfirmationExpired")) {
    return [{ type, confirmationId: event.payload.confirmationId, answer: "expired" }]
  }
  if (!is(event, "ConfirmationWithdrawn")) return []
  return [{ type, confirmationId: event.payload.confirmationId, answer: "withdrawn" }]
}

const requestOf = (request: PayloadOf<"ConfirmationRequested">): Happening => {
  const { confirmationId, commandId, shown, shownDigest, expiresAt, securityWarning } = request
  const { actuator, request: hostRequest, target, args, risk, declared, because } = shown as JsonObject
  const raised = because === undefined ? undefined : { risk: risk ?? null, declared: declared ?? null, because }
  const warning = (securityWarning as Json | undefined) ?? raised
  return {
    type: "onToolCallRequest",
    toolName: typeof actuator === "string" ? actuator : `${hostRequest} ${target}`,
    args: args ?? null,
    confirmationId,
    ...defined({ commandId, security_warning: warning }),
    shown: shown as JsonObject,
    ...defined({ shownDigest }),
    expiresAt,
  }
}
