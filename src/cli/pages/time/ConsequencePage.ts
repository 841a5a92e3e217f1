/** Formats an event's consequences as a tree. */
import type { Consequence, Consequences } from "../../../projections/timetravel/TimeTravel.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, MORE_HINT } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"
import * as InferenceLines from "../events/InferenceLines.ts"

/** Maximum depth of the tree. Deeper events appear at this depth. */
const MAX_DEPTH = 20

export const lines = (style: Style, found: Consequences, withForks: boolean): ReadonlyArray<string> => {
  const { timeline, forks, events, until, more } = found
  const shown = EventLine.shortOf(
    style,
    events.map(({ event }) => event),
  )
  const unsearched = withForks ? [] : forks
  return [
    ...branches(events).map((branch, index) => {
      const consequence = events[index]
      const note = consequence === undefined ? "" : InferenceLines.ofCause(consequence)
      return style.dim(branch) + (shown[index] ?? "") + style.dim(note)
    }),
    ...(events.length === 1 && !more ? [style.dim("It caused no events.")] : []),
    ...InferenceLines.legend(style, events, []),
    ...(unsearched.length === 0
      ? []
      : [
          style.dim(
            `These are the events of ${oneLine(timeline)}. ${count(unsearched.length, "timeline")} forked from it: --forks searches those, too.`,
          ),
        ]),
    ...(more
      ? [style.dim(`${count(events.length - 1, "event")} up to ${at(until)}; more may follow: ${MORE_HINT}`)]
      : []),
  ]
}

/**
 * The branch symbols before each event: whether it is its cause's last consequence, and which branches above continue.
 */
const branches = (events: ReadonlyArray<Consequence>): ReadonlyArray<string> => {
  // Read from the end, to know the continuing branches of each depth.
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
