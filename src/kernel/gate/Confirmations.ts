import { Context, Data, Effect, Layer, Schema } from "effect"
import { type AppendError, EventLog, Exact, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { confirmationDigest } from "../../events/vocabulary/ConfirmationDigest.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Sha256 } from "../../events/vocabulary/EventType.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { confirmationOf, isLate, streamOf } from "../../projections/state/ConfirmationAnswer.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as ConfirmationRequests from "./ConfirmationRequests.ts"

export { ask, type ConfirmationRequest, type Settled } from "./ConfirmationRequests.ts"

type Log = Context.Tag.Service<EventLog>

/** A person's answer. */
export interface ConfirmationDecision {
  readonly approved: boolean
  /** Who decided. */
  readonly by: string
  /** By which way: `terminal`, `cli`, `program` … */
  readonly channel: string
  readonly reason?: string
  /**
   * `digestOf` what was shown to whoever decided: it is refused where something else waits. Default: that of what waits now,
   * for programs that decide by `pending` themselves.
   */
  readonly shownDigest?: string
}

/** Its schema. */
export const ConfirmationDecision = Options.of<ConfirmationDecision>({
  required: { approved: Schema.Boolean, by: Options.Name, channel: Options.Name },
  optional: { reason: Schema.String, shownDigest: Sha256 },
})

/** There is nothing to decide: the confirmation is unknown, decided, expired or withdrawn. */
export class NotPending extends Data.TaggedError("NotPending")<{
  readonly confirmationId: string
  readonly found: string
}> {
  override get message() {
    return `Confirmation ${this.confirmationId}: expected one that waits, found ${this.found}. \`hindcast confirm ls\` shows what waits.`
  }
}

/** Look again, and decide then: what waits is not what was shown. */
export class NotAsShown extends Data.TaggedError("NotAsShown")<{
  readonly confirmationId: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Confirmation ${this.confirmationId}: expected ${this.expected}, found ${this.found}. Nothing was approved; \`hindcast confirm show ${this.confirmationId}\` shows what waits.`
  }
}

/**
 * Questions to people, and their answers. All of it is in the log: a question may be asked by one process and answered by
 * any other that can append. The first word on a question counts, whoever says it; the stream's version sees to that. An
 * approval counts only for exactly what was asked, and only if the log recorded it before the question expired.
 */
export class Confirmations extends Context.Tag("hindcast/Confirmations")<
  Confirmations,
  {
    /** What waits for a person now: the caller's own copy. */
    readonly pending: Effect.Effect<PendingConfirmations.PendingConfirmations, LogError>
    /** How a confirmation that does not wait ended, in words: `one that ada approved at @7`. */
    readonly ended: (confirmationId: string) => Effect.Effect<string, LogError>
    /** Approves or rejects. */
    readonly decide: (
      confirmationId: string,
      answer: ConfirmationDecision,
    ) => Effect.Effect<Event, Options.InvalidOptions | NotPending | NotAsShown | AppendError>
    /** Asks, and waits until a person has decided or the time is up. */
    readonly ask: (
      question: ConfirmationRequests.ConfirmationRequest,
    ) => Effect.Effect<ConfirmationRequests.Settled, AppendError>
  }
>() {}

/** The digest of a question that waits: of all that its answer is about. */
export const digestOf = (confirmationId: string, waiting: PendingConfirmations.PendingConfirmation): string =>
  confirmationDigest({ confirmationId, ...waiting })

export const layer: Layer.Layer<Confirmations, never, EventLog | Projector> = Layer.effect(
  Confirmations,
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    const pending = Effect.gen(function* () {
      const onMain = yield* projector.current(PendingConfirmations.projection)
      // A copy, since what the projector keeps is what answers are held against.
      return structuredClone({ ...onMain, ...(yield* onForks(log)) })
    })

    return {
      pending,
      ended: (confirmationId) => ending(log, confirmationId),
      ask: (question) => ConfirmationRequests.ask(log, question),
      decide: (confirmationId, given) =>
        Effect.gen(function* () {
          const answer = yield* Options.decode("decide", ConfirmationDecision, given)
          const waiting = SafeRecord.get(yield* pending, confirmationId)
          if (waiting === undefined) {
            return yield* new NotPending({ confirmationId, found: yield* ending(log, confirmationId) })
          }
          const now = Date.now()
          if (now >= waiting.expiresAt) return yield* new NotPending({ confirmationId, found: TIME_IS_UP })
          if (answer.approved) yield* checkShown(confirmationId, waiting, answer)
          const decided = yield* say(log, confirmationId, waiting, answer, now)
          // What counts is when the log recorded it: it may have waited for another writer.
          return answer.approved && isLate(waiting, decided.recordedAt)
            ? yield* new NotPending({ confirmationId, found: `${TIME_IS_UP} when @${decided.position} said so` })
            : decided
        }),
    }
  }),
)

const TIME_IS_UP = "one whose time is up"

/** Whether an approval is of what waits, and of what its question says that was asked. */
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

const say = (
  log: Log,
  confirmationId: string,
  waiting: PendingConfirmations.PendingConfirmation,
  { approved, by, channel, reason }: ConfirmationDecision,
  now: number,
): Effect.Effect<Event, NotPending | AppendError> =>
  Effect.gen(function* () {
    const { taskId, timeline = log.timeline, argsDigest, shownDigest, requestedAt } = waiting
    const payload = {
      ...{ confirmationId, approved, by, channel, argsDigest, waitedMs: Math.max(0, now - requestedAt) },
      ...(shownDigest === undefined ? {} : { shownDigest }),
      ...(reason === undefined ? {} : { reason }),
    }
    const causationId = yield* questionId(log, confirmationId)
    const event = { type: "ConfirmationDecided", causationId, payload } as const
    const said = { confirmationId, taskId, timeline, actor: `human:${by}`, event }
    return yield* ConfirmationRequests.append(log, said, Exact(1)).pipe(
      Effect.catchTag("VersionConflict", ({ missed }) => {
        const found = missed[0] === undefined ? "another state" : describeEnd(missed[0])
        return new NotPending({ confirmationId, found })
      }),
    )
  })

/**
 * What waits in forks: of what was asked there, for what a fork shares with its parent was asked in another history. Read
 * in one pass however many forks there are.
 */
const onForks = (log: Log): Effect.Effect<PendingConfirmations.PendingConfirmations, LogError> =>
  Effect.gen(function* () {
    const { projection } = PendingConfirmations
    const [first] = yield* log.readPage({ types: ["TimelineForked"] }, 1)
    if (first === undefined) return projection.initial
    let waiting = projection.initial
    yield* Pages.forEach(log.readPage, { types: CONFIRMING, after: first.position }, (page) => {
      for (const event of page) if (isOfFork(log, waiting, event)) waiting = projection.evolve(waiting, event)
    })
    // Another event than these settles a question too.
    for (const [id, { timeline = log.timeline }] of Object.entries(waiting)) {
      const [, second] = yield* log.readPage({ timeline, stream: streamOf(id) }, 2)
      if (second !== undefined) waiting = SafeRecord.remove(waiting, id)
    }
    return waiting
  })

/** Whether an event is a fork's; of a question that waits, whether it is of the same fork. */
const isOfFork = (log: Log, waiting: PendingConfirmations.PendingConfirmations, { timeline, stream }: Event) => {
  const asked = SafeRecord.get(waiting, confirmationOf(stream) ?? "")
  return timeline !== log.timeline && (asked === undefined || asked.timeline === timeline)
}

const CONFIRMING = ["ConfirmationRequested", "ConfirmationDecided", "ConfirmationExpired", "ConfirmationWithdrawn"]

const questionId = (log: Log, confirmationId: string) =>
  Effect.map(log.readPage({ stream: streamOf(confirmationId) }, 1), ([asked]) => asked?.id ?? null)

const ending = (log: Log, confirmationId: string) =>
  Effect.map(log.readPage({ stream: streamOf(confirmationId) }, 2), ([, last]) =>
    last === undefined ? "none of this id" : describeEnd(last),
  )

const describeEnd = (event: Event): string => {
  if (Vocabulary.is(event, "ConfirmationDecided")) {
    return `one that ${event.payload.by} ${event.payload.approved ? "approved" : "rejected"} at @${event.position}`
  }
  if (Vocabulary.is(event, "ConfirmationExpired")) return `one that expired at @${event.position}`
  return Vocabulary.is(event, "ConfirmationWithdrawn")
    ? `one that was withdrawn at @${event.position}`
    : `one that ${event.type} settled at @${event.position}`
}
