import { Effect, Either } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Child } from "../sandbox/Child.ts"
import { CALL_OVER } from "./HostRequests.ts"
import type { Misbehaved } from "./Misbehaviour.ts"
import type { OpenCall, Page } from "./OpenCall.ts"
import type { PageFrame } from "./Protocol.ts"
import { answerFrame } from "./Protocol.ts"

/** Most pages that a call may wait for; a plugin that awaits them waits for one in each loop over the events. */
const WAITING = 64

/**
 * Answers a call's requests for pages, one after the other: the next page is read when the plugin has taken the one
 * before, so that a task of any length passes through constant memory.
 */
export const make = () => {
  const open = new Map<OpenCall, { readonly turn: Effect.Semaphore; waiting: number }>()
  const queueOf = (call: OpenCall) => {
    const queue = open.get(call) ?? { turn: Effect.unsafeMakeSemaphore(1), waiting: 0 }
    open.set(call, queue)
    return queue
  }

  return (frame: PageFrame, call: OpenCall | undefined, child: Child, misbehaved: Misbehaved): Effect.Effect<void> => {
    const answer = (page: Either.Either<Page, Failure>) =>
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
    if (queue.waiting >= WAITING) {
      return Effect.sync(() =>
        misbehaved("UnawaitedPages", `it asked for more than ${WAITING} pages without awaiting them`),
      )
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => queue.waiting++),
      () => queue.turn.withPermits(1)(Effect.flatMap(Effect.either(readPage(frame.after)), answer)),
      () =>
        Effect.sync(() => {
          queue.waiting--
          if (queue.waiting === 0) open.delete(call)
        }),
    )
  }
}

const NOT_JUDGING: Failure = { code: "NotJudging", message: "expected a call that judges a task, found another one" }
