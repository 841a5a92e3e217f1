/**
 * The tools that a program called by itself: an answer of its model has the call, and a later request has its result. Each becomes a
 * command and its outcome, unless the program records the tool with `run.tool`.
 */

import type { AnswerPart, Message, ToolResult } from "../../agents/models/Message.ts"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { type Event, newId } from "../../events/vocabulary/Event.ts"
import type { PairingRule } from "../../events/vocabulary/Inference.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as CommandState from "../../kernel/acting/CommandState.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import type { Json } from "../../values/Json.ts"
import { recordable } from "../Recordable.ts"

/** An answer that was recorded as the event `id`, and the request that it answers. */
export interface CallingAnswer {
  readonly id: string
  readonly request: string
  readonly parts: ReadonlyArray<AnswerPart>
}

/** A request with what is new in it, and the event that it continues. */
export interface TellingRequest {
  readonly after?: string
  readonly messages: ReadonlyArray<Message>
}

/** The calls of a run whose results have not come yet. */
export interface ObservedCalls {
  /** Takes note of the calls among events that an earlier process recorded of the run. */
  readonly recall: (events: ReadonlyArray<Event>) => void
  /** The events of the commands that an answer calls. They follow the answer. */
  readonly called: (answer: CallingAnswer) => ReadonlyArray<CoreNewEvent>
  /** The events of the results that a request tells at a time. They come before the request, which the last of them causes. */
  readonly told: (request: TellingRequest, occurredAt: number) => ReadonlyArray<CoreNewEvent & Caused>
  /** Whether calls have no result yet. */
  readonly areOpen: () => boolean
  /** The events that end what has no result when the run ends. */
  readonly left: () => ReadonlyArray<CoreNewEvent>
}

/** A call without a result. */
interface OpenCall {
  readonly commandId: string
  readonly callId: string
  readonly tool: string
  /** The events that its result may continue: its answer, and the request of that. */
  readonly answer: string
  readonly request: string
  /** The event that its outcome follows from. */
  readonly last: string
  readonly calledAt: number
}

/** An event with its own id and that of its cause. */
interface Caused {
  readonly id: string
  readonly causationId: string
}

const caused = <Of extends CoreNewEvent>(event: Of, causationId: string): Of & Caused => ({
  ...event,
  id: newId(),
  causationId,
})

/** Maximum number of calls that wait for a result. Beyond it the oldest ends as unknown. */
const MOST_OPEN = 1_000

/** Why a result is unknown. */
export const NOT_TOLD = "no later request told its result"

/**
 * No calls.
 *
 * @param isRecorded whether the program records a tool itself, by the name that its model calls it by
 */
export const make = (isRecorded: (tool: string) => boolean): ObservedCalls => {
  /** By the ids of their commands, oldest first. */
  const open = new Map<string, OpenCall>()

  const give = <End extends CoreNewEvent>(call: OpenCall, end: End): End & Caused => {
    open.delete(call.commandId)
    return caused(end, call.last)
  }
  const doubted = (call: OpenCall) => give(call, ObservedCommand.unknown(call.commandId, NOT_TOLD))

  return {
    recall: (events) => {
      for (const call of openIn(events)) open.set(call.commandId, call)
    },
    called: ({ id, request, parts }) =>
      parts.flatMap((part): ReadonlyArray<CoreNewEvent> => {
        if (part.type !== "call" || isRecorded(part.tool)) return []
        const [oldest] = open.size < MOST_OPEN ? [] : open.values()
        const { callId, tool } = part
        const commandId = newId()
        const args = recordable(part.args, (omitted) => ({ omitted }))
        const call = { commandId, actuator: `program/${tool === "" ? "unnamed" : tool}`, args, callId }
        const requested = caused(ObservedCommand.requested(call), id)
        const [first, second] = ObservedCommand.passed(commandId, "observed")
        const allowed = caused(first, requested.id)
        const dispatched = caused(second, allowed.id)
        const last = dispatched.id
        open.set(commandId, { commandId, callId, tool, answer: id, request, last, calledAt: performance.now() })
        return [...(oldest === undefined ? [] : [doubted(oldest)]), requested, allowed, dispatched]
      }),
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

/** A result that a request tells: in words, or as the format has results. */
interface Told extends ToolResult {
  readonly isWritten?: true
}

/** How a result begins that a client tells its model in words (smolagents). */
const WRITTEN = /^Observation:\n/

/**
 * The results that a client tells in words: a message of the model in which its call is written, with its id, and the next message, which
 * begins so. Of several calls at once, whose results are one text, nothing says which is whose.
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

/** The observed calls among a run's events that have no result. */
const openIn = (events: ReadonlyArray<Event>): ReadonlyArray<OpenCall> => {
  const found = new Map<string, OpenCall>()
  const requests = new Map<string, string>()
  for (const event of events) {
    if (is(event, "ModelResponded")) requests.set(event.id, event.causationId ?? "")
    // What lies between a recording and its fork is no time of a call.
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
 * The results of a request with their calls: by the model's id of the call, and otherwise, because some clients send ids of their own or
 * none, by the tool's name and the order of the calls in the answer that the request continues. A result of no open call is left out.
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
    // A client may give each answer the same ids.
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
