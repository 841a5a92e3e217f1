/** Reads events for exports with each step of a compact event in place of it, as if it had been recorded by itself. */

import { Effect, Either } from "effect"
import { LogCorrupt, type LogError, type Query } from "../log/EventLog.ts"
import { expand } from "../steps/Expansion.ts"
import { COMPACT } from "../steps/StepPosition.ts"
import { widened } from "./ExpandedReads.ts"
import { matches } from "./QueryMatch.ts"
import type { DecodedEvent, DecodedOptions, Records } from "./Records.ts"

/**
 * The events that a decoded one stands for: those of a compact event's steps, otherwise the event itself. A compact event
 * whose personal fields are not decrypted stands for itself.
 *
 * @param log the log's name, for errors
 */
export const inPlaceOf = (log: string, event: DecodedEvent): Either.Either<ReadonlyArray<DecodedEvent>, LogCorrupt> => {
  const { link, text, keyId, hash } = event
  if (link.type !== COMPACT || keyId !== null) return Either.right([event])
  return Either.try({
    try: () =>
      expand({ ...link, payload: JSON.parse(text), hash }).map(({ payload, hash, ...envelope }) => ({
        link: envelope,
        text: JSON.stringify(payload),
        keyId,
        hash,
      })),
    catch: (cause) => {
      const reason = `its steps cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
      return new LogCorrupt({ log, position: link.position, reason })
    },
  })
}

/**
 * Reads decoded events, with the events of steps in place of compact ones. Positions of the query may be within a compact
 * event.
 *
 * @param log the log's name, for errors
 */
export const decoded = <E, R>(
  records: Records.Service,
  log: string,
  query: Query,
  options: DecodedOptions,
  take: (page: ReadonlyArray<DecodedEvent>) => Effect.Effect<void, E, R>,
): Effect.Effect<void, E | LogError, R> => {
  const { after = 0, until } = query
  const whole = widened({
    ...query,
    after: Math.floor(after),
    ...(until === undefined ? {} : { until: Math.ceil(until) }),
  })
  const isSelected = ({ link }: DecodedEvent) => matches(query, link)
  return records.decoded(whole, options, (page) =>
    Effect.gen(function* () {
      let plain: Array<DecodedEvent> = []
      for (const event of page) {
        if (event.link.type !== COMPACT) {
          plain.push(event)
          continue
        }
        // A page of compact events may stand for millions, so each is a page of its own.
        if (plain.length > 0) yield* take(plain)
        plain = []
        const inside = (yield* inPlaceOf(log, event)).filter(isSelected)
        if (inside.length > 0) yield* take(inside)
      }
      if (plain.length > 0) yield* take(plain)
    }),
  )
}
