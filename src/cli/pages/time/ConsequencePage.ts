/** Formats an event's consequences as a tree. */
import type { Consequence, Consequences } from "../../../projections/timetravel/TimeTravel.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, MORE_HINT } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"

/** Maximum depth of the tree. Deeper events are drawn at this depth. */
const MAX_DEPTH = 20

/** An event and the tree of its consequences. */
export const lines = (style: Style, { events, until, more }: Consequences): ReadonlyArray<string> => [
  ...branches(events).map((branch, index) => {
    const event = (events[index] as Consequence).event
    return style.dim(branch) + EventLine.short(style, event)
  }),
  ...(events.length === 1 && !more ? [style.dim("Nothing came of it.")] : []),
  ...(more
    ? [style.dim(`${count(events.length - 1, "event")} up to ${at(until)}; more may follow: ${MORE_HINT}`)]
    : []),
]

/**
 * The branch symbols before each event. They show whether it is its cause's last consequence, and which branches above
 * continue.
 */
const branches = (events: ReadonlyArray<Consequence>): ReadonlyArray<string> => {
  // Read from the end, so that the continuing branches of each depth are known.
  const continues: Array<boolean> = []
  const prefixes: Array<string> = []
  for (const { depth } of events.toReversed()) {
    const shown = Math.min(depth, MAX_DEPTH)
    const above = Array.from({ length: Math.max(0, shown - 1) }, (_, index) => (continues[index + 1] ? "│  " : "   "))
    prefixes.push(depth === 0 ? "" : `${above.join("")}${continues[shown] ? "├─ " : "└─ "}`)
    continues.length = shown
    continues[shown] = true
  }
  return prefixes.reverse()
}
