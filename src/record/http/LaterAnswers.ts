/**
 * Calls of models that work in the background: the answer to the request says that it is queued, and the program asks for it by its id until
 * it is there. What is there then is the answer to the call, and no call of its own.
 */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { wireAt } from "../../providers/wires.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as HttpMessage from "./HttpMessage.ts"
import type * as ModelAnswer from "./ModelAnswer.ts"

/** A call whose answer is to come by another request. */
export interface Waiting {
  readonly call: ModelAnswer.Call
  /** What was read of its answer so far: that it is queued. */
  readonly sofar: ModelAnswer.ReadAnswer
  /** When it was asked, by the monotonic clock. */
  readonly askedAt: number
}

/** The calls of a run that wait so. */
export interface LaterAnswers {
  /** Takes note of those among a run's earlier events. */
  readonly recall: (
    events: ReadonlyArray<Event>,
    read: (call: ModelAnswer.Call, response: HttpMessage.RecordedResponse) => ModelAnswer.ReadAnswer,
  ) => void
  /** Whether the answer of a call is to come later. It waits then. */
  readonly wait: (waiting: Waiting) => boolean
  /** The call whose answer a request asks for. */
  readonly asked: (method: string, url: string) => Waiting | undefined
  /** What was read of a later response is the answer, unless it is still to come. */
  readonly isAnswered: (waiting: Waiting, read: ModelAnswer.ReadAnswer) => boolean
  /** Those whose answer never came. */
  readonly left: () => ReadonlyArray<Waiting>
}

const isResponse = Schema.is(HttpMessage.RecordedResponse)

/** None. */
export const make = (): LaterAnswers => {
  /** By the provider's ids of the answers. */
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
