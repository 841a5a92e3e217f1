/** Lets reads of a log return the events that compact ones stand for. Every backend reads through it. */

import { Data, Effect, Option } from "effect"
import { LogCorrupt, type LogError, type Query } from "../log/EventLog.ts"
import { condense } from "../steps/Condensation.ts"
import { COMPACT, expand, isCompact, TYPES } from "../steps/Expansion.ts"
import * as StepPosition from "../steps/StepPosition.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { ReadPage } from "./Pages.ts"
import { matches } from "./QueryMatch.ts"

/** Reads pages of a backend's own events. Positions in its queries are whole. */
export interface Source {
  /** The log's name, for errors. */
  readonly name: string
  readonly readPage: ReadPage
}

/** Reads of a backend with expanded steps. */
export interface ExpandedReads {
  /**
   * Like `EventLog.readPage`. A page may begin and end within a compact event. A query for exactly one position, with a
   * limit of 1, returns the event at that position, compact or within a compact one.
   */
  readonly readPage: ReadPage
  /** The event within a compact one, by its id. */
  readonly within: (
    find: (id: string) => Effect.Effect<Option.Option<Event>, LogError>,
    id: string,
  ) => Effect.Effect<Option.Option<Event>, LogError>
}

/** The query that finds the compact events as well, where these can stand for events that it selects. */
export const widened = <Q extends Pick<Query, "types">>(query: Q): Q =>
  query.types === undefined || query.types.includes(COMPACT) || !query.types.some((type) => TYPES.has(type))
    ? query
    : { ...query, types: [...query.types, COMPACT] }

/** Whole events as reads return them: before each compact one, its expanded events. Throws if it is damaged. */
export const expanded = (events: ReadonlyArray<Event>): ReadonlyArray<Event> =>
  events.some(isCompact) ? events.flatMap((event) => [...expand(event), event]) : events

/** Makes the reads of a backend. Remembers the last compact event, which the next page may continue. */
export const make = ({ name, readPage }: Source): ExpandedReads => {
  let last: Expanded | undefined
  /** Whole compact events in short, by their hashes: a fold to any later step reads them again. */
  const short = new Map<string, ReadonlyArray<Event>>()

  const read = (event: Event, how: () => ReadonlyArray<Event>): Effect.Effect<ReadonlyArray<Event>, LogCorrupt> =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(how())
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        return Effect.fail(
          new LogCorrupt({ log: name, position: event.position, reason: `its steps cannot be read: ${reason}` }),
        )
      }
    })

  const eventsIn = (event: Event, types?: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Event>, LogCorrupt> =>
    read(event, () => {
      if (last?.id === event.id && last.hash === event.hash && last.types === types) return last.events
      const events = expand(event, types)
      last = new Expanded({ id: event.id, hash: event.hash, types, events })
      return events
    })

  const condensedIn = (event: Event, until: number): Effect.Effect<ReadonlyArray<Event>, LogCorrupt> =>
    read(event, () => {
      const isWhole = until >= event.position && event.personal?.readable !== false
      const known = isWhole ? short.get(event.hash) : undefined
      if (known !== undefined) return known
      const events = condense(event, until)
      if (!isWhole || events.length > MAX_SHORT) return events
      if (short.size >= MAX_KEPT) short.clear()
      short.set(event.hash, events)
      return events
    })

  const page: ReadPage = ({ condensed = false, stepTypes, ...query }, limit) => {
    if (isOfOther(query)) return readPage(atWhole(query), limit)
    const { after = 0, until } = query
    const whole: Query = widened({
      ...query,
      after: Math.floor(after),
      ...(until === undefined ? {} : { until: Math.ceil(until) }),
    })
    return Effect.gen(function* () {
      let from = whole.after ?? 0
      const events: Array<Event> = []
      for (;;) {
        const found = yield* readPage({ ...whole, after: from }, limit)
        // Most pages have no compact event.
        if (events.length === 0 && whole.after === after && !found.some(isCompact)) return found
        for (const event of found) {
          const inside = !isCompact(event)
            ? []
            : condensed && after <= event.position - 1
              ? yield* condensedIn(event, until ?? event.position)
              : yield* eventsIn(event, stepTypes)
          // Everything but the position and the type is that of the compact event.
          const some = inside.length > 0 && matches(ofWhole(query), event)
          for (let index = 0; some && index < inside.length; index++) {
            const one = inside[index]
            if (one === undefined || one.position <= after || (until !== undefined && one.position > until)) continue
            if (query.types?.includes(one.type) === false) continue
            events.push(one)
            if (events.length === limit) return events
          }
          if (!matches(query, event)) continue
          events.push(event)
          if (events.length === limit) return events
        }
        const reached = found.at(-1)?.position
        if (found.length < limit || reached === undefined) return events
        from = reached
      }
    })
  }

  const at = (query: Query, position: number) =>
    Effect.gen(function* () {
      const holder = StepPosition.holder(position)
      const [event] = yield* readPage(widened({ ...query, after: holder - 1, until: holder }), 1)
      if (event === undefined) return []
      const inside = position === holder ? [] : yield* eventsIn(event)
      // The address of a step means its command.
      const found =
        position === holder
          ? event
          : (inside.find((one) => one.position === position) ?? inside.find((one) => isOfStep(one, position)))
      return found !== undefined && matches({ ...query, after: position - 1, until: position }, found) ? [found] : []
    })

  return {
    readPage: ({ whole = false, ...query }, limit) => {
      if (whole) return readPage(atWhole(ofBackend(query)), limit)
      const { after, until } = query
      return limit === 1 && after !== undefined && until === after + 1
        ? at(ofBackend(query), until)
        : page(query, limit)
    },
    within: (find, id) =>
      Effect.gen(function* () {
        const holder = StepPosition.holderOf(id)
        const event = holder === null ? Option.none() : yield* find(holder)
        if (Option.isNone(event)) return Option.none()
        return Option.fromNullable((yield* eventsIn(event.value)).find((one) => one.id === id))
      }),
  }
}

/** Without the fields that backends do not know. */
const ofBackend = ({ condensed: _condensed, stepTypes: _stepTypes, ...query }: Query): Query => query

/** The part of a query that is asked of a compact event for the events within it. */
const ofWhole = ({ types: _types, after: _after, until: _until, ...query }: Query): Query => query

/** The same events by whole positions, for queries that select none within compact events. */
const atWhole = ({ after, until, ...query }: Query): Query => ({
  ...query,
  ...(after === undefined ? {} : { after: Math.floor(after) }),
  ...(until === undefined ? {} : { until: Math.floor(until) }),
})

/** Compact events that are kept in short. */
const MAX_KEPT = 512

/** Events of a compact event in short. One whose steps cannot be merged has more. */
const MAX_SHORT = 64

class Expanded extends Data.Class<{
  readonly id: string
  readonly hash: string
  /** The types of events that it has; undefined for all. */
  readonly types: ReadonlyArray<string> | undefined
  readonly events: ReadonlyArray<Event>
}> {}

/** Whether an event belongs to the step at a position. */
const isOfStep = (event: Event, position: number): boolean => {
  const step = StepPosition.stepAt(position)
  return (
    step !== null &&
    StepPosition.stepAt(event.position) === step &&
    position === StepPosition.after(StepPosition.holder(position), step)
  )
}

/** Whether a query selects only types that compact events never stand for. */
const isOfOther = ({ types }: Query): boolean => types !== undefined && !types.some((type) => TYPES.has(type))
