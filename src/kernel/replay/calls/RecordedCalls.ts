/** Finds the answers to recorded requests to models, each of which may have been hedged by a second call. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../../values/defined.ts"
import type { Spent } from "../../tasks/calls/ModelCall.ts"

/** The end of a request that its agent got. */
export interface RecordedAnswer {
  readonly event: Event
  /** The call that ended so. */
  readonly call: PayloadOf<"ModelCalled">
  /** How the other call ended. */
  readonly lost: ReadonlyArray<Spent>
}

export interface RecordedCalls {
  /** The answer to a request, or its failure; undefined if the agent got none. */
  readonly answerOf: (called: Called) => RecordedAnswer | undefined
  /** The end of one call, whether its agent got it or not. */
  readonly endOf: (called: Called) => Event | undefined
}

/** A request, or its hedge. */
export type Called = Event & { readonly payload: PayloadOf<"ModelCalled"> }

/** Derives the answers from the events of a task. Pure. */
export const of = (events: ReadonlyArray<Event>): RecordedCalls => {
  const ends = new Map<string, Event>()
  const hedges = new Map<string, Called>()
  for (const event of events) {
    if (is(event, "ModelCalled")) {
      if (event.payload.hedgeOf !== undefined) hedges.set(event.payload.hedgeOf, event)
    } else if (isEnd(event)) ends.set(event.causationId ?? "", event)
  }
  return {
    endOf: ({ id }) => ends.get(id),
    answerOf: (called) => {
      const hedge = hedges.get(called.id)
      const calls = (hedge === undefined ? [called] : [called, hedge]).map((call) => ({ call, end: ends.get(call.id) }))
      const decisive = decisiveOf(calls)
      if (decisive === undefined) return undefined
      const lost = calls.flatMap(({ call, end }) => (call === decisive.call ? [] : spentIn(end)))
      return { event: decisive.end, call: decisive.call.payload, lost }
    },
  }
}

interface Ending {
  readonly call: Called
  readonly end: Event | undefined
}

/**
 * The call whose end the agent got: the one that answered or that an input interrupted, or the last to fail. If one is
 * open or was cancelled, the agent may not have got any.
 */
const decisiveOf = (calls: ReadonlyArray<Ending>) => {
  const ended = calls.flatMap(({ call, end }) => (end === undefined || !isAnswer(end) ? [] : [{ call, end }]))
  const found = ended.find(({ end }) => is(end, "ModelResponded") || end.payload.kind === "interrupted")
  if (found !== undefined) return found
  return ended.length === calls.length ? ended.toSorted((a, b) => a.end.position - b.end.position).at(-1) : undefined
}

/** The use of a call that ended without a whole answer. */
export const spentIn = (end: Event | undefined): ReadonlyArray<Spent> => {
  if (end === undefined || !is(end, "ModelFailed")) return []
  const { kind, response, usage, cost } = end.payload
  return [{ kind, ...defined({ response, usage, cost }) }]
}

const isEnd = (event: Event): boolean => is(event, "ModelResponded") || is(event, "ModelFailed")

/** A cancelled call got no answer. */
const isAnswer = (event: Event): boolean => !is(event, "ModelFailed") || event.payload.kind !== "cancelled"
