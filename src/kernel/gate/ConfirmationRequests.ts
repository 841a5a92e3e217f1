import { type Context, Duration, Effect, Option, Stream } from "effect"
import {
  type AppendError,
  CaughtUp,
  type CoreNewEvent,
  type EventLog,
  Exact,
  type Expected,
  NoStream,
} from "../../events/log/EventLog.ts"
import { confirmationDigest } from "../../events/vocabulary/ConfirmationDigest.ts"
import { type Event, newId } from "../../events/vocabulary/Event.ts"
import { type AskedConfirmation as Held, meaningOf, streamOf } from "../../projections/state/ConfirmationAnswer.ts"
import type { JsonObject } from "../../values/Json.ts"

type Log = Context.Tag.Service<EventLog>

/** What a person is asked about: a command, or a plugin's request to the host. */
export interface ConfirmationRequest {
  readonly taskId: string | null
  /** Default: the one that the log stands for. */
  readonly timeline?: string
  readonly commandId?: string
  readonly requestId?: string
  /** Digest of the arguments: an answer counts only for these. */
  readonly argsDigest: string
  /** What the person is shown. */
  readonly shown: JsonObject
  readonly withinMs: number
  readonly causationId: string
}

/** How a question ended, and the event that ended it. */
export type Settled =
  | { readonly kind: "approved"; readonly event: Event }
  | { readonly kind: "rejected"; readonly event: Event; readonly reason: string }
  | { readonly kind: "expired"; readonly event: Event }

/** Asks, and waits until a person has decided or the time is up. The first word on the question counts; see `meaningOf`. */
export const ask = (log: Log, question: ConfirmationRequest): Effect.Effect<Settled, AppendError> =>
  Effect.gen(function* () {
    const { taskId, timeline = log.timeline, commandId, requestId, argsDigest, shown, withinMs, causationId } = question
    const confirmationId = newId()
    const expiresAt = Math.round(Date.now() + withinMs)
    const about = {
      ...(commandId === undefined ? {} : { commandId }),
      ...(requestId === undefined ? {} : { requestId }),
    }
    const put = { confirmationId, ...about, argsDigest, shown, expiresAt }
    const shownDigest = confirmationDigest(put)
    const kernels = { confirmationId, taskId, timeline, actor: "kernel" }
    const asked = yield* append(
      log,
      { ...kernels, event: { type: "ConfirmationRequested", causationId, payload: { ...put, shownDigest } } },
      NoStream,
    )
    const close = (event: CoreNewEvent, after = 1) => append(log, { ...kernels, event }, Exact(after))
    const expire = { type: "ConfirmationExpired", causationId: asked.id, payload: { confirmationId } } as const
    const withdraw = { type: "ConfirmationWithdrawn", causationId: asked.id, payload: { confirmationId } } as const

    const decided = yield* firstWord(log, kernels, asked.position).pipe(
      Effect.timeoutTo({
        duration: Duration.millis(withinMs),
        onSuccess: Option.some,
        onTimeout: Option.none<Event>,
      }),
      // Whoever stopped waiting has said so; a word that came first stands.
      Effect.onInterrupt(() => Effect.ignore(close(withdraw))),
    )
    const word = yield* Option.match(decided, {
      onSome: Effect.succeed,
      onNone: () =>
        close(expire).pipe(
          Effect.catchTag("VersionConflict", (conflict) => {
            // Something was committed in the last moment: it was first, so it counts.
            const [first] = conflict.missed
            return first === undefined ? Effect.fail(conflict) : Effect.succeed(first)
          }),
        ),
    })
    /** Says what became of it after a word that is none, unless somebody was faster. */
    const sayAfter = (event: CoreNewEvent) =>
      Effect.catchTag(close(event, word.version), "VersionConflict", () => Effect.succeed(word))
    return yield* settle(
      { confirmationId, argsDigest, shownDigest, requestedAt: asked.recordedAt, expiresAt },
      word,
      sayAfter(expire),
      (reason) => sayAfter({ ...withdraw, payload: { confirmationId, reason } }),
    )
  })

/** What the first word comes to. One that came too late is followed by the expiry; one that is no answer by a withdrawal. */
const settle = (
  question: Held,
  event: Event,
  expire: Effect.Effect<Event, AppendError>,
  withdraw: (reason: string) => Effect.Effect<Event, AppendError>,
): Effect.Effect<Settled, AppendError> => {
  const word = meaningOf(question, event)
  switch (word.kind) {
    case "approved":
      return Effect.succeed({ kind: "approved", event })
    case "expired":
      return Effect.succeed({ kind: "expired", event })
    case "rejected":
      return Effect.succeed({ kind: "rejected", event, reason: word.reason })
    case "late":
      return Effect.map(expire, (event) => ({ kind: "expired", event }))
    case "foreign": {
      const reason = `the first word on it, ${event.type} at @${event.position}, is no answer`
      return Effect.map(withdraw(reason), (event) => ({ kind: "rejected", event, reason }))
    }
  }
}

/** Something said about a question, by whom and in which history. */
export interface Said {
  readonly confirmationId: string
  readonly taskId: string | null
  readonly timeline: string
  readonly actor: string
  readonly event: CoreNewEvent
}

/** Appends to a question's stream. */
export const append = (log: Log, { confirmationId, taskId, timeline, actor, event }: Said, expected: Expected) =>
  Effect.flatMap(
    log.append({ timeline, stream: streamOf(confirmationId), taskId, actor, expected, events: [event] }),
    ({ events: [appended] }) =>
      appended === undefined ? Effect.dieMessage("an append answered without events") : Effect.succeed(appended),
  )

/** Waits for the event that ends a question, from any process. */
const firstWord = (
  log: Log,
  { confirmationId, timeline }: Pick<Said, "confirmationId" | "timeline">,
  after: number,
): Effect.Effect<Event, AppendError> =>
  log.follow({ timeline, stream: streamOf(confirmationId), after }).pipe(
    Stream.filter((item): item is Event => !(item instanceof CaughtUp)),
    Stream.runHead,
    Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed })),
  )
