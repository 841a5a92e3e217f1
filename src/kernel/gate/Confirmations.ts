/** The service that lists the confirmations that wait for a person, and records decisions. */

import { Context, Data, Effect, Layer, Schema } from "effect"
import { type AppendError, EventLog, Exact, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { type ConfirmationContent, confirmationDigest } from "../../events/vocabulary/ConfirmationDigest.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Sha256 } from "../../events/vocabulary/EventType.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { confirmationOf, isLate, streamOf } from "../../projections/state/ConfirmationAnswer.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { iso } from "../../values/Time.ts"
import * as ConfirmationRequests from "./ConfirmationRequests.ts"

export {
  asking,
  type ConfirmationAsking,
  type ConfirmationRequest,
  type ConfirmationResult,
} from "./ConfirmationRequests.ts"

/** A person's answer. */
export interface ConfirmationDecision {
  readonly approved: boolean
  readonly by: string
  /** The channel of the decision: `terminal`, `cli`, `program` … */
  readonly channel: string
  readonly reason?: string
  /**
   * `digestOf` the confirmation as the person saw it. An approval fails if the waiting confirmation has another digest.
   * Default: no check, for programs that decide by `pending`.
   */
  readonly shownDigest?: string
}

/** Schema of `ConfirmationDecision`. */
export const ConfirmationDecision = Options.of<ConfirmationDecision>({
  required: { approved: Schema.Boolean, by: Options.Name, channel: Options.Name },
  optional: { reason: Schema.String, shownDigest: Sha256 },
})

/** The confirmation is unknown, decided, expired or withdrawn. */
export class NotPending extends Data.TaggedError("NotPending")<{
  readonly confirmationId: string
  readonly found: string
}> {
  override get message() {
    return `Confirmation ${this.confirmationId}: expected one that waits, found ${this.found}. \`hindcast confirm ls\` shows what waits.`
  }
}

/** The waiting confirmation differs from the one that the person saw. Show it again before you decide. */
export class NotAsShown extends Data.TaggedError("NotAsShown")<{
  readonly confirmationId: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Confirmation ${this.confirmationId}: expected ${this.expected}, found ${this.found}. Nothing was approved; \`hindcast confirm show ${quoteWord(this.confirmationId)}\` shows what waits.`
  }
}

/**
 * Questions to people and their decisions. Both are in the log, so any process that can append may answer. The stream's
 * version ensures that the first answer counts. An approval counts only for exactly the content of the question, and
 * only if the log recorded it before the expiry.
 */
export class Confirmations extends Context.Tag("hindcast/Confirmations")<Confirmations, Confirmations.Service>() {}

/** The type of the service: `Confirmations.Service`. */
export declare namespace Confirmations {
  /** Lists and decides confirmations. */
  export interface Service {
    /** The waiting confirmations, as a copy that the caller may change. */
    readonly pending: Effect.Effect<PendingConfirmations.PendingConfirmations, LogError>
    /** How a confirmation ended, in words: `one that ada approved at @7`. */
    readonly ended: (confirmationId: string) => Effect.Effect<string, LogError>
    /** Approves or rejects a confirmation. */
    readonly decide: (
      confirmationId: string,
      answer: ConfirmationDecision,
    ) => Effect.Effect<Event, Options.InvalidOptions | NotPending | NotAsShown | AppendError>
    /** Asks, and waits for a decision or the expiry. */
    readonly ask: (
      question: ConfirmationRequests.ConfirmationRequest,
    ) => Effect.Effect<ConfirmationRequests.ConfirmationResult, AppendError>
  }
}

/** Short form of `Confirmations.Service` for namespace imports. */
export type Service = Confirmations.Service

/**
 * The digest of everything that a decision is about. `waiting` is an entry of `pending`, or the payload of its
 * `ConfirmationRequested`.
 */
export const digestOf = (confirmationId: string, waiting: Omit<ConfirmationContent, "confirmationId">): string =>
  confirmationDigest({ ...waiting, confirmationId })

/** The service over a log. */
export const layer: Layer.Layer<Confirmations, never, EventLog | Projector> = Layer.effect(
  Confirmations,
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    const pending = Effect.gen(function* () {
      const onMain = yield* projector.current(PendingConfirmations.asked)
      const waiting = yield* unsettled(log, { ...onMain, ...(yield* onForks(log)) })
      // A copy, since decisions are checked against the projector's state.
      return structuredClone(waiting)
    })

    return {
      pending,
      ended: (confirmationId) => ending(log, confirmationId),
      ask: (question) => ConfirmationRequests.ask(log, question),
      decide: (confirmationId, input) =>
        Effect.gen(function* () {
          const answer = yield* Options.decode("decide", ConfirmationDecision, input)
          const waiting = SafeRecord.get(yield* pending, confirmationId)
          if (waiting === undefined) {
            return yield* new NotPending({ confirmationId, found: yield* ending(log, confirmationId) })
          }
          const now = Date.now()
          if (now >= waiting.expiresAt) return yield* new NotPending({ confirmationId, found: TIME_IS_UP })
          if (answer.approved && now < waiting.requestedAt)
            return yield* new NotPending({ confirmationId, found: askedAfter(waiting.requestedAt, now) })
          if (answer.approved) yield* checkShown(confirmationId, waiting, answer)
          const decided = yield* recordDecision(log, confirmationId, waiting, answer, now)
          // The log's time of the decision counts: the append may have waited for another writer.
          return answer.approved && isLate(waiting, decided.recordedAt)
            ? yield* new NotPending({
                confirmationId,
                found: `one that had expired when @${decided.position} was recorded`,
              })
            : decided
        }),
    }
  }),
)

const TIME_IS_UP = "one that has expired"

/** A clock set back to before the question hides how long the question waited, so an approval does not count. */
const askedAfter = (requestedAt: number, now: number): string =>
  `one that was asked at ${iso(requestedAt)}, when this machine's clock shows ${iso(now)}: the clock was set back, so an approval would not count. ` +
  "Set the clock, or reject it"

/** Checks that an approval is for the waiting confirmation, with the digest of its content. */
const checkShown = (
  confirmationId: string,
  waiting: PendingConfirmations.PendingConfirmation,
  { shownDigest }: ConfirmationDecision,
): Effect.Effect<void, NotAsShown> => {
  const digest = digestOf(confirmationId, waiting)
  if (waiting.shownDigest === undefined) {
    const found = "one that an earlier version of Hindcast asked: it can be rejected, or expire"
    return new NotAsShown({ confirmationId, expected: "a question with a digest of what it shows", found })
  }
  if (waiting.shownDigest !== digest) {
    const found = `another question under the digest ${waiting.shownDigest}`
    return new NotAsShown({ confirmationId, expected: `what is shown, ${digest}`, found })
  }
  if (shownDigest !== undefined && shownDigest !== digest) {
    const found = `that ${digest} waits`
    return new NotAsShown({ confirmationId, expected: `what was shown, ${shownDigest}`, found })
  }
  return Effect.void
}

const recordDecision = (
  log: EventLog.Service,
  confirmationId: string,
  waiting: PendingConfirmations.PendingConfirmation,
  answer: ConfirmationDecision,
  now: number,
): Effect.Effect<Event, NotPending | AppendError> =>
  Effect.gen(function* () {
    const { taskId, timeline = log.timeline } = waiting
    const payload = ConfirmationRequests.decision({ confirmationId, ...waiting }, answer, now)
    const causationId = yield* questionId(log, confirmationId)
    const event = { type: "ConfirmationDecided", causationId, payload } as const
    const entry = { confirmationId, taskId, timeline, actor: `human:${answer.by}`, event }
    return yield* ConfirmationRequests.append(log, entry, Exact(1)).pipe(
      Effect.catchTag("VersionConflict", ({ missed }) => {
        const found = missed[0] === undefined ? "another state" : describeEnd(missed[0])
        return new NotPending({ confirmationId, found })
      }),
    )
  })

/**
 * The confirmations that wait in forks. The events that a fork shares with its parent belong to the parent. Reads all
 * forks in one pass.
 */
const onForks = (log: EventLog.Service): Effect.Effect<PendingConfirmations.PendingConfirmations, LogError> =>
  Effect.gen(function* () {
    const { asked } = PendingConfirmations
    const [first] = yield* log.readPage({ types: ["TimelineForked"] }, 1)
    if (first === undefined) return asked.initial
    let waiting = asked.initial
    yield* Pages.forEach(log.readPage, { types: PendingConfirmations.ASKING, after: first.position }, (page) => {
      for (const event of page) if (isOfFork(log, waiting, event)) waiting = asked.evolve(waiting, event)
    })
    return waiting
  })

const unsettled = (
  log: EventLog.Service,
  asked: PendingConfirmations.PendingConfirmations,
): Effect.Effect<PendingConfirmations.PendingConfirmations, LogError> =>
  Effect.gen(function* () {
    let waiting = asked
    for (const [id, { timeline = log.timeline }] of Object.entries(asked)) {
      const [, second] = yield* log.readPage({ timeline, stream: streamOf(id) }, 2)
      if (second !== undefined) waiting = SafeRecord.remove(waiting, id)
    }
    return waiting
  })

const isOfFork = (
  log: EventLog.Service,
  waiting: PendingConfirmations.PendingConfirmations,
  { timeline, stream }: Event,
) => {
  const request = SafeRecord.get(waiting, confirmationOf(stream) ?? "")
  return timeline !== log.timeline && (request === undefined || request.timeline === timeline)
}

const questionId = (log: EventLog.Service, confirmationId: string) =>
  Effect.map(log.readPage({ stream: streamOf(confirmationId) }, 1), ([request]) => request?.id ?? null)

const ending = (log: EventLog.Service, confirmationId: string) =>
  Effect.map(log.readPage({ stream: streamOf(confirmationId) }, 2), ([, last]) =>
    last === undefined ? "none of this id" : describeEnd(last),
  )

const describeEnd = (event: Event): string => {
  if (Vocabulary.is(event, "ConfirmationDecided")) {
    return `one that ${event.payload.by} ${event.payload.approved ? "approved" : "rejected"} at @${event.position}`
  }
  if (Vocabulary.is(event, "ConfirmationExpired")) return `one that expired at @${event.position}`
  if (Vocabulary.is(event, "ConfirmationWithdrawn")) {
    const { reason } = event.payload
    return `one that was withdrawn at @${event.position}${reason === undefined ? "" : `: ${reason}`}`
  }
  return `one that ${event.type} settled at @${event.position}`
}
