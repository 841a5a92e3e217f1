/** The timelines of a log: the list of forks, and views of the log bound to one of them. */

import { Data, Effect, Stream } from "effect"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { type EventLog, type LogError, MAIN, ON_MAIN, type Query, type Span } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"
import { is } from "../vocabulary/Vocabulary.ts"
import * as Pages from "./Pages.ts"

/** A timeline of a log. */
export interface Timeline {
  readonly name: string
  /** The timeline that it was forked from, and the last shared position; null for `main`. */
  readonly parent: { readonly name: string; readonly at: number } | null
  /** Its history, oldest first: its ancestors' events up to each fork point, then its own. */
  readonly spans: ReadonlyArray<Span>
  /** The event that recorded the fork; null for `main`, and for a fork that is not in the log. */
  readonly forked: Event | null
}

/** Fix the call: the log has no such timeline. */
export class TimelineNotFound extends Data.TaggedError("TimelineNotFound")<{
  readonly timeline: string
  /** Names of the log's timelines. */
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const [listed, more] = [this.known.slice(0, MAX_LISTED), this.known.length - MAX_LISTED]
    return `There is no timeline "${this.timeline}" in this log. Known: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}.${DidYouMean.question(this.timeline, this.known)}`
  }
}

const MAX_LISTED = 20

const main: Timeline = { name: MAIN, parent: null, spans: ON_MAIN.spans, forked: null }

/** `main`, then the forks in log order. */
export const list = (log: EventLog.Service): Effect.Effect<ReadonlyArray<Timeline>, LogError> => {
  const known = new Map([[MAIN, main]])
  return Pages.forEach(log.readPage, { types: ["TimelineForked"] }, (page) => {
    for (const event of page) {
      const timeline = forked(known, event)
      if (timeline !== undefined) known.set(timeline.name, timeline)
    }
  }).pipe(Effect.map(() => [...known.values()]))
}

/** The timeline that a fork of the log's own timeline would be. */
export const branch = (parent: Pick<EventLog.Service, "timeline" | "spans">, name: string, at: number): Timeline => ({
  name,
  parent: { name: parent.timeline, at },
  forked: null,
  spans: [...spansUpTo(parent.spans, at), { timeline: name, until: Number.MAX_SAFE_INTEGER }],
})

/** Finds a timeline by name. */
export const named = (log: EventLog.Service, name: string): Effect.Effect<Timeline, TimelineNotFound | LogError> =>
  Effect.gen(function* () {
    if (name === MAIN) return main
    const known = yield* list(log)
    const found = known.find((timeline) => timeline.name === name)
    return found ?? (yield* new TimelineNotFound({ timeline: name, known: known.map((one) => one.name) }))
  })

/**
 * The timeline that an event forks. Undefined for an impossible fork: appends do not check the payload against the log.
 */
const forked = (known: ReadonlyMap<string, Timeline>, event: Event): Timeline | undefined => {
  if (!is(event, "TimelineForked")) return undefined
  const { timeline: name, parent: parentName, at } = event.payload
  const parent = known.get(parentName)
  if (parent === undefined || known.has(name) || at < 0 || at >= event.position) return undefined
  return { ...branch({ timeline: parentName, spans: parent.spans }, name, at), forked: event }
}

const spansUpTo = (spans: ReadonlyArray<Span>, at: number): ReadonlyArray<Span> => {
  const last = spans.findIndex(({ until }) => until >= at)
  return spans.slice(0, last + 1).map((span, index) => (index === last ? { ...span, until: at } : span))
}

/**
 * Binds an `EventLog` to one timeline. Its reads include the ancestors' events up to each fork point; an append without
 * a timeline goes to it. Queries without a timeline, or for another one, go to the underlying log. Code for a log thus
 * works on a fork.
 *
 * Stream versions count within one timeline: a query with `afterVersion` reads only events written on this timeline.
 */
export const view = (log: EventLog.Service, { name, spans }: Timeline): EventLog.Service => {
  if (name === log.timeline) return log

  const readPage = Pages.checked((query, limit) => {
    if (query.timeline !== name || query.afterVersion !== undefined) return log.readPage(query, limit)
    return Effect.gen(function* () {
      const events: Array<Event> = []
      for (const part of splitBySpan(spans, query)) {
        if (events.length === limit) break
        // Most pages lie within one span and are returned as read.
        const page = yield* log.readPage(part, limit - events.length)
        if (page.length === limit) return page
        events.push(...page)
      }
      return events
    })
  })

  const follow: EventLog.Service["follow"] = (query = {}) => {
    if (query.timeline !== name || query.afterVersion !== undefined) return log.follow(query)
    const shared = spans.at(-2)?.until ?? 0
    const inherited = Pages.stream(readPage, { ...query, until: shared })
    return Stream.concat(inherited, log.follow({ ...query, after: Math.max(query.after ?? 0, shared) }))
  }

  return {
    ...log,
    timeline: name,
    spans,
    readPage,
    read: (query = {}) => Pages.stream(readPage, query),
    follow,
    versionOf: (stream, timeline = name) => log.versionOf(stream, timeline),
    append: (request) => log.append({ timeline: name, ...request }),
  }
}

/** Splits a query over a history into one query per span, in order, skipping spans outside its range. */
export const splitBySpan = (spans: ReadonlyArray<Span>, query: Query): ReadonlyArray<Query> => {
  const { after = 0, until = Number.MAX_SAFE_INTEGER } = query
  let from = 0
  return spans.flatMap((span) => {
    const part = { ...query, timeline: span.timeline, after: Math.max(after, from), until: Math.min(until, span.until) }
    from = span.until
    return part.after < part.until ? [part] : []
  })
}
