/** The consequences of an event: all events that it caused, directly or through other events. */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { isInHistory } from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { InferenceRule } from "../../events/vocabulary/Inference.ts"
import { defined } from "../../values/defined.ts"
import * as Inferences from "./causes/Inferences.ts"
import type { OnProgress, TimelineHistory } from "./TimelineHistory.ts"

/** An event caused by another one, directly or indirectly. */
export interface Consequence {
  readonly event: Event
  /** The number of steps from the root, which has depth 0. */
  readonly depth: number
  /** The rule that inferred its cause; absent if the cause was recorded. */
  readonly rule?: InferenceRule
}

/** The consequences of an event. */
export interface Consequences {
  /** The timeline whose history was searched. */
  readonly timeline: string
  /** The timelines forked from it, directly or indirectly. */
  readonly forks: ReadonlyArray<string>
  /** The event and its consequences, depth first; siblings by position. */
  readonly events: ReadonlyArray<Consequence>
  /** The last position that was searched. */
  readonly until: number
  /** Whether the limit stopped the search, so that later consequences may exist. */
  readonly more: boolean
}

export interface Search {
  readonly limit: number
  /** Also searches the timelines that were forked from this one. */
  readonly forks: boolean
  readonly onProgress?: OnProgress
}

/**
 * Finds the consequences of an event by following `causationId`, in one pass from the event on: a cause has a lower
 * position than its effects.
 */
export const of = (
  log: EventLog.Service,
  past: TimelineHistory,
  root: Event,
  search: Search,
): Effect.Effect<Consequences, LogError> =>
  Effect.gen(function* () {
    const { limit, onProgress = () => Effect.void } = search
    const { position: head } = yield* log.head
    const forks = (yield* Timelines.list(log))
      .filter(({ name, spans }) => name !== past.timeline && spans.some((span) => span.timeline === past.timeline))
      .map(({ name }) => name)
    const isSearched = (event: Event) => forks.includes(event.timeline) || isInHistory(past.spans, event)
    const readPage = search.forks ? log.readPage : past.readPage
    const known = new Map([[root.id, [] as Event[]]])
    let [found, until] = [0, root.position]
    const take = (page: Iterable<Event>) => {
      for (const event of page) {
        if (found === limit) return
        until = event.position
        const siblings = event.causationId === null ? undefined : known.get(event.causationId)
        if (siblings === undefined || known.has(event.id) || (search.forks && !isSearched(event))) continue
        siblings.push(event)
        known.set(event.id, [])
        found += 1
      }
    }
    yield* Pages.stream(readPage, { after: root.position, until: head }).pipe(
      Stream.chunks,
      Stream.tap((page) => Effect.sync(() => take(page))),
      Stream.tap(() => onProgress(until - root.position, head - root.position)),
      Stream.takeWhile(() => found < limit),
      Stream.runDrain,
    )
    const more = found === limit && until < head
    return { timeline: past.timeline, forks, events: inOrder(root, known), until, more }
  })

/** Root first. Iterative, because a chain can be as long as the log. */
const inOrder = (root: Event, effects: ReadonlyMap<string, ReadonlyArray<Event>>): ReadonlyArray<Consequence> => {
  const ordered: Array<Consequence> = []
  const rest: Array<Consequence> = [{ event: root, depth: 0 }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { cause: rule } = next.depth === 0 ? {} : Inferences.of(next.event)
    ordered.push({ ...next, ...defined({ rule }) })
    const below = effects.get(next.event.id) ?? []
    for (const event of below.toReversed()) rest.push({ event, depth: next.depth + 1 })
  }
  return ordered
}
