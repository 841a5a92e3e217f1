/**
 * Records tools that a program calls on its own: the call comes from a model's answer, the result from a later request.
 * If the program's framework reports its calls, their beginning and end come from there. Each becomes an observed
 * command with its outcome, unless the program records the tool with `run.tool`.
 */

import type { AnswerPart, Message, ToolResult } from "../../agents/models/Message.ts"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { type Event, newId } from "../../events/vocabulary/Event.ts"
import type { PairingRule } from "../../events/vocabulary/Inference.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as CommandState from "../../kernel/acting/CommandState.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as LongIntegers from "../../providers/LongIntegers.ts"
import type { Json } from "../../values/Json.ts"
import { recordable } from "../Recordable.ts"

/** An answer recorded as event `id`, and its request. */
export interface CallingAnswer {
  readonly id: string
  readonly request: string
  readonly parts: ReadonlyArray<AnswerPart>
}

export interface TellingRequest {
  readonly after?: string
  readonly messages: ReadonlyArray<Message>
}

export interface ObservedCalls {
  /** Registers open calls among the run's earlier events. */
  readonly recall: (events: ReadonlyArray<Event>) => void
  /** Returns the command events of an answer, with its time; append them after it. */
  readonly called: (answer: CallingAnswer, occurredAt: number) => ReadonlyArray<CoreNewEvent>
  /** Returns the outcome events for results in a request; append them before it. The last one is its cause. */
  readonly told: (request: TellingRequest, occurredAt: number) => ReadonlyArray<CoreNewEvent & Caused>
  /**
   * The framework runs a call of the answer to a request; the answer may still be on its way. Returns undefined if the
   * program records the tool itself.
   */
  readonly began: (call: ReportedCall, request: string, occurredAt: number) => BegunCall | undefined
  /** Returns the outcome of a call that began; none if a request already contained it. */
  readonly ended: (commandId: string, ended: ReportedEnd, occurredAt: number) => ReadonlyArray<CoreNewEvent>
  /** The last outcome that `ended` returned for a result in a request: the request's cause, if `told` returns none. */
  readonly causeOf: (request: Pick<TellingRequest, "messages">) => string | undefined
  readonly areOpen: () => boolean
  /** Returns the events that end calls without a result at the end of the run. */
  readonly left: () => ReadonlyArray<CoreNewEvent>
}

/** A call that the program's framework reports. */
export interface ReportedCall {
  readonly callId: string
  readonly tool: string
  readonly args: Json
}

export interface ReportedEnd {
  readonly ok: boolean
  readonly content: Json
  readonly latencyMs: number
}

export interface BegunCall {
  readonly commandId: string
  /** Id of the call's dispatch: the cause of the tool's effects. */
  readonly dispatched: string
  /** To append: the call's events, unless its answer is recorded. */
  readonly events: ReadonlyArray<CoreNewEvent>
}

interface OpenCall {
  readonly commandId: string
  readonly callId: string
  readonly tool: string
  /** The events that a request with its result may continue: its answer, or that answer's request. */
  readonly answer: string
  readonly request: string
  readonly last: string
  readonly calledAt: number
}

interface Caused {
  readonly id: string
  readonly causationId: string
}

const caused = <Of extends CoreNewEvent>(event: Of, causationId: string): Of & Caused => ({
  ...event,
  id: newId(),
  causationId,
})

/** Maximum number of calls that wait. Above it, the oldest ends as unknown. */
const MOST_OPEN = 1_000

export const NOT_TOLD = "no later request told its result"

/** @param isRecorded whether the program itself records the tool with this name */
export const make = (isRecorded: (tool: string) => boolean): ObservedCalls => {
  /** By command id, oldest first. */
  const open = new Map<string, OpenCall>()

  const give = <End extends CoreNewEvent>(call: OpenCall, end: End): End & Caused => {
    open.delete(call.commandId)
    return caused(end, call.last)
  }
  const doubted = (call: OpenCall) => give(call, ObservedCommand.unknown(call.commandId, NOT_TOLD))

  /** Calls that began before their answer was recorded, which then does not call them again. */
  const early = new Map<string, string>()
  /** The outcomes of ended calls by the model's call id, until a request tells their results. */
  const outcomes = new Map<string, string>()
  const earlyKey = (request: string, callId: string) => JSON.stringify([request, callId])

  /** The events of a call, and the call itself, which is then open. */
  const begin = (
    { callId, tool, args }: ReportedCall,
    { answer, request, cause }: { readonly answer: string; readonly request: string; readonly cause: string },
    occurredAt: number,
  ) => {
    const [oldest] = open.size < MOST_OPEN ? [] : open.values()
    const commandId = newId()
    const fitting = recordable(args, (omitted) => ({ omitted }))
    const named = { commandId, actuator: `program/${tool === "" ? "unnamed" : tool}`, args: fitting, callId }
    const requested = { ...caused(ObservedCommand.requested(named), cause), occurredAt }
    const [first, second] = ObservedCommand.passed(commandId, "observed")
    const allowed = { ...caused(first, requested.id), occurredAt }
    const dispatched = { ...caused(second, allowed.id), occurredAt }
    const call = { commandId, callId, tool, answer, request, last: dispatched.id, calledAt: performance.now() }
    open.set(commandId, call)
    return { call, events: [...(oldest === undefined ? [] : [doubted(oldest)]), requested, allowed, dispatched] }
  }

  return {
    recall: (events) => {
      for (const call of openIn(events)) open.set(call.commandId, call)
    },
    called: ({ id, request, parts }, occurredAt) =>
      parts.flatMap((part): ReadonlyArray<CoreNewEvent> => {
        if (part.type !== "call" || isRecorded(part.tool)) return []
        const key = earlyKey(request, part.callId)
        const begun = early.get(key)
        if (begun === undefined)
          return begin(
            { ...part, args: LongIntegers.argumentsOf(part) },
            { answer: id, request, cause: id },
            occurredAt,
          ).events
        early.delete(key)
        const call = open.get(begun)
        if (call !== undefined) open.set(begun, { ...call, answer: id })
        return []
      }),
    began: (reported, request, occurredAt) => {
      if (isRecorded(reported.tool)) return undefined
      const { callId, tool } = reported
      const called = [...open.values()].findLast((one) => one.callId === callId && one.request === request)
      if (called !== undefined && called.tool === tool)
        return { commandId: called.commandId, dispatched: called.last, events: [] }
      const { call, events } = begin(reported, { answer: "", request, cause: request }, occurredAt)
      keep(early, earlyKey(request, callId), call.commandId)
      return { commandId: call.commandId, dispatched: call.last, events }
    },
    ended: (commandId, { ok, content, latencyMs }, occurredAt) => {
      const call = open.get(commandId)
      if (call === undefined) return []
      const told = recordable<Json>(content, (omitted) => omitted)
      const end = ObservedCommand.ended(commandId, { ok, content: told, latencyMs, by: undefined })
      const given = give(call, { ...end, occurredAt })
      outcomes.delete(call.callId)
      keep(outcomes, call.callId, given.id)
      return [given]
    },
    causeOf: ({ messages }) => {
      const ids = messages.flatMap(({ role, content }) => (role === "tool" ? content.map(({ callId }) => callId) : []))
      const found = ids.flatMap((callId) => outcomes.get(callId) ?? [])
      for (const callId of ids) outcomes.delete(callId)
      return found.at(-1)
    },
    told: ({ after, messages }, occurredAt) => {
      const results = [
        ...messages.flatMap((message) => (message.role === "tool" ? message.content : [])),
        ...writtenResults([...open.values()], messages),
      ]
      const pairs = open.size === 0 ? [] : pairsOf([...open.values()], results, after)
      return pairs.map(([call, { isError, content }, by]) => {
        const latencyMs = MonotonicClock.elapsedSince(call.calledAt)
        const told = recordable<Json>(content, (omitted) => omitted)
        const end = ObservedCommand.ended(call.commandId, { ok: !isError, content: told, latencyMs, by })
        return give(call, { ...end, occurredAt })
      })
    },
    areOpen: () => open.size > 0,
    left: () => [...open.values()].map(doubted),
  }
}

/** Adds to a map that forgets its oldest entry. */
const keep = (map: Map<string, string>, key: string, value: string): void => {
  const [oldest] = map.size < MOST_OPEN ? [] : map.keys()
  if (oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}

/** A result in the format's own form, or written as text. */
interface Told extends ToolResult {
  readonly isWritten?: true
}

/** Prefix of results that smolagents writes as text. */
const WRITTEN = /^Observation:\n/

/**
 * Results written as text: the model's message holds the call and its id, and the next message begins with the prefix.
 * With several calls at once, the text does not say which result is whose, so they stay open.
 */
const writtenResults = (open: ReadonlyArray<OpenCall>, messages: ReadonlyArray<Message>): ReadonlyArray<Told> =>
  messages.flatMap((message, index) => {
    const before = messages[index - 1]
    if (message.role !== "user" || before?.role !== "assistant") return []
    const text = textOf(message.content)
    if (!WRITTEN.test(text)) return []
    const said = textOf(before.content)
    const [call, ...others] = open.filter(({ callId }) => said.includes(`'${callId}'`))
    if (call === undefined || others.length > 0) return []
    const content = text.replace(WRITTEN, "")
    return [{ callId: call.callId, tool: call.tool, isError: false, content, isWritten: true as const }]
  })

const textOf = (content: ReadonlyArray<{ readonly type: string }>): string =>
  content.map((part) => ("text" in part && part.type === "text" ? String(part.text) : "")).join("")

/** Observed calls without a result among a run's events. */
const openIn = (events: ReadonlyArray<Event>): ReadonlyArray<OpenCall> => {
  const found = new Map<string, OpenCall>()
  const requests = new Map<string, string>()
  for (const event of events) {
    if (is(event, "ModelResponded")) requests.set(event.id, event.causationId ?? "")
    // The time between a recording and its fork does not count.
    if (is(event, "TimelineForked"))
      for (const [id, call] of found) found.set(id, { ...call, calledAt: MonotonicClock.momentOf(event.occurredAt) })
    if (is(event, "ActuatorCommanded") && event.payload.observed === true) {
      const { commandId, actuator, callId = "" } = event.payload
      const answer = event.causationId ?? ""
      const calledAt = MonotonicClock.momentOf(event.occurredAt)
      const tool = actuator.slice(actuator.indexOf("/") + 1)
      const request = requests.get(answer) ?? ""
      found.set(commandId, { commandId, callId, tool, answer, request, last: event.id, calledAt })
      continue
    }
    const { commandId } = event.payload
    const call = typeof commandId === "string" ? found.get(commandId) : undefined
    if (call === undefined) continue
    if (CommandState.isEnd(event.type)) found.delete(call.commandId)
    else found.set(call.commandId, { ...call, last: event.id })
  }
  return [...found.values()]
}

/**
 * Pairs results with calls: by the model's call id, else by tool name and order within the answer that the request
 * continues, since some clients send their own ids or none. Drops results that match no open call.
 */
const pairsOf = (
  open: ReadonlyArray<OpenCall>,
  results: ReadonlyArray<Told>,
  after: string | undefined,
): ReadonlyArray<readonly [OpenCall, ToolResult, PairingRule]> => {
  const left = new Set(open)
  const continued = (call: OpenCall) => after !== undefined && (call.answer === after || call.request === after)
  const take = (fits: (call: OpenCall) => boolean): OpenCall | undefined => {
    const fitting = [...left].filter(fits)
    // A client may reuse ids in each answer.
    const found = fitting.find(continued) ?? fitting.at(-1)
    if (found !== undefined) left.delete(found)
    return found
  }
  const byId = results.map((result) => take(({ callId }) => callId === result.callId))
  return results.flatMap((result, index): ReadonlyArray<readonly [OpenCall, Told, PairingRule]> => {
    const named = byId[index]
    if (named !== undefined) return [[named, result, result.isWritten === true ? "call-text" : "call-id"]]
    const placed = take((call) => continued(call) && (result.tool === "" || result.tool === call.tool))
    return placed === undefined ? [] : [[placed, result, "call-order"]]
  })
}
