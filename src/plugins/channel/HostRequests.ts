import { Cause, Effect, Either, Exit } from "effect"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { digest } from "../../values/Digest.ts"
import { plainText } from "../../values/Json.ts"
import type { Executed } from "../hostapi/Client.ts"
import * as HostApi from "../hostapi/HostApi.ts"
import type { Child } from "../sandbox/Child.ts"
import { type RecordEvent, recordOrTell } from "./EventRecorder.ts"
import type { OpenCall } from "./OpenCall.ts"
import { answerFrame, type BrokeredFrame } from "./Protocol.ts"
import { type Requested, type Ruling, ruleOn } from "./RequestRuling.ts"

/**
 * Most requests of one process that the host carries out at the same time. Each counts until the plugin has taken its
 * answer, so that what a plugin does not read does not pile up here.
 */
const AT_ONCE = 16

/** Most requests that wait for their turn; beyond, they are refused. */
const WAITING = 256

/** Most bytes of the frames of requests that wait or are carried out; beyond, they are refused. */
const OPEN_BYTES = 128 * 1024 * 1024

/** Most refusals that the plugin has not taken; beyond, it is not listening, and its process is killed. */
const REFUSALS = 16_384

/** For whom requests are carried out, and where they are recorded. */
export interface Brokering {
  readonly plugin: string
  readonly client: HostApi.Client
  readonly record: RecordEvent
  /** Rules on requests that are granted, before they are carried out. Default: what is granted is carried out. */
  readonly ruling?: Ruling | undefined
}

type RequestedOf = Omit<Requested, "kind" | "target" | "shown">

type Outcome = Either.Either<Executed, Failure>

/**
 * Carries out what a plugin asks of the host: recorded before it is done, and again when it is, under the event that
 * made the call happen. What cannot be recorded is not done. A request outside of a call, and one too many, is refused
 * without a trace. Interruption stops it and is recorded as its answer; one that still waits is dropped.
 */
export const make = ({ plugin, client, record, ruling }: Brokering) => {
  const permits = Effect.unsafeMakeSemaphore(AT_ONCE)
  const recordDone = recordOrTell(record)
  const open = { requests: 0, bytes: 0, refusals: 0 }

  /**
   * Has a request ruled on. Meanwhile it takes none of the places of those that are carried out, and the time of its call stands
   * still: nobody is to blame for how long a person takes.
   */
  const ruledOn = (ruling: Ruling, request: HostApi.Request, requested: RequestedOf, call: OpenCall) =>
    Effect.acquireUseRelease(
      Effect.zipRight(permits.release(1), Effect.sync(call.hold)),
      () => Effect.interruptible(ruleOn({ ruling, client, request, requested, record })),
      (goOn) => Effect.zipRight(Effect.sync(goOn), permits.take(1)),
    )

  const carryOut = (requestId: string, frame: BrokeredFrame, call: OpenCall) =>
    Effect.gen(function* () {
      const { causationId, taskId } = call
      const caused = causationId === undefined ? {} : { causationId }
      const asked = yield* Effect.either(HostApi.request(frame.method, frame.params))
      const request = Either.match(asked, {
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
      const carriedOut = Effect.flatMap(asked, (request) => {
        if (ruling === undefined) return request.execute(client)
        const argsDigest = digest(frame.params)
        const about = { plugin, requestId, during: call.name, argsDigest, causationId: id, taskId }
        return Effect.flatMap(ruledOn(ruling, request, about, call), (ruled) => {
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

  const answer = (frame: BrokeredFrame, child: Child, outcome: Outcome) =>
    Effect.suspend(() => child.deliver(answerFrame(frame.id, outcome)))

  const refuse = (frame: BrokeredFrame, child: Child, failure: Failure) => {
    if (open.refusals >= REFUSALS) {
      return Effect.sync(() => child.kill(`it did not read the answers to ${REFUSALS} refused requests`))
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

  /** Takes a request in, which came in a frame of so many bytes. */
  return (frame: BrokeredFrame, bytes: number, call: OpenCall | undefined, child: Child): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (call === undefined) return refuse(frame, child, CALL_OVER)
      if (open.requests >= AT_ONCE + WAITING || open.bytes + bytes > OPEN_BYTES) {
        return refuse(frame, child, TOO_MANY)
      }
      const inTurn = Effect.flatMap(carryOut(`${child.pid}.${frame.id}`, frame, call), (outcome) =>
        answer(frame, child, outcome),
      )
      return counted({ requests: 1, bytes, refusals: 0 }, permits.withPermits(1)(Effect.uninterruptible(inTurn)))
    })
}

const CANCELLED: Failure = { code: "Cancelled", message: "the call it was asked for ended first" }

/** Refuses what is asked for after the call it is for was answered. */
export const CALL_OVER: Failure = {
  code: "CallOver",
  message: "expected a request during a call, found one after it was answered: await what the context does",
}

const TOO_MANY: Failure = {
  code: "TooManyRequests",
  message:
    `expected at most ${WAITING} requests, and ${OPEN_BYTES} bytes of them, to wait at the same time; nothing was done: ` +
    "await some before asking for more",
}

const notRecorded = (cause: Cause.Cause<unknown>): Failure => {
  const error = Cause.squash(cause)
  const why = error instanceof Error ? error.message : String(error)
  return { code: "NotRecorded", message: plainText(`it could not be recorded, so it was not done: ${why}`) }
}
