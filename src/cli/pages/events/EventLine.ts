import type { Event } from "../../../events/vocabulary/Event.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, time } from "../../terminal/Text.ts"
import * as EventSummary from "./EventSummary.ts"

/** Events as lines: position, time, type, actor, summary; in columns. */
export const lines = (style: Style, events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const [positions, types, actors] = [
    width(events.map(({ position }) => at(position))),
    width(events.map(({ type }) => type)),
    width(events.map(({ actor }) => actor)),
  ]
  return events.map((event) =>
    [
      style.bold(at(event.position).padStart(positions)),
      style.dim(time(event.recordedAt)),
      paint(style, event)(oneLine(event.type).padEnd(types)),
      style.dim(oneLine(event.actor).padEnd(actors)),
      EventSummary.of(event),
    ]
      .join("  ")
      .trimEnd(),
  )
}

/** Actors can be long; a column as wide as one of them would push everything off the screen. */
const MAX_WIDTH = 30

const width = (cells: ReadonlyArray<string>): number =>
  Math.min(
    MAX_WIDTH,
    cells.reduce((widest, cell) => Math.max(widest, cell.length), 0),
  )

/** What went wrong stands out, and so do rewards and punishments. */
export const paint = (style: Style, { type }: Event): ((text: string) => string) => {
  if (BAD.test(type)) return style.bad
  if (GOOD.test(type)) return style.good
  return style.name
}

const BAD = /Failed$|Denied$|Punishment|Quarantined$|OutcomeUnknown$|Expired$/
const GOOD = /^RewardGiven$|^CommandSucceeded$/
