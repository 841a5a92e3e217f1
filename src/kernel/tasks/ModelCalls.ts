/** Records an agent's calls of language models. */

import { Data, Effect, Option } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { ModelCost, ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as Deciding from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import { type Json, plainText } from "../../values/Json.ts"
import type { ProviderLimits } from "../pacing/ModelPace.ts"
import * as PacedCalls from "../pacing/PacedCalls.ts"
import type { OpenTask } from "./OpenTask.ts"

/** An agent's request to a language model. */
export interface ModelCallRequest {
  readonly provider: string
  readonly model: string
  /** The whole request, or the part that is new since this agent's last one. The log keeps it. */
  readonly request: Json
  /** Digest of the whole request. Default: that of `request`. */
  readonly requestDigest?: string
}

/** The model's response with its tokens. */
export interface ModelCallResponse {
  readonly response: Json
  readonly usage: ModelUsage
  readonly cost?: ModelCost
  /** The provider's rate limits, as its answer says them. Not recorded. */
  readonly limits?: ProviderLimits
}

/**
 * The model did not answer, or not completely. It is recorded, and a replay fails with it again. Retry if
 * `isTransient(kind)`; otherwise see the reason.
 */
export class ModelCallFailed extends Data.TaggedError("ModelCallFailed")<{
  readonly provider: string
  readonly model: string
  readonly kind: ModelFailureKind
  readonly reason: string
  /** The partial answer. */
  readonly response?: Json
  /** The used tokens, as far as known. */
  readonly usage?: ModelUsage
  readonly cost?: ModelCost
  /** The wait that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number
  /** The agent's wait before its retry, in milliseconds, if recorded. */
  readonly retryInMs?: number
  /** The model that the agent asks instead, if recorded. */
  readonly fallbackTo?: string
  /** The provider's rate limits, as its answer says them. Not recorded. */
  readonly limits?: ProviderLimits
}> {
  override get message() {
    return `${this.provider}/${this.model} did not answer (${this.kind}): ${this.reason}`
  }
}

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
export interface AskOptions {
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
  /** The wait until a retry, in milliseconds; undefined without one. Recorded. */
  readonly retryInMs?: (failure: ModelCallFailed) => Effect.Effect<number | undefined>
  /** The model to ask instead, as `provider/model`; undefined without one. Recorded. */
  readonly fallbackTo?: (failure: ModelCallFailed) => Effect.Effect<string | undefined>
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
}

const NO_INTERRUPTION: Interruption = { waits: Effect.succeed(false), arrives: Effect.never }

/**
 * Records the request, and its response, failure (`ModelCallFailed`), cancellation or interruption. After any other
 * failure, the log has no response. An interruption also ends the wait before the request.
 */
export const ask = <E>(
  task: OpenTask,
  { provider, model, request, requestDigest = digest(request) }: ModelCallRequest,
  answering: Answering<E>,
  options: AskOptions = {},
  interruption: Interruption = NO_INTERRUPTION,
): Effect.Effect<ModelCallResponse, E | ModelCallFailed | AppendError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { afterMs = 0, partial = Effect.succeed({}), interruptible = false, agentId, workedMs, retryInMs } = options
      const { waits, arrives } = interruptible ? interruption : NO_INTERRUPTION
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
          ...defined({ agentId }),
        },
      })
      const startedAt = performance.now()
      const recordFailed = ({ kind, reason, response, usage, cost, retryAfterMs, ...next }: FailedCall) =>
        task.record({
          type: "ModelFailed",
          causationId: called.id,
          payload: {
            kind,
            reason: plainText(reason),
            latencyMs: MonotonicClock.elapsedSince(startedAt),
            ...defined({ response, usage, cost, retryAfterMs, ...next }),
          },
        })
      // If the partial answer is too large for an event or not JSON, records the failure without it; failing that,
      // without its tokens. `[]` shows that something came: a call of unknown use is not one that used nothing.
      const recordFailure = (failed: FailedCall) => {
        const { kind, reason, response, usage, cost, retryInMs, fallbackTo } = failed
        const least: FailedCall = {
          kind,
          reason,
          ...(response === undefined && usage === undefined && cost === undefined ? {} : { response: [] }),
          ...defined({ retryInMs, fallbackTo }),
        }
        const metered: FailedCall = {
          ...least,
          ...defined({ usage, cost }),
        }
        return recordFailed(failed).pipe(
          Effect.catchTag("InvalidEvent", () => recordFailed(metered)),
          Effect.catchTag("InvalidEvent", () => recordFailed(least)),
        )
      }
      const recordWithNext = (failed: ModelCallFailed) =>
        Effect.gen(function* () {
          const waitMs = yield* retryInMs?.(failed) ?? Effect.succeed(undefined)
          const fallbackTo = yield* options.fallbackTo?.(failed) ?? Effect.succeed(undefined)
          const { kind, reason, response, usage, cost, retryAfterMs } = failed
          return yield* recordFailure({
            kind,
            reason,
            ...defined({ response, usage, cost, retryAfterMs, retryInMs: waitMs, fallbackTo }),
          })
        })
      const answered = inPace(
        { provider, model },
        turn,
        Effect.suspend(() => (typeof answering === "function" ? answering(called) : answering)),
      )
      /** The answer; none if an input interrupted it. */
      const answeredOrNot: Effect.Effect<
        Option.Option<ModelCallResponse>,
        E | ModelCallFailed | LogError
      > = Effect.flatMap(waits, (isWaiting) =>
        isWaiting
          ? Effect.zipRight(turn.giveBack, Effect.succeedNone)
          : Effect.raceFirst(Effect.asSome(answered), Effect.zipRight(arrives, Effect.succeedNone)),
      )
      // Read the partial answer once the answer has ended.
      const interrupted = Effect.flatMap(
        partial,
        (come) => new ModelCallFailed({ provider, model, kind: "interrupted", reason: INTERRUPTED, ...come }),
      )
      const answer: Effect.Effect<ModelCallResponse, E | LogError | ModelCallFailed> = interruptible
        ? Effect.flatMap(restore(answeredOrNot), (found) =>
            Option.isSome(found) ? Effect.succeed(found.value) : interrupted,
          )
        : restore(answered)
      return yield* answer.pipe(
        Effect.tap(({ usage }) => warnOfUnknownFields(`${provider}/${model}`, usage)),
        Effect.tap(({ response, usage, cost }) =>
          Effect.catchTag(
            task.record({
              type: "ModelResponded",
              causationId: called.id,
              payload: {
                response,
                usage,
                latencyMs: MonotonicClock.elapsedSince(startedAt),
                ...defined({ cost }),
              },
            }),
            "InvalidEvent",
            // It answered, and costs money.
            ({ message }) =>
              new ModelCallFailed({
                provider,
                model,
                kind: "invalid-request",
                reason: unrecordable(message),
                response: [],
                usage,
                ...defined({ cost }),
              }),
          ),
        ),
        Effect.tapError((failure) => (failure instanceof ModelCallFailed ? recordWithNext(failure) : Effect.void)),
        Effect.onInterrupt(() =>
          Effect.flatMap(partial, (known) =>
            recordFailure({ kind: "cancelled", reason: "the request was cancelled", ...known }),
          ).pipe(
            // A suspended task asks again when it resumes.
            Effect.catchTag("LeaseLost", (lost) => (lost.suspended === undefined ? lost : Effect.void)),
            Effect.catchAllCause((cause) => ProgramLog.error("a cancelled model call was not recorded", cause)),
          ),
        ),
      )
    }),
  )

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

type FailedCall = Pick<
  ModelCallFailed,
  "kind" | "reason" | "response" | "usage" | "cost" | "retryAfterMs" | "retryInMs" | "fallbackTo"
>
