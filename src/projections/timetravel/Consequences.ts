/** The consequences of an event: all events that it caused, directly or through other events. */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { OnProgress } from "./TimelineHistory.ts"

/** An event that another one caused, directly or indirectly. */
export interface Consequence {
  readonly event: Event
  /** Steps from the root: 0 is the root itself, 1 an event it caused, and so on. */
  readonly depth: number
}

/** The consequences of an event. */
export interface Consequences {
  /** The event and its consequences, depth first: each event before those it caused, siblings in order of position. */
  readonly events: ReadonlyArray<Consequence>
  /** The last position that was searched. */
  readonly until: number
  /** Whether there may be more after `until`: the search stopped at its limit. */
  readonly more: boolean
}

/**
 * Finds all consequences of an event, on every timeline, by following `causationId`. A cause has a lower position than
 * its effects, so that one pass over the log from the event on finds them all.
 */
export const of = (
  log: typeof EventLog.Service,
  root: Event,
  { limit, onProgress = () => Effect.void }: { readonly limit: number; readonly onProgress?: OnProgress },
): Effect.Effect<Consequences, LogError> =>
  Effect.gen(function* () {
    const { position: head } = yield* log.head
    const known = new Map([[root.id, [] as Event[]]])
    let [found, until] = [0, root.position]
    const take = (page: Iterable<Event>) => {
      for (const event of page) {
        if (found === limit) return
        until = event.position
        const siblings = event.causationId === null ? undefined : known.get(event.causationId)
        if (siblings === undefined || known.has(event.id)) continue
        siblings.push(event)
        known.set(event.id, [])
        found += 1
      }
    }
    yield* Pages.stream(log.readPage, { after: root.position, until: head }).pipe(
      Stream.chunks,
      Stream.tap((page) => Effect.sync(() => take(page))),
      Stream.tap(() => onProgress(until - root.position, head - root.position)),
      Stream.takeWhile(() => found < limit),
      Stream.runDrain,
    )
    return { events: inOrder(root, known), until, more: found === limit && until < head }
  })

/** Root first. Iterative, because a chain can be as long as the log. */
const inOrder = (root: Event, effects: ReadonlyMap<string, ReadonlyArray<Event>>): ReadonlyArray<Consequence> => {
  const ordered: Array<Consequence> = []
  const rest: Array<Consequence> = [{ event: root, depth: 0 }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    ordered.push(next)
    const below = effects.get(next.event.id) ?? []
    for (const event of below.toReversed()) rest.push({ event, depth: next.depth + 1 })
  }
  return ordered
}
