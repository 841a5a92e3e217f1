import { Effect, Either } from "effect"
import type { CoreNewEvent } from "../../events/EventLog.ts"
import type { Failure } from "../../events/EventType.ts"
import * as Broker from "../Broker.ts"
import { type BrokeredFrame, encode, FRAME_LIMIT } from "../Protocol.ts"
import type { OpenCall } from "./Calls.ts"
import type { Child } from "./Child.ts"

/** Most requests of one process that the host carries out at the same time; more wait. */
const AT_ONCE = 16

/** For whom requests are carried out, and where they are recorded. */
export interface Brokering {
  readonly plugin: string
  readonly client: Broker.Client
  readonly record: (event: CoreNewEvent, taskId?: string) => Effect.Effect<unknown>
}

/**
 * Carries out what a plugin asks of the host: recorded before it is done, and again when it is, under the event that
 * made the call happen. A request outside of a call is refused. Interruption stops it and is recorded as its answer.
 */
export const make = ({ plugin, client, record }: Brokering) => {
  const permits = Effect.unsafeMakeSemaphore(AT_ONCE)

  const carryOut = (requestId: string, frame: BrokeredFrame, { causationId, taskId }: OpenCall) =>
    Effect.gen(function* () {
      const caused = causationId === undefined ? {} : { causationId }
      const asked = yield* Effect.either(Broker.request(frame.method, frame.params))
      const request = Either.match(asked, {
        onLeft: ({ message }) => ({ invalid: message }),
        onRight: ({ logged }) => logged,
      })
      const requested = { plugin, requestId, method: frame.method, request }
      yield* record({ ...caused, type: "BrokerRequested", payload: requested }, taskId)
      const startedAt = performance.now()
      const recordAnswer = (outcome: Either.Either<Broker.Executed, Failure>) =>
        record(
          {
            ...caused,
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
      const outcome = yield* Effect.flatMap(asked, ({ execute }) => permits.withPermits(1)(execute(client))).pipe(
        Effect.either,
        Effect.interruptible,
        Effect.onInterrupt(() => recordAnswer(Either.left(CANCELLED))),
      )
      yield* recordAnswer(outcome)
      return outcome
    }).pipe(Effect.uninterruptible)

  return (frame: BrokeredFrame, call: OpenCall | undefined, child: Child): Effect.Effect<void> => {
    const answer = (outcome: Either.Either<Broker.Executed, Failure>) =>
      Effect.sync(() => child.send(answerFrame(frame.id, outcome)))
    if (call === undefined) return answer(Either.left(CALL_OVER))
    return Effect.flatMap(carryOut(`${child.pid}.${frame.id}`, frame, call), answer)
  }
}

const CANCELLED: Failure = { code: "Cancelled", message: "the call it was asked for ended first" }

const CALL_OVER: Failure = {
  code: "CallOver",
  message: "expected a request during a call, found one after it was answered: await what the context does",
}

const answerFrame = (id: number, outcome: Either.Either<Broker.Executed, Failure>): string => {
  const text = encode({
    type: "answer",
    id,
    ...Either.match(outcome, { onLeft: (error) => ({ error }), onRight: ({ value }) => ({ value }) }),
  })
  if (Buffer.byteLength(text) <= FRAME_LIMIT) return text
  const error = { code: "AnswerTooLarge", message: `expected an answer of at most ${FRAME_LIMIT} bytes` }
  return encode({ type: "answer", id, error })
}
