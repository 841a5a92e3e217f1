/**
 * Executes a plugin's host requests, within limits on number and size, and records each request before its execution
 * and its answer afterwards.
 */
import { Cause, Effect, Either, Exit } from "effect"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { digest } from "../../values/Digest.ts"
import { plainText } from "../../values/Json.ts"
import type { RequestResult } from "../hostapi/Client.ts"
import * as HostApi from "../hostapi/HostApi.ts"
import type { Child } from "../sandbox/Child.ts"
import { type RecordEvent, recordOrLog } from "./EventRecorder.ts"
import type { OpenCall } from "./OpenCall.ts"
import { answerFrame, encode, type HostRequestFrame } from "./Protocol.ts"
import { type GatedRequest, type HostRequestGate, ruleOn } from "./RequestRuling.ts"

/**
 * Maximum number of concurrent requests per process. A request counts until the plugin has read its answer, so that
 * unread answers do not pile up in the host.
 */
const MAX_CONCURRENT = 16

/** Maximum number of queued requests. Further ones are refused. */
const MAX_QUEUED = 256

/** Maximum total size of open requests' frames, in bytes. Further ones are refused. */
const MAX_OPEN_BYTES = 128 * 1024 * 1024

/** Maximum number of unread refusals. A process above it reads nothing, and is killed. */
const MAX_UNREAD_REFUSALS = 16_384

/** The plugin, its grants and the log. */
export interface HostRequestsInput {
  readonly plugin: string
  readonly client: HostApi.Client
  readonly record: RecordEvent
  /** Rules on granted requests. Default: all are executed. */
  readonly ruling?: HostRequestGate | undefined
}

type RecordedRequest = Omit<GatedRequest, "kind" | "target" | "shown">

type Outcome = Either.Either<RequestResult, Failure>

/**
 * Returns the handler of one process's requests. The log gets each request before its execution, caused by the event
 * that caused its call, and then the answer. A request that cannot be recorded is not executed.
 *
 * Requests outside of a call or above the limits are refused without a record. Interruption stops a running request and
 * becomes its recorded answer; it drops a queued request.
 */
export const make = ({ plugin, client, record, ruling }: HostRequestsInput) => {
  const permits = Effect.unsafeMakeSemaphore(MAX_CONCURRENT)
  const recordDone = recordOrLog(record)
  const open = { requests: 0, bytes: 0, refusals: 0 }

  /**
   * Applies the gate rules. A person may take long to decide, so meanwhile the request holds no permit and its call's
   * time-out is paused.
   */
  const applyRuling = (
    ruled: { readonly ruling: HostRequestGate; readonly client: HostApi.Client },
    request: HostApi.Request,
    requested: RecordedRequest,
    call: OpenCall,
  ) =>
    Effect.acquireUseRelease(
      Effect.zipRight(permits.release(1), Effect.sync(call.pauseTimeout)),
      () => Effect.interruptible(ruleOn({ ...ruled, request, requested, record })),
      (resumeTimeout) => Effect.zipRight(Effect.sync(resumeTimeout), permits.take(1)),
    )

  const carryOut = (requestId: string, frame: HostRequestFrame, call: OpenCall, child: Child) =>
    Effect.gen(function* () {
      const { causationId, taskId } = call
      const caused = causationId === undefined ? {} : { causationId }
      const decoded = yield* Effect.either(HostApi.request(frame.method, frame.params))
      const request = Either.match(decoded, {
        onLeft: ({ message }) => ({ invalid: message }),
        onRight: ({ logged }) => logged,
      })
      const id = newId()
      const requested = { plugin, requestId, method: frame.method, request }
      const recorded = yield* Effect.exit(
        record({ id, ...caused, type: "BrokerRequested", payload: requested }, taskId),
      )
      if (Exit.isFailure(recorded)) return Either.left(notRecorded(recorded.cause))
      const startedAt = performance.now()
      let last = caused
      const recordAnswer = (outcome: Outcome) =>
        recordDone(
          {
            ...last,
            type: "BrokerAnswered",
            payload: {
              plugin,
              requestId,
              ...Either.match(outcome, {
                onLeft: (error) => ({ error }),
                onRight: ({ logged }) => ({ answer: logged }),
              }),
              latencyMs: performance.now() - startedAt,
            },
          },
          taskId,
        )
      const { fetchMs } = call
      const own = {
        ...client,
        ...(fetchMs === undefined ? {} : { limits: { ...client.limits, fetchMs } }),
        onPart: (text: string) => {
          // A server that goes on answering is at work.
          if (call.onPiece !== undefined) call.renewTimeout()
          child.send(encode({ type: "part", id: frame.id, text }))
        },
      }
      const carriedOut = Effect.flatMap(decoded, (request) => {
        if (ruling === undefined) return request.execute(own)
        const argsDigest = digest(frame.params)
        const about = { plugin, requestId, during: call.name, argsDigest, causationId: id, taskId }
        return Effect.flatMap(applyRuling({ ruling, client: own }, request, about, call), (ruled) => {
          last = { causationId: ruled.causationId }
          return "denied" in ruled ? Effect.fail(ruled.denied) : request.execute(ruled.client)
        })
      })
      const outcome = yield* (client.intercept?.(frame.method, frame.params, carriedOut) ?? carriedOut).pipe(
        Effect.either,
        Effect.interruptible,
        Effect.onInterrupt(() => recordAnswer(Either.left(CANCELLED))),
      )
      yield* recordAnswer(outcome)
      return outcome
    })

  const answer = (frame: HostRequestFrame, child: Child, outcome: Outcome) =>
    Effect.suspend(() => child.deliver(answerFrame(frame.id, outcome)))

  const refuse = (frame: HostRequestFrame, child: Child, failure: Failure) => {
    if (open.refusals >= MAX_UNREAD_REFUSALS) {
      return Effect.sync(() => child.kill(`it did not read the answers to ${MAX_UNREAD_REFUSALS} refused requests`))
    }
    return counted({ requests: 0, bytes: 0, refusals: 1 }, answer(frame, child, Either.left(failure)))
  }

  const counted = (counts: typeof open, effect: Effect.Effect<void>) => {
    const add = (sign: 1 | -1) =>
      Effect.sync(() => {
        open.requests += sign * counts.requests
        open.bytes += sign * counts.bytes
        open.refusals += sign * counts.refusals
      })
    return Effect.acquireUseRelease(
      add(1),
      () => effect,
      () => add(-1),
    )
  }

  /** Handles a request; `bytes` is the size of its frame. */
  return (frame: HostRequestFrame, bytes: number, call: OpenCall | undefined, child: Child): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (call === undefined) return refuse(frame, child, CALL_OVER)
      if (open.requests >= MAX_CONCURRENT + MAX_QUEUED || open.bytes + bytes > MAX_OPEN_BYTES) {
        return refuse(frame, child, TOO_MANY)
      }
      const handled = Effect.flatMap(carryOut(`${child.pid}.${frame.id}`, frame, call, child), (outcome) =>
        answer(frame, child, outcome),
      )
      return counted({ requests: 1, bytes, refusals: 0 }, permits.withPermits(1)(Effect.uninterruptible(handled)))
    })
}

const CANCELLED: Failure = { code: "Cancelled", message: "the call it was asked for ended first" }

/** Refuses a request whose call has its answer already. */
export const CALL_OVER: Failure = {
  code: "CallOver",
  message: "expected a request during a call, found one after it was answered: await what the context does",
}

const TOO_MANY: Failure = {
  code: "TooManyRequests",
  message:
    `expected at most ${MAX_QUEUED} requests, and ${MAX_OPEN_BYTES} bytes of them, to wait at the same time; nothing was done: ` +
    "await some before asking for more",
}

const notRecorded = (cause: Cause.Cause<unknown>): Failure => {
  const error = Cause.squash(cause)
  const why = error instanceof Error ? error.message : String(error)
  return { code: "NotRecorded", message: plainText(`it could not be recorded, so it was not done: ${why}`) }
}
