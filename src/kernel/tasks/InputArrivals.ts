/** Tells tasks that wait that something was said to them: what the log tells of its commits serves all tasks of a kernel. */

import { Deferred, Effect, FiberId, type Scope } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"

/** The arrivals of inputs in a log, whichever process and timeline they come from. */
export interface InputArrivals {
  /**
   * Begins to watch a stream, until the scope closes. The effect that it answers with waits for the next input in that
   * stream; one that arrived between two waits ends the second one at once. It may end without one, where it is not known
   * what arrived.
   */
  readonly watch: (stream: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
}

/** Something that waits for inputs in a stream. */
interface Watcher {
  arrived: Deferred.Deferred<void>
}

/** The arrivals in a log, which tells of its commits while somebody waits. */
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
    watch: (stream) =>
      Effect.acquireRelease(
        Effect.sync(() => begin(stream)),
        (watcher) => Effect.sync(() => end(stream, watcher)),
      ).pipe(Effect.map(next)),
  }
}
