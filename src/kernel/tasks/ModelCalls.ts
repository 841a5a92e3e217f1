/** Records an agent's calls of language models. */

import { Effect, Either, Option } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as Deciding from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as StoppedWork from "../../platform/fibers/StoppedWork.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type * as Spending from "../../projections/tree/Spending.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import * as PacedCalls from "../pacing/PacedCalls.ts"
import * as CallEnd from "./calls/CallEnd.ts"
import * as Hedging from "./calls/Hedging.ts"
import { ModelCallFailed, type ModelCallRequest, type ModelCallResponse } from "./calls/ModelCall.ts"
import type { OpenTask } from "./OpenTask.ts"

export { ModelCallFailed, type ModelCallRequest, type ModelCallResponse } from "./calls/ModelCall.ts"

const TRANSIENT: ReadonlySet<ModelFailureKind> = new Set([
  ...(["rate-limited", "overloaded", "unreachable", "timed-out", "cut-off", "unreadable", "empty"] as const),
])

/** Tells whether the same request may succeed later. */
export const isTransient = (kind: ModelFailureKind): boolean => TRANSIENT.has(kind)

/** Answers a request. A function receives the request's event. */
export type Answering<E> =
  | Effect.Effect<ModelCallResponse, E>
  | ((called: Event) => Effect.Effect<ModelCallResponse, E>)

/** Options of a request. */
export interface AskOptions<E = never> {
  /** Wait before the request, in milliseconds. A replay does not wait. Default: none. */
  readonly afterMs?: number
  /** The partial answer, with usage and cost as far as known. Recorded if the request is cancelled or interrupted. */
  readonly partial?: Effect.Effect<Pick<ModelCallFailed, "response" | "usage" | "cost">>
  /** An `interrupting` input ends the request: it fails with the kind `interrupted`. Default: false. */
  readonly interruptible?: boolean
  readonly agentId?: string
  /**
   * The agent's working time on the task, in milliseconds. Recorded, so that a resumed task continues its budget of
   * time (`Task.worked`).
   */
  readonly workedMs?: Effect.Effect<number>
  /** The most that the request may use; undefined without a budget of it. Recorded, for a resumed task (`Task.lost`). */
  readonly reserves?: Effect.Effect<Spending.Reserved | undefined>
  /** The wait until a retry, in milliseconds; undefined without one. Recorded. */
  readonly retryInMs?: (failure: ModelCallFailed) => Effect.Effect<number | undefined>
  /** The model to ask instead, as `provider/model`; undefined without one. Recorded. */
  readonly fallbackTo?: (failure: ModelCallFailed) => Effect.Effect<string | undefined>
  /** A second request if this one is slow. The first whole answer counts. A replay makes none. Default: none. */
  readonly hedge?: Hedging.Hedge<E>
  /** Records the answer in the commit of the task's next event: for an agent that continues at once. Default: false. */
  readonly soon?: boolean
  /**
   * Keeps the request within the rate limits that all tasks of the kernel share. One that would wait for longer than
   * `longestMs` fails as `rate-limited` without being sent. Default: it does not wait. A replay does not wait either.
   */
  readonly paced?: {
    /** An estimate of the request's tokens. */
    readonly tokens: () => number
    readonly longestMs: Effect.Effect<number>
  }
}

/** Inputs that interrupt a request: waiting ones, and new ones. */
export interface Interruption {
  readonly waits: Effect.Effect<boolean, LogError>
  readonly arrives: Effect.Effect<void, LogError>
  /** Like `arrives`, for a function. */
  readonly listen: StoppedWork.Listen
}

const NO_INTERRUPTION: Interruption = {
  waits: Effect.succeed(false),
  arrives: Effect.never,
  listen: () => () => {},
}

/**
 * Records the request, and its response, failure (`ModelCallFailed`), cancellation or interruption. After any other
 * failure, the log has no response. An interruption also ends the wait before the request.
 */
export const ask = <E>(
  task: OpenTask,
  { provider, model, request, requestDigest = digest(request) }: ModelCallRequest,
  answering: Answering<E>,
  options: AskOptions<E> = {},
  interruption: Interruption = NO_INTERRUPTION,
): Effect.Effect<ModelCallResponse, E | ModelCallFailed | AppendError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { afterMs = 0, partial = NOTHING, interruptible = false, agentId, workedMs, retryInMs, hedge } = options
      const { waits, arrives, listen } = interruptible ? interruption : NO_INTERRUPTION
      if (afterMs > 0) yield* restore(Effect.raceFirst(Effect.sleep(afterMs), arrives))
      const turn =
        options.paced === undefined
          ? PacedCalls.FREE
          : yield* PacedCalls.awaitTurn(task, { provider, model, agentId, ...options.paced }, restore, arrives)
      const called = yield* task.record({
        type: "ModelCalled",
        causationId: task.openedBy,
        payload: {
          provider,
          model,
          requestDigest,
          request,
          ...(workedMs === undefined ? {} : { workedMs: Math.round(yield* workedMs) }),
          ...defined({ agentId, reserves: yield* options.reserves ?? Effect.succeed(undefined) }),
        },
      })
      const first = CallEnd.of(task, called, partial, options.soon)
      const ends = [first]
      const recordWithNext = (failed: ModelCallFailed, end: CallEnd.CallEnd) =>
        Effect.gen(function* () {
          const waitMs = yield* retryInMs?.(failed) ?? Effect.succeed(undefined)
          const fallbackTo = yield* options.fallbackTo?.(failed) ?? Effect.succeed(undefined)
          const { kind, reason, response, usage, cost, retryAfterMs } = failed
          return yield* end.failed({
            kind,
            reason,
            ...defined({ response, usage, cost, retryAfterMs, retryInMs: waitMs, fallbackTo }),
          })
        })
      /** Cancels the calls that have not ended. */
      const cancelRest = Effect.suspend(() =>
        Effect.forEach(
          ends.filter((end) => !end.isRecorded()),
          (end) => end.cancelled("the request was cancelled"),
          { discard: true },
        ),
      )
      const answered = inPace(
        { provider, model },
        turn,
        Effect.suspend(() => (typeof answering === "function" ? answering(called) : answering)),
      )
      const ending =
        hedge === undefined || turn.refused !== undefined
          ? Hedging.alone(first, answered)
          : Hedging.race(
              first,
              answered,
              hedge.afterMs,
              Effect.tap(beginHedge(task, hedge, { requestDigest, hedgeOf: called.id, ...options }), (second) =>
                Effect.sync(() => {
                  if (second !== undefined) ends.push(second.end)
                }),
              ),
            )
      /** How it ended; none if an input interrupted it. */
      const endedOrNot: Effect.Effect<Option.Option<Hedging.Ended<E>>, AppendError> = Effect.flatMap(
        waits,
        (isWaiting) =>
          isWaiting
            ? Effect.zipRight(turn.giveBack, Effect.succeedNone)
            : Effect.flatMap(StoppedWork.run(ending, listen), ({ exit, stopped }) =>
                stopped ? Effect.succeedNone : Effect.asSome(exit),
              ),
      )
      // Read the partial answer once the answer has ended.
      const interrupted = Effect.suspend(() => {
        const end = ends.find((one) => !one.isRecorded()) ?? first
        const failed = (come: CallEnd.PartialAnswer) =>
          new ModelCallFailed({ provider, model, kind: "interrupted", reason: INTERRUPTED, ...come })
        return Effect.map(
          end.partial,
          (come): Hedging.Ended<E> => ({ result: Either.left(failed(come)), end, lost: [] }),
        )
      })
      const whole: Effect.Effect<Hedging.Ended<E>, AppendError> = interruptible
        ? Effect.flatMap(restore(endedOrNot), (found) =>
            Option.isSome(found) ? Effect.succeed(found.value) : interrupted,
          )
        : restore(ending)
      const { result, end, lost } = yield* whole.pipe(Effect.onInterrupt(() => cancelRest))
      const spent = lost.length === 0 ? {} : { lost }
      const failedBy = (failure: ModelCallFailed) =>
        Effect.zipRight(recordWithNext(failure, end), Effect.fail(failure)).pipe(Effect.ensuring(cancelRest))
      if (Either.isLeft(result)) {
        const failure = result.left
        if (!(failure instanceof ModelCallFailed)) return yield* Effect.fail(failure)
        return yield* failedBy(lost.length === 0 ? failure : new ModelCallFailed({ ...fieldsOf(failure), lost }))
      }
      const response = result.right
      yield* warnOfUnknownFields(`${provider}/${model}`, response.usage)
      yield* Effect.catchTag(end.responded(response), "InvalidEvent", ({ message }) =>
        // It answered, and costs money.
        failedBy(
          new ModelCallFailed({
            provider,
            model,
            kind: "invalid-request",
            reason: unrecordable(message),
            response: [],
            usage: response.usage,
            ...defined({ cost: response.cost }),
            ...spent,
          }),
        ),
      )
      return { ...response, ...spent }
    }),
  )

const NOTHING: Effect.Effect<CallEnd.PartialAnswer> = Effect.succeed({})

const fieldsOf = (failure: ModelCallFailed) => {
  const { provider, model, kind, reason, response, usage, cost, retryAfterMs, retryInMs, fallbackTo, limits } = failure
  return {
    provider,
    model,
    kind,
    reason,
    ...defined({ response, usage, cost, retryAfterMs, retryInMs, fallbackTo, limits }),
  }
}

/** Begins a hedge, unless it would have to wait for its turn, or must not be asked. */
const beginHedge = <E>(
  task: OpenTask,
  { provider, model, request, answering, partial, mayAsk, reserves }: Hedging.Hedge<E>,
  {
    requestDigest,
    hedgeOf,
    agentId,
    paced,
    soon,
  }: Pick<AskOptions<E>, "agentId" | "paced" | "soon"> & { readonly requestDigest: string; readonly hedgeOf: string },
) =>
  Effect.gen(function* () {
    if (!(yield* mayAsk)) return undefined
    const of = { provider, model, agentId, tokens: paced?.tokens ?? (() => 0), longestMs: Effect.succeed(0) }
    const turn = yield* PacedCalls.awaitTurn(task, of, (wait) => wait, Effect.never)
    if (turn.refused !== undefined) return undefined
    const called = yield* task.record({
      type: "ModelCalled",
      causationId: task.openedBy,
      payload: {
        ...{ provider, model, requestDigest, request, hedgeOf },
        ...defined({ agentId, reserves: yield* reserves ?? Effect.succeed(undefined) }),
      },
    })
    const answered = inPace(
      { provider, model },
      turn,
      Effect.suspend(() => answering(called)),
    )
    return { end: CallEnd.of(task, called, partial, soon), answered }
  }).pipe(Effect.uninterruptible)

/** Fails without an answer if the request must not leave. Otherwise tells the pace what the answer says. */
const inPace = <E>(
  of: Pick<ModelCallRequest, "provider" | "model">,
  { refused, learn }: PacedCalls.Permit,
  answered: Effect.Effect<ModelCallResponse, E>,
): Effect.Effect<ModelCallResponse, E | ModelCallFailed> =>
  refused === undefined
    ? answered.pipe(
        Effect.tap(({ usage, limits }) =>
          learn({ tokens: isMetered(usage) ? usage.inputTokens + usage.outputTokens : undefined, limits }),
        ),
        Effect.tapError((failure) =>
          failure instanceof ModelCallFailed
            ? learn({ limits: failure.limits, retryAfterMs: failure.retryAfterMs })
            : Effect.void,
        ),
      )
    : new ModelCallFailed({ ...of, kind: "rate-limited", usage: { inputTokens: 0, outputTokens: 0 }, ...refused })

/** Whether the tokens of an answer are known. A count that a provider does not report is recorded as 0. */
export const isMetered = ({ inputTokens, outputTokens, unknown }: ModelUsage): boolean =>
  unknown === undefined && inputTokens + outputTokens > 0

/** A program gives each warning once. */
const warned = new Set<string>()

/** Warns of unknown usage fields: a misspelt count would be lost silently. */
export const warnOfUnknownFields = (model: string, usage: ModelUsage): Effect.Effect<void> =>
  Effect.suspend(() => {
    const known = Object.keys(Deciding.ModelUsage.fields)
    const lost = Object.keys(usage).filter((field) => !known.includes(field) && !warned.has(`${model} ${field}`))
    for (const field of lost) warned.add(`${model} ${field}`)
    return Effect.forEach(
      lost,
      (field) => {
        const [similar] = DidYouMean.similarNames(field, known)
        const meant = similar === undefined ? "" : ` Did you mean ${similar}?`
        return ProgramLog.warning(
          `usage of ${model}: expected the fields ${known.join(", ")}, found ${field}, which is not recorded.${meant}`,
        )
      },
      { discard: true },
    )
  })

const unrecordable = (message: string) => `its answer cannot be recorded: ${message}`

const INTERRUPTED = "an input interrupted the answer"
