/** Records the calls that an agent makes to language models. */

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
import type { OpenTask } from "./OpenTask.ts"

/** An agent's request to a language model. */
export interface ModelCallRequest {
  readonly provider: string
  readonly model: string
  /** The request, or what is new in it since the last one of this agent. It is recorded. */
  readonly request: Json
  /** Digest of the whole request. Default: that of `request`. */
  readonly requestDigest?: string
}

/** The model's response, and the tokens that it used. */
export interface ModelCallResponse {
  readonly response: Json
  readonly usage: ModelUsage
  readonly cost?: ModelCost
}

/**
 * The model did not answer, or not to the end. `Task.consult` records it, and a replay fails with it again. Retry if
 * `isTransient(kind)`; else see the reason.
 */
export class ModelCallFailed extends Data.TaggedError("ModelCallFailed")<{
  readonly provider: string
  readonly model: string
  readonly kind: ModelFailureKind
  readonly reason: string
  /** What had come of the answer. */
  readonly response?: Json
  /** The tokens that it used, as far as they are known. */
  readonly usage?: ModelUsage
  readonly cost?: ModelCost
  /** How long the provider asked to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number
  /** How long its agent waited before it asked again, in milliseconds, where that is on record. */
  readonly retryInMs?: number
}> {
  override get message() {
    return `${this.provider}/${this.model} did not answer (${this.kind}): ${this.reason}`
  }
}

const TRANSIENT: ReadonlySet<ModelFailureKind> = new Set([
  ...(["rate-limited", "overloaded", "unreachable", "timed-out", "cut-off", "unreadable", "empty"] as const),
])

/** Whether the same request may succeed later. */
export const isTransient = (kind: ModelFailureKind): boolean => TRANSIENT.has(kind)

/** What answers a request. As a function, it is given the event of the request. */
export type Answering<E> =
  | Effect.Effect<ModelCallResponse, E>
  | ((called: Event) => Effect.Effect<ModelCallResponse, E>)

/** Options of a request. */
export interface AskOptions {
  /** Wait before the request is made, in milliseconds. A replay does not wait. Default: none. */
  readonly afterMs?: number
  /**
   * What has come of the answer, and its usage and cost as far as they are known. It is recorded if the request is
   * cancelled or interrupted.
   */
  readonly partial?: Effect.Effect<Pick<ModelCallFailed, "response" | "usage" | "cost">>
  /**
   * Whether an `interrupting` input that waits, or arrives while the model answers, ends the request: it fails with
   * `ModelCallFailed` of the kind `interrupted`. Default: false.
   */
  readonly interruptible?: boolean
  /** The agent that asks, in a task with several. */
  readonly agentId?: string
  /**
   * How long the agent has worked on the task, in milliseconds. It is recorded with the request, so that a budget of time
   * goes on from there once the task is resumed (`Task.worked`).
   */
  readonly workedMs?: Effect.Effect<number>
  /** How long the agent waits until it asks again after a failure, in milliseconds; undefined: it does not. It is recorded. */
  readonly retryInMs?: (failure: ModelCallFailed) => Effect.Effect<number | undefined>
}

/** What interrupts a request: inputs that wait, and those that arrive. */
export interface Interruption {
  readonly waits: Effect.Effect<boolean, LogError>
  readonly arrives: Effect.Effect<void, LogError>
}

const NO_INTERRUPTION: Interruption = { waits: Effect.succeed(false), arrives: Effect.never }

/**
 * Records the request, calls the model, and records its response, or that it failed (`ModelCallFailed`), was cancelled
 * or interrupted. If the call fails in another way, the log has no response. An interruption also ends the wait before
 * the request.
 */
export const ask = <E>(
  task: OpenTask,
  { provider, model, request, requestDigest = digest(request) }: ModelCallRequest,
  answering: Answering<E>,
  { afterMs = 0, partial = Effect.succeed({}), interruptible = false, agentId, workedMs, retryInMs }: AskOptions = {},
  interruption: Interruption = NO_INTERRUPTION,
): Effect.Effect<ModelCallResponse, E | ModelCallFailed | AppendError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { waits, arrives } = interruptible ? interruption : NO_INTERRUPTION
      if (afterMs > 0) yield* restore(Effect.raceFirst(Effect.sleep(afterMs), arrives))
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
      const recordFailed = ({ kind, reason, response, usage, cost, retryAfterMs, retryInMs }: FailedCall) =>
        task.record({
          type: "ModelFailed",
          causationId: called.id,
          payload: {
            kind,
            reason: plainText(reason),
            latencyMs: MonotonicClock.elapsedSince(startedAt),
            ...defined({ response, usage, cost, retryAfterMs, retryInMs }),
          },
        })
      // Where what had come is too large for an event, or no JSON, the failure is recorded without it; then without its tokens.
      // That something came stays on record (`[]`): a call that used an unknown amount is not one that used nothing.
      const recordFailure = (failed: FailedCall) => {
        const { kind, reason, response, usage, cost, retryInMs } = failed
        const least: FailedCall = {
          kind,
          reason,
          ...(response === undefined && usage === undefined && cost === undefined ? {} : { response: [] }),
          ...defined({ retryInMs }),
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
      const recordWithWait = (failed: ModelCallFailed) =>
        Effect.flatMap(retryInMs?.(failed) ?? Effect.succeed(undefined), (waitMs) => {
          const { kind, reason, response, usage, cost, retryAfterMs } = failed
          return recordFailure({
            kind,
            reason,
            ...defined({ response, usage, cost, retryAfterMs, retryInMs: waitMs }),
          })
        })
      const answered = Effect.suspend(() => (typeof answering === "function" ? answering(called) : answering))
      /** The answer; none, if an input interrupted it. */
      const answeredOrNot: Effect.Effect<Option.Option<ModelCallResponse>, E | LogError> = Effect.flatMap(
        waits,
        (isWaiting) =>
          isWaiting
            ? Effect.succeedNone
            : Effect.raceFirst(Effect.asSome(answered), Effect.zipRight(arrives, Effect.succeedNone)),
      )
      // What had come is read once the answer has ended.
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
            // It answered, and is paid for.
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
        Effect.tapError((failure) => (failure instanceof ModelCallFailed ? recordWithWait(failure) : Effect.void)),
        Effect.onInterrupt(() =>
          Effect.flatMap(partial, (known) =>
            recordFailure({ kind: "cancelled", reason: "the request was cancelled", ...known }),
          ).pipe(
            // A task that was suspended asks again when it is resumed.
            Effect.catchTag("LeaseLost", (lost) => (lost.suspended === undefined ? lost : Effect.void)),
            Effect.catchAllCause((cause) => ProgramLog.error("a cancelled model call was not recorded", cause)),
          ),
        ),
      )
    }),
  )

/** The models whose usage was warned about, with the field: a program warns of each once. */
const warned = new Set<string>()

/** Says which fields of a usage nothing is recorded of: a misspelt count would be lost without a word. */
export const warnOfUnknownFields = (model: string, usage: ModelUsage): Effect.Effect<void> =>
  Effect.suspend(() => {
    const known = Object.keys(Deciding.ModelUsage.fields)
    const lost = Object.keys(usage).filter((field) => !known.includes(field) && !warned.has(`${model} ${field}`))
    for (const field of lost) warned.add(`${model} ${field}`)
    return Effect.forEach(
      lost,
      (field) => {
        const [similar] = DidYouMean.similarNames(field, known)
        const meant = similar === undefined ? "" : ` Is it ${similar}?`
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
  "kind" | "reason" | "response" | "usage" | "cost" | "retryAfterMs" | "retryInMs"
>
