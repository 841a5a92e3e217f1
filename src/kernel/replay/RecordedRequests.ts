/** Derives an agent's requests and their answers from the task's events. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { inputOf } from "../tasks/Inputs.ts"
import { ModelCallFailed } from "../tasks/ModelCalls.ts"
import * as RecordedCalls from "./calls/RecordedCalls.ts"
import { outcomes } from "./RecordedOutcomes.ts"
import { type Consultation, cutPerceptions, type Request } from "./Request.ts"

/**
 * An agent's requests in order, without those whose answers it never got.
 *
 * @param sensorsAt the number of sensors that a perception at a position reads
 */
export const requestsOf = (
  events: ReadonlyArray<Event>,
  sensorsAt: (position: number) => number,
): ReadonlyArray<Request> => {
  const seen = withoutUnansweredCalls(events)
  const readings =
    seen.some(isChoice) && !seen.some(isOfSeveral) ? fromDecisions(seen, sensorsAt) : fromPerceptions(seen, sensorsAt)
  const requests = [...readings, ...fromEvents(seen)].sort((a, b) => a.position - b.position)
  return withoutCutPerceptions(requests, seen)
}

/** Perceptions of several agents are told apart by number. */
const isOfSeveral = (event: Event): boolean => is(event, "TaskOpened") && event.payload.agents !== undefined

/** Forks and resumes: agents replayed up to there, and made unanswered requests again. */
const ledUntil = (events: ReadonlyArray<Event>): ReadonlyArray<number> =>
  events.flatMap((event) => (is(event, "TimelineForked") || is(event, "TaskResumed") ? [event.payload.at] : []))

/** Drops model calls that a fork or the end of a kernel cut off. */
const withoutUnansweredCalls = (events: ReadonlyArray<Event>): ReadonlyArray<Event> => {
  const last = Math.max(0, ...ledUntil(events))
  const { answerOf } = RecordedCalls.of(events)
  return events.filter(
    (event) =>
      !is(event, "ModelCalled") ||
      event.position > last ||
      event.payload.hedgeOf !== undefined ||
      answerOf(event) !== undefined,
  )
}

/**
 * Drops repeated perceptions: those that a kernel's end or a fork of several agents may have cut off, and one right
 * before a fork that changed the observations.
 */
const withoutCutPerceptions = (
  requests: ReadonlyArray<Request>,
  events: ReadonlyArray<Event>,
): ReadonlyArray<Request> => {
  const isShared = events.some(isOfSeveral)
  const cut = new Set(
    events.flatMap((event) => {
      if (is(event, "TaskResumed")) return cutPerceptions(requests, event.payload.at)
      if (!is(event, "TimelineForked")) return []
      const { at, overrides } = event.payload
      const isOther = overrides.readings !== undefined || overrides.world !== undefined
      const last = isOther ? requests.findLast(({ until }) => until <= at) : undefined
      return [...(last?.kind === "perceive" ? [last] : []), ...(isShared ? cutPerceptions(requests, at) : [])]
    }),
  )
  return requests.filter((request) => !cut.has(request))
}

/**
 * Finds one perception before each decision, with the readings in its `basedOn`. The perception numbers show one after
 * the last decision.
 */
const fromDecisions = (
  events: ReadonlyArray<Event>,
  sensorsAt: (position: number) => number,
): ReadonlyArray<Request> => {
  const byPosition = new Map(events.map((event) => [event.position, event]))
  const consulted = events.filter((event) => is(event, "ModelCalled"))
  let before = 0
  const perceived = events.flatMap((event) => {
    if (!isChoice(event)) return []
    const evidence = (event.payload.basedOn ?? []).flatMap((position) => byPosition.get(position) ?? [])
    // The agent perceived before it consulted a model.
    const consultedAt = consulted.find(({ position }) => position > before)?.position ?? event.position
    before = event.position
    return [perceiving(evidence, Math.min(consultedAt, event.position) - 0.5)]
  })
  const last = events.findLast(isChoice)?.position ?? 0
  const after = events.filter(({ position }) => position > last)
  // The end of a kernel may have cut off an earlier one.
  const newest = fromPerceptions(after, sensorsAt).slice(-1)
  const consultedAt = after.find((event) => is(event, "ModelCalled"))?.position
  return [
    ...perceived,
    ...(newest.length === 0 && consultedAt !== undefined ? [perceiving([], consultedAt - 0.5)] : newest),
  ]
}

/** Adds the first perception of a deciding agent without a decision: it perceived, even without sensors. */
export const beforeFirstDecision = (requests: ReadonlyArray<Request>): ReadonlyArray<Request> => {
  const at = requests.findIndex(({ kind }) => kind !== "input")
  const first = requests[at]
  return first?.kind === "consult"
    ? [...requests.slice(0, at), perceiving([], first.position - 0.5), ...requests.slice(at)]
    : requests
}

const fromPerceptions = (
  events: ReadonlyArray<Event>,
  sensorsAt: (position: number) => number,
): ReadonlyArray<Request> => {
  const perceptions = new Map<number, Array<Event>>()
  for (const event of events) {
    const { perception } = event.payload
    if (!PERCEIVING.has(event.type) || typeof perception !== "number" || isUnrecorded(event)) continue
    perceptions.set(perception, [...(perceptions.get(perception) ?? []), event])
  }
  return [...perceptions.values()].map((read) => {
    const position = read[0]?.position ?? 0
    return { ...perceiving(read, position), isWhole: read.length >= sensorsAt(position) }
  })
}

/** The error code for a sensor whose reading a fork's recording lacks. */
export const NOT_RECORDED = "NotRecorded"

/** Such a failure stopped the agent in a fork on a recording; it never got the perception. */
const isUnrecorded = (event: Event): boolean => is(event, "SensorFailed") && event.payload.error.code === NOT_RECORDED

/** Event types of a perception. */
export const PERCEIVING: ReadonlySet<string> = new Set(["SensorRead", "SensorFailed", "SensorSkipped"])

/** Readings are in the order of `perceive`: by priority, then by name. */
const perceiving = (
  events: ReadonlyArray<Event>,
  position: number,
): Extract<Request, { readonly kind: "perceive" }> => {
  const read = events.filter((event) => is(event, "SensorRead"))
  const readings = read
    .toSorted(
      ({ payload: a }, { payload: b }) =>
        b.priority - a.priority || (a.sensor < b.sensor ? -1 : Number(a.sensor > b.sensor)),
    )
    .map((event) => ({ sensor: event.payload.sensor, reading: event.payload.reading, position: event.position, event }))
  const positions = events.flatMap(({ type, position }) => (PERCEIVING.has(type) ? [position] : []))
  const until = positions.length === 0 ? position : Math.max(...positions)
  return { kind: "perceive", position, until, readings, isWhole: true, ...agentOf(events[0]) }
}

const agentOf = (event: Event | undefined): { readonly agentId?: string } => {
  const agentId = event?.payload.agentId
  return typeof agentId === "string" ? { agentId } : {}
}

/** Adds the digest of the whole request if the log has only a part. */
const questionOf = (
  provider: string,
  model: string,
  request: Json,
  requestDigest: string,
): Consultation["question"] => ({
  provider,
  model,
  request,
  ...(requestDigest === digest(request) ? {} : { requestDigest }),
})

/** Tells a turn of a model, which lists its calls, from a choice. */
export const isTurn = ({ choice }: PayloadOf<"DecisionMade">): boolean => "calls" in choice

const isChoice = (event: Event): event is Event & { readonly payload: PayloadOf<"DecisionMade"> } =>
  is(event, "DecisionMade") && !isTurn(event.payload)

const answerIn = ({ event, call, lost }: RecordedCalls.RecordedAnswer): Consultation["answer"] => {
  const spent = lost.length === 0 ? {} : { lost }
  if (is(event, "ModelResponded")) {
    const { latencyMs: _, ...response } = event.payload
    return { ...response, ...spent }
  }
  if (!is(event, "ModelFailed")) return null
  const { latencyMs: _, ...failure } = event.payload
  return new ModelCallFailed({ provider: call.provider, model: call.model, ...failure, ...spent })
}

const fromEvents = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const ended = outcomes(events)
  const forks = new Set(events.flatMap((event) => (is(event, "TimelineForked") ? [event.id] : [])))
  const { answerOf } = RecordedCalls.of(events)
  const received = new Map(
    events.flatMap((event) => (is(event, "InputReceived") ? [[event.position, inputOf(event)] as const] : [])),
  )
  const delivered = (positions: ReadonlyArray<number>) => positions.flatMap((position) => received.get(position) ?? [])
  return events.flatMap((event): ReadonlyArray<Request> => {
    const { position } = event
    if (isChoice(event)) {
      return [{ kind: "decide", position, until: position, event, decision: event.payload }]
    }
    if (is(event, "MessageSent")) {
      return [{ kind: "say", position, until: position, event, content: event.payload.content, ...agentOf(event) }]
    }
    if (is(event, "AgentLate")) {
      return [{ kind: "late", position, until: position, agentId: event.payload.agentId }]
    }
    if (is(event, "InputDelivered")) {
      return [{ kind: "input", position, until: position, inputs: delivered(event.payload.inputs), ...agentOf(event) }]
    }
    if (is(event, "ModelCalled")) {
      const { provider, model, request, requestDigest, hedgeOf } = event.payload
      // The answer to the first request counts, whichever call gave it.
      if (hedgeOf !== undefined) return []
      const answered = answerOf(event)
      const until = answered?.event.position ?? Number.POSITIVE_INFINITY
      const answer = answered === undefined ? null : answerIn(answered)
      return [
        {
          kind: "consult",
          position,
          until,
          answer,
          question: questionOf(provider, model, request, requestDigest),
          ...agentOf(event),
        },
      ]
    }
    if (!is(event, "ActuatorCommanded")) return []
    const { commandId, actuator, args, callId } = event.payload
    const outcome = ended.get(commandId) ?? null
    // The agent never learned that a fork withdrew this command, and may request it again.
    if (forks.has(outcome?.outcome.event.causationId ?? "")) return []
    const until = outcome === null ? Number.POSITIVE_INFINITY : outcome.until
    return [
      {
        kind: "act",
        position,
        until,
        commandId,
        actuator,
        args: args as JsonObject,
        ...defined({ callId }),
        ...agentOf(event),
        causationId: event.causationId,
        outcome: outcome?.outcome ?? null,
      },
    ]
  })
}
