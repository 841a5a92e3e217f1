/**
 * Background model calls: the first answer says "queued", and the program polls by the answer's id. The final answer
 * belongs to the original call.
 */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { wireAt } from "../../providers/WireFormats.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as HttpMessage from "./HttpMessage.ts"
import type * as ModelAnswer from "./ModelAnswer.ts"

export interface Waiting {
  readonly call: ModelAnswer.Call
  /** The answer so far: that it is queued. */
  readonly sofar: ModelAnswer.ReadAnswer
  readonly askedAt: number
}

export interface LaterAnswers {
  /** Registers the waiting calls among a run's earlier events. */
  readonly recall: (
    events: ReadonlyArray<Event>,
    read: (call: ModelAnswer.Call, response: HttpMessage.RecordedResponse) => ModelAnswer.ReadAnswer,
  ) => void
  /** Registers a call if its answer comes later; returns whether it does. */
  readonly wait: (waiting: Waiting) => boolean
  /** The call whose answer a request polls. */
  readonly asked: (method: string, url: string) => Waiting | undefined
  /** Whether the response is final; the call then stops waiting. */
  readonly isAnswered: (waiting: Waiting, read: ModelAnswer.ReadAnswer) => boolean
  /** Removes and returns the calls that are still waiting. */
  readonly left: () => ReadonlyArray<Waiting>
}

const isResponse = Schema.is(HttpMessage.RecordedResponse)

export const make = (): LaterAnswers => {
  const waiting = new Map<string, Waiting>()
  const idOf = ({ call, sofar: { answered } }: Waiting): string | undefined =>
    call.asked.wire.polled !== undefined && "turn" in answered && answered.turn.finish === "paused"
      ? answered.turn.id
      : undefined
  const wait = (one: Waiting): boolean => {
    const id = idOf(one)
    if (id !== undefined) waiting.set(id, one)
    return id !== undefined
  }
  return {
    recall: (events, read) => {
      const calls = new Map<string, ModelAnswer.Call>()
      for (const event of events) {
        const { causationId } = event
        if (is(event, "ModelCalled")) {
          const { provider, model, request } = event.payload
          const url = textOf(fieldOf(fieldOf(request, "http"), "url"))
          const found = url === undefined ? undefined : wireAt(url, { provider, model })
          if (found !== undefined) calls.set(event.id, { id: event.id, asked: found })
        } else if (causationId !== null && (is(event, "ModelResponded") || is(event, "ModelFailed"))) {
          calls.delete(causationId)
          for (const [id, { call }] of waiting) if (call.id === causationId) waiting.delete(id)
        } else if (is(event, "IoAnswered") && isResponse(event.payload.result)) {
          const call = calls.get(causationId ?? "")
          const askedAt = MonotonicClock.momentOf(event.occurredAt)
          if (call !== undefined) wait({ call, askedAt, sofar: read(call, event.payload.result) })
        }
      }
    },
    wait,
    asked: (method, url) => {
      if (waiting.size === 0) return undefined
      const { pathname } = new URL(url)
      for (const [id, one] of waiting) {
        if (one.call.asked.wire.polled?.(method, pathname) === id) return one
      }
      return undefined
    },
    isAnswered: (one, read) => {
      const id = idOf(one)
      const isOther = "failure" in read.answered && read.answered.failure.kind === "unreadable"
      if (id === undefined || isOther || idOf({ ...one, sofar: read }) !== undefined) return false
      waiting.delete(id)
      return true
    },
    left: () => {
      const all = [...waiting.values()]
      waiting.clear()
      return all
    },
  }
}
