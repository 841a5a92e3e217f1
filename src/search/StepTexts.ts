/** The texts of events as a search sees them: a compact event has those of its steps. */

import { expand, isCompact } from "../events/steps/Expansion.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import * as EventText from "./words/EventText.ts"

/** An event with its text. */
export interface Told {
  readonly event: Event
  readonly text: EventText.EventText
}

/**
 * The event's text, or the texts of the events that a compact one stands for, the newest first. Damaged columns have
 * none: reads of the log report them.
 */
export const textsOf = function* (event: Event): Generator<Told> {
  const inside = isCompact(event) ? insideOf(event).toReversed() : [event]
  for (const one of inside) {
    const text = EventText.of(one.type, one.payload)
    if (text !== undefined) yield { event: one, text }
  }
}

const insideOf = (event: Event): ReadonlyArray<Event> => {
  try {
    return expand(event)
  } catch {
    return []
  }
}
