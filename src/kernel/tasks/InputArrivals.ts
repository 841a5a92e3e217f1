/** Tells tasks that wait that something was said to them: one look at the log serves all tasks of a kernel. */

import { Deferred, Effect, FiberId, type Scope } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as OneAtATime from "../../platform/OneAtATime.ts"

/** The arrivals of inputs in a log, whichever process and timeline they come from. */
export interface InputArrivals {
  /**
   * Begins to watch a stream, until the scope closes. The effect that it answers with waits for the next input in that
   * stream; one that arrived between two waits ends the second one at once.
   */
  readonly watch: (stream: string) => Effect.Effect<Effect.Effect<void, LogError>, LogError, Scope.Scope>
}

/** Something that waits for inputs in a stream. */
interface Watcher {
  readonly stream: string
  arrived: Deferred.Deferred<void, LogError>
}

/** How often inputs of other processes are looked for while somebody waits, in milliseconds. */
const EVERY_MS = 50

/**
 * The arrivals in a log, which is looked at while somebody waits, in the scope of the kernel: after each commit of this
 * process, and now and then for those of others. The look outlasts the waiting by one interval: an agent waits anew in each
 * turn, and following a log costs more.
 */
export const make = (log: EventLog.Service, scope: Scope.Scope): InputArrivals => {
  const watchers = new Set<Watcher>()
  const oneAtATime = OneAtATime.make()
  let isLooking = false

  const tell = (isFor: (watcher: Watcher) => boolean, arrived: Effect.Effect<void, LogError>) => {
    for (const watcher of watchers) if (isFor(watcher)) Deferred.unsafeDone(watcher.arrived, arrived)
  }

  /** Looks for inputs after a position until nobody waits. */
  const look = (from: number, nextLook: Effect.Effect<void>): Effect.Effect<void, LogError> =>
    Effect.gen(function* () {
      let after = from
      for (;;) {
        yield* nextLook
        if (watchers.size === 0) {
          isLooking = false
          return
        }
        const { position: until } = yield* log.head
        if (until === after) continue
        yield* Pages.forEach(log.readPage, { types: ["InputReceived"], after, until }, (page) => {
          for (const { stream } of page) tell((watcher) => watcher.stream === stream, Effect.void)
        })
        after = until
      }
    })

  /** Listens for commits while it looks. */
  const lookAfterCommits = (from: number) =>
    Effect.acquireUseRelease(
      Effect.sync(() => looksOf(log, () => watchers.size > 0)),
      ({ next }) => look(from, next),
      ({ end }) => Effect.sync(end),
    )

  const begin = (watcher: Watcher) =>
    oneAtATime(
      Effect.gen(function* () {
        if (!isLooking) {
          const { position } = yield* log.head
          const looking = lookAfterCommits(position).pipe(
            Effect.tapErrorCause((cause) =>
              Effect.sync(() => {
                isLooking = false
                tell(() => true, Effect.failCause(cause))
              }),
            ),
          )
          isLooking = true
          yield* Effect.forkIn(Effect.interruptible(looking), scope)
        }
        watchers.add(watcher)
      }),
    )

  const next = (watcher: Watcher) =>
    Effect.zipRight(
      Effect.suspend(() => Deferred.await(watcher.arrived)),
      Effect.sync(() => {
        watcher.arrived = Deferred.unsafeMake(FiberId.none)
      }),
    )

  return {
    watch: (stream) =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          const watcher: Watcher = { stream, arrived: Deferred.unsafeMake(FiberId.none) }
          yield* begin(watcher)
          return watcher
        }),
        (watcher) => Effect.sync(() => watchers.delete(watcher)),
      ).pipe(Effect.map(next)),
  }
}

/**
 * When to look at a log next: after a commit of this process, if it is `wanted` then, and after `EVERY_MS` by the machine's
 * clock. What is said comes from outside, also where a program's clock is a `TestClock` that stands still.
 */
const looksOf = (log: EventLog.Service, wanted: () => boolean) => {
  let isDue = false
  let wake = () => {}
  const end = log.onCommit(() => {
    if (!wanted()) return
    isDue = true
    wake()
  })
  const due = Effect.async<void>((resume) => {
    const timer = setTimeout(() => wake(), EVERY_MS)
    wake = () => {
      clearTimeout(timer)
      resume(Effect.void)
    }
    if (isDue) wake()
    return Effect.sync(() => clearTimeout(timer))
  })
  const next = Effect.map(due, () => {
    isDue = false
    wake = () => {}
  })
  return { next, end }
}
