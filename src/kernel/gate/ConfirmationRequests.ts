/** Asks a person for confirmation, through the log, and waits for the decision. */

import { Duration, Effect, Option, Stream } from "effect"
import { firstEvent } from "../../events/log/AppendRequest.ts"
import {
  type AppendError,
  CaughtUp,
  type CoreNewEvent,
  type EventLog,
  Exact,
  type ExpectedVersion,
  NoStream,
} from "../../events/log/EventLog.ts"
import { confirmationDigest } from "../../events/vocabulary/ConfirmationDigest.ts"
import { type Event, newId } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import {
  type AskedConfirmation as Held,
  interpretAnswer,
  streamOf,
} from "../../projections/state/ConfirmationAnswer.ts"
import { defined } from "../../values/defined.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import * as OwnTime from "../../values/time/OwnTime.ts"

/** A question to a person about a command or a plugin's host request. */
export interface ConfirmationRequest {
  readonly taskId: string | null
  /** Default: the log's own timeline. */
  readonly timeline?: string
  readonly commandId?: string
  readonly requestId?: string
  /** A decision applies only to arguments with this digest. */
  readonly argsDigest: string
  readonly shown: JsonObject
  readonly withinMs: number
  readonly causationId: string
}

/** How a question ended, and the event that ended it. */
export type ConfirmationResult =
  | { readonly kind: "approved"; readonly event: Event }
  | { readonly kind: "rejected"; readonly event: Event; readonly reason: string }
  | { readonly kind: "expired"; readonly event: Event }

/** Asks people, on one timeline of a log. */
export interface ConfirmationAsking {
  /** Asks, and waits for a decision or the expiry. The first recorded answer counts (see `interpretAnswer`). */
  readonly ask: (question: ConfirmationRequest) => Effect.Effect<ConfirmationResult, AppendError>
  /**
   * Waits for the answer to a question of an earlier kernel, until its original expiry. An answer that was recorded in
   * time counts, even if no kernel ran then.
   */
  readonly resume: (requested: RequestedEvent) => Effect.Effect<ConfirmationResult, AppendError>
  /** Records a person's decision, unless the question has ended. */
  readonly answer: (requested: RequestedEvent, answer: PersonsAnswer) => Effect.Effect<void, AppendError>
  /** Withdraws a question, unless it has ended. */
  readonly withdraw: (requested: RequestedEvent, reason: string) => Effect.Effect<void, AppendError>
}

/** A person's decision about a question. */
export interface PersonsAnswer {
  readonly approved: boolean
  readonly by: string
  readonly channel: string
  readonly reason?: string | undefined
}

/** The event of a question. */
export type RequestedEvent = Event & { readonly payload: PayloadOf<"ConfirmationRequested"> }

/** Asks people through a log. */
export const asking = (log: EventLog.Service): ConfirmationAsking => ({
  ask: (question) => ask(log, question),
  resume: (requested) =>
    Effect.uninterruptibleMask((restore) => {
      const answered = answerTo(log, requested, Math.max(0, requested.payload.expiresAt - Date.now()))
      return conclude(log, requested, restore(answered))
    }),
  answer: ({ id, timeline, taskId, recordedAt, payload }, answer) =>
    append(
      log,
      {
        confirmationId: payload.confirmationId,
        taskId,
        timeline,
        actor: `human:${answer.by}`,
        event: {
          type: "ConfirmationDecided",
          causationId: id,
          payload: decision({ ...payload, requestedAt: recordedAt }, answer, Date.now()),
        },
      },
      Exact(1),
    ).pipe(Effect.catchTag("VersionConflict", () => Effect.void)),
  withdraw: ({ id, timeline, taskId, payload: { confirmationId } }, reason) =>
    append(
      log,
      {
        confirmationId,
        taskId,
        timeline,
        actor: "kernel",
        event: {
          type: "ConfirmationWithdrawn",
          causationId: id,
          payload: { confirmationId, reason: plainText(reason) },
        },
      },
      Exact(1),
    ).pipe(Effect.catchTag("VersionConflict", () => Effect.void)),
})

/** The payload of a decision about a question. */
export const decision = (
  asked: Pick<RequestedEvent["payload"], "confirmationId" | "argsDigest" | "shownDigest"> & {
    readonly requestedAt: number
  },
  { approved, by, channel, reason }: PersonsAnswer,
  now: number,
): PayloadOf<"ConfirmationDecided"> => {
  const { confirmationId, argsDigest, shownDigest, requestedAt } = asked
  const waitedMs = OwnTime.between(requestedAt, now)
  return { confirmationId, approved, by, channel, argsDigest, waitedMs, ...defined({ shownDigest, reason }) }
}

/**
 * Asks, and waits for a decision or the expiry. The first recorded answer counts (see `interpretAnswer`). Only the wait
 * is interruptible; an interrupt withdraws the recorded question.
 *
 * @param gone ends with a reason once nobody waits for the answer any more, which withdraws the question
 * @param onRequested called once the question is recorded
 */
export const ask = (
  log: EventLog.Service,
  question: ConfirmationRequest,
  gone: Effect.Effect<string> = Effect.never,
  onRequested: (requested: RequestedEvent) => void = () => {},
): Effect.Effect<ConfirmationResult, AppendError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(request(log, question), (requested) => {
      onRequested(requested)
      return conclude(log, requested, restore(Effect.raceFirst(answerTo(log, requested, question.withinMs), gone)))
    }),
  )

const request = (log: EventLog.Service, question: ConfirmationRequest): Effect.Effect<RequestedEvent, AppendError> =>
  Effect.gen(function* () {
    const { taskId, timeline = log.timeline, commandId, requestId, argsDigest, shown, withinMs, causationId } = question
    const confirmationId = newId()
    const about = {
      ...defined({ commandId, requestId }),
    }
    const request = { confirmationId, ...about, argsDigest, shown, expiresAt: Math.round(Date.now() + withinMs) }
    const payload = { ...request, shownDigest: confirmationDigest(request) }
    const requested = yield* append(
      log,
      {
        confirmationId,
        taskId,
        timeline,
        actor: "kernel",
        event: { type: "ConfirmationRequested", causationId, payload },
      },
      NoStream,
    )
    return { ...requested, payload }
  })

const answerTo = (
  log: EventLog.Service,
  { timeline, position, payload: { confirmationId } }: RequestedEvent,
  withinMs: number,
): Effect.Effect<Option.Option<Event>, AppendError> =>
  Effect.timeoutTo(firstAnswer(log, { confirmationId, timeline }, position), {
    duration: Duration.millis(withinMs),
    onSuccess: Option.some,
    onTimeout: Option.none<Event>,
  })

const conclude = (
  log: EventLog.Service,
  requested: RequestedEvent,
  answered: Effect.Effect<Option.Option<Event> | string, AppendError>,
): Effect.Effect<ConfirmationResult, AppendError> =>
  Effect.gen(function* () {
    const { timeline, taskId, recordedAt: requestedAt } = requested
    const { confirmationId, argsDigest, expiresAt, shownDigest } = requested.payload
    const base = { confirmationId, taskId, timeline, actor: "kernel" }
    const close = (event: CoreNewEvent, after = 1) => append(log, { ...base, event }, Exact(after))
    const expire = { type: "ConfirmationExpired", causationId: requested.id, payload: { confirmationId } } as const
    const withdraw = { type: "ConfirmationWithdrawn", causationId: requested.id, payload: { confirmationId } } as const

    const withdrawnFor = (reason: string) => ({ ...withdraw, payload: { confirmationId, reason: plainText(reason) } })
    const decided = yield* answered.pipe(
      // An answer that was recorded before the withdrawal remains valid.
      Effect.onInterrupt(() => Effect.ignore(close(withdraw))),
    )
    const closeUnlessAnswered = (event: CoreNewEvent) =>
      close(event).pipe(
        Effect.catchTag("VersionConflict", (conflict) => {
          // An answer that was committed just before counts.
          const [first] = conflict.missed
          return first === undefined ? Effect.fail(conflict) : Effect.succeed(first)
        }),
      )
    const answer = yield* typeof decided === "string"
      ? closeUnlessAnswered(withdrawnFor(decided))
      : Option.match(decided, { onSome: Effect.succeed, onNone: () => closeUnlessAnswered(expire) })
    const recordAfter = (event: CoreNewEvent) =>
      Effect.catchTag(close(event, answer.version), "VersionConflict", ({ missed: [first = answer] }) =>
        Effect.succeed(first),
      )
    return yield* settle(
      { confirmationId, argsDigest, shownDigest, requestedAt, expiresAt },
      answer,
      recordAfter(expire),
      (reason) => recordAfter(withdrawnFor(reason)),
    )
  })

/** A late answer causes an expiry; an event that is no answer, a withdrawal. */
const settle = (
  question: Held,
  event: Event,
  expire: Effect.Effect<Event, AppendError>,
  withdraw: (reason: string) => Effect.Effect<Event, AppendError>,
): Effect.Effect<ConfirmationResult, AppendError> => {
  const answer = interpretAnswer(question, event)
  switch (answer.kind) {
    case "approved":
      return Effect.succeed({ kind: "approved", event })
    case "expired":
      return Effect.succeed({ kind: "expired", event })
    case "rejected":
      return Effect.succeed({ kind: "rejected", event, reason: answer.reason })
    case "late":
      return Effect.map(expire, (event) => ({ kind: "expired", event }))
    case "foreign": {
      const reason = `the first word on it, ${event.type} at @${event.position}, is no answer`
      return Effect.map(withdraw(reason), (event) => ({ kind: "rejected", event, reason }))
    }
  }
}

export interface ConfirmationEvent {
  readonly confirmationId: string
  readonly taskId: string | null
  readonly timeline: string
  readonly actor: string
  readonly event: CoreNewEvent
}

export const append = (
  log: EventLog.Service,
  { confirmationId, taskId, timeline, actor, event }: ConfirmationEvent,
  expected: ExpectedVersion,
) =>
  Effect.flatMap(
    log.append({ timeline, stream: streamOf(confirmationId), taskId, actor, expected, events: [event] }),
    firstEvent,
  )

const firstAnswer = (
  log: EventLog.Service,
  { confirmationId, timeline }: Pick<ConfirmationEvent, "confirmationId" | "timeline">,
  after: number,
): Effect.Effect<Event, AppendError> =>
  log.follow({ timeline, stream: streamOf(confirmationId), after }).pipe(
    Stream.filter((item): item is Event => !(item instanceof CaughtUp)),
    Stream.runHead,
    Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed })),
  )
