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
}

interface Watcher {
  arrived: Deferred.Deferred<void>
}

export const make = (log: EventLog.Service): InputArrivals => {
  const watchers = new Map<string, Set<Watcher>>()
  let endListening = () => {}

  const tell = (told: Iterable<Watcher>) => {
    for (const { arrived } of told) Deferred.unsafeDone(arrived, Effect.void)
  }

  const begin = (stream: string): Watcher => {
    if (watchers.size === 0) {
      endListening = log.onCommit((events) => {
        if (events === undefined) for (const all of watchers.values()) tell(all)
        else for (const { type, stream } of events) if (type === "InputReceived") tell(watchers.get(stream) ?? [])
      })
    }
    const watcher: Watcher = { arrived: Deferred.unsafeMake(FiberId.none) }
    const others = watchers.get(stream)
    if (others === undefined) watchers.set(stream, new Set([watcher]))
    else others.add(watcher)
    return watcher
  }

  const end = (stream: string, watcher: Watcher) => {
    const others = watchers.get(stream)
    others?.delete(watcher)
    if (others?.size === 0) watchers.delete(stream)
    if (watchers.size === 0) endListening()
  }

  const next = (watcher: Watcher) =>
    Effect.zipRight(
      Effect.suspend(() => Deferred.await(watcher.arrived)),
      Effect.sync(() => {
        watcher.arrived = Deferred.unsafeMake(FiberId.none)
      }),
    )

  return {
    // Hot path: every command of an agent with a model comes by here.
    watching: (stream, use) =>
      Effect.uninterruptibleMask((restore) => {
        const watcher = begin(stream)
        return endingWith(restore(Effect.suspend(() => use(next(watcher)))), () => end(stream, watcher))
      }),
  }
}
