/** Wakes tasks that wait for inputs. One listener to the log's commits serves all tasks of a kernel. */

import { Deferred, Effect, FiberId } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import { endingWith } from "../../platform/OneAtATime.ts"

/** The arrivals of inputs in a log, from any process and timeline. */
export interface InputArrivals {
  /**
   * Watches a stream while an effect runs. `next` waits for an input; one that arrived since the last wait completes it
   * at once. It may complete without an input if the log cannot tell what arrived.
   */
  readonly watching: <A, E>(
    stream: string,
    use: (next: Effect.Effect<void>) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E>
  /** Calls a function at each arrival, or if the log cannot tell what arrived. Returns a function that ends this. */
  readonly listen: (stream: string, told: () => void) => () => void
}

interface Watcher {
  readonly told: () => void
}

export const make = (log: EventLog.Service): InputArrivals => {
  const watchers = new Map<string, Set<Watcher>>()
  let endListening = () => {}

  const tell = (told: Iterable<Watcher>) => {
    for (const watcher of [...told]) watcher.told()
  }

  const begin = (stream: string, watcher: Watcher): void => {
    if (watchers.size === 0) {
      endListening = log.onCommit((events) => {
        if (events === undefined) for (const all of watchers.values()) tell(all)
        else for (const { type, stream } of events) if (type === "InputReceived") tell(watchers.get(stream) ?? [])
      })
    }
    const others = watchers.get(stream)
    if (others === undefined) watchers.set(stream, new Set([watcher]))
    else others.add(watcher)
  }

  const end = (stream: string, watcher: Watcher) => {
    const others = watchers.get(stream)
    others?.delete(watcher)
    if (others?.size === 0) watchers.delete(stream)
    if (watchers.size === 0) endListening()
  }

  return {
    watching: (stream, use) =>
      Effect.uninterruptibleMask((restore) => {
        let arrived = Deferred.unsafeMake<void>(FiberId.none)
        const watcher: Watcher = { told: () => Deferred.unsafeDone(arrived, Effect.void) }
        begin(stream, watcher)
        const next = Effect.zipRight(
          Effect.suspend(() => Deferred.await(arrived)),
          Effect.sync(() => {
            arrived = Deferred.unsafeMake(FiberId.none)
          }),
        )
        return endingWith(restore(Effect.suspend(() => use(next))), () => end(stream, watcher))
      }),
    // Hot path: every command of an agent with a model comes by here.
    listen: (stream, told) => {
      const watcher: Watcher = { told }
      begin(stream, watcher)
      return () => end(stream, watcher)
    },
  }
}
