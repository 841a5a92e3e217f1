import type { Consequence, Consequences } from "../../../projections/timetravel/TimeTravel.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"
import * as EventSummary from "../events/EventSummary.ts"

/** Steps that are drawn as a tree; what lies deeper keeps to the last of them. */
const MAX_DEPTH = 20

/** An event, and below it, each further in, what came of it. */
export const lines = (style: Style, { events, until, more }: Consequences): ReadonlyArray<string> => [
  ...branches(events).map((branch, index) => {
    const event = (events[index] as Consequence).event
    const type = EventLine.paint(style, event)(oneLine(event.type))
    return `${style.dim(branch)}${style.bold(at(event.position))} ${type}  ${EventSummary.of(event)}`
  }),
  ...(events.length === 1 && !more ? [style.dim("Nothing came of it.")] : []),
  ...(more
    ? [style.dim(`${count(events.length - 1, "event")} up to ${at(until)}; more may follow: --limit N shows more.`)]
    : []),
]

/** What stands before each event: whether it is the last that came of its cause, and which of those above it go on. */
const branches = (events: ReadonlyArray<Consequence>): ReadonlyArray<string> => {
  // Read from the end, what is still to come at each depth is known.
  const goesOn: Array<boolean> = []
  const written: Array<string> = []
  for (const { depth } of events.toReversed()) {
    const shown = Math.min(depth, MAX_DEPTH)
    const above = Array.from({ length: Math.max(0, shown - 1) }, (_, index) => (goesOn[index + 1] ? "│  " : "   "))
    written.push(depth === 0 ? "" : `${above.join("")}${goesOn[shown] ? "├─ " : "└─ "}`)
    goesOn.length = shown
    goesOn[shown] = true
  }
  return written.reverse()
}
