/** Formats the result of a bisection. */
import type { Bisection } from "../../../projections/timetravel/TimeTravel.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, moment } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"

export const lines = (style: Style, found: Bisection): ReadonlyArray<string> => {
  const { predicate, timeline, from, to, first, event } = found
  const on = (position: number) => moment(timeline, position)
  const what = oneLine(predicate)
  if (first === null) return [`${what} holds at no moment from ${on(from)} to ${on(to)}.`, style.dim(methodNote(found))]
  if (event === null) return [`${what} already holds at ${on(from)}, where the search began.`]
  return [
    `${what} first holds at ${style.bold(on(first))}.`,
    ...EventLine.lines(style, [event]),
    style.dim(methodNote(found)),
  ]
}

const methodNote = ({ method, certain, probes, first }: Bisection): string => {
  if (method === "scanned") return "Certain: every event that can matter was examined."
  const probed = `${count(probes, "moment")} of the log were examined`
  if (certain) return `Certain: ${probed}, and the form of the predicate shows that it stays true once it is true.`
  const before = first === null ? "" : ` before ${at(first)}`
  return `Likely: ${probed}, not all. The predicate may also have held for a while${before}, between two of them; --scan examines all.`
}
