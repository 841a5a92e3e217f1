/** Serves a judged task's events in chunks, so that memory does not grow with the task. */
import { Effect, Either } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Child } from "../sandbox/Child.ts"
import { CALL_OVER } from "./HostRequests.ts"
import type { Misbehaved } from "./Misbehaviour.ts"
import type { EventBatch, OpenCall } from "./OpenCall.ts"
import type { PageFrame } from "./Protocol.ts"
import { answerFrame } from "./Protocol.ts"

/** Maximum number of waiting requests per call. A plugin that awaits its chunks has one per loop over the events. */
const MAX_WAITING = 64

/**
 * Returns a function that answers requests for chunks. It reads a call's next chunk when the plugin has taken the
 * previous one.
 */
export const make = () => {
  const open = new Map<OpenCall, { readonly semaphore: Effect.Semaphore; waiting: number }>()
  const queueOf = (call: OpenCall) => {
    const queue = open.get(call) ?? { semaphore: Effect.unsafeMakeSemaphore(1), waiting: 0 }
    open.set(call, queue)
    return queue
  }

  return (frame: PageFrame, call: OpenCall | undefined, child: Child, misbehaved: Misbehaved): Effect.Effect<void> => {
    const answer = (page: Either.Either<EventBatch, Failure>) =>
      child.deliver(
        answerFrame(
          frame.id,
          Either.map(page, ({ events, more }) => ({ value: { events, more } })),
        ),
      )
    if (call === undefined) return answer(Either.left(CALL_OVER))
    const { readPage } = call
    if (readPage === undefined) return answer(Either.left(NOT_JUDGING))
    const queue = queueOf(call)
    if (queue.waiting >= MAX_WAITING) {
      return Effect.sync(() =>
        misbehaved("UnawaitedPages", `it asked for more than ${MAX_WAITING} pages without awaiting them`),
      )
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => queue.waiting++),
      () => queue.semaphore.withPermits(1)(Effect.flatMap(Effect.either(readPage(frame.after)), answer)),
      () =>
        Effect.sync(() => {
          queue.waiting--
          if (queue.waiting === 0) open.delete(call)
        }),
    )
  }
}

const NOT_JUDGING: Failure = { code: "NotJudging", message: "expected a call that judges a task, found another one" }
