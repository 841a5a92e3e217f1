/** Formats the value at a path, and the event that set it. */
import type { Event } from "../../../events/vocabulary/Event.ts"
import * as Inferences from "../../../projections/timetravel/causes/Inferences.ts"
import type { Blame } from "../../../projections/timetravel/TimeTravel.ts"
import { defined } from "../../../values/defined.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"
import * as InferenceLines from "../events/InferenceLines.ts"

export const lines = (style: Style, { path, value, timeline, at, event }: Blame): ReadonlyArray<string> => [
  `${Text.oneLine(path) || "(all)"} is ${Text.value(value)} ${style.dim(Text.moment(timeline, at))}`,
  ...(event === null ? [style.dim("No event has changed it: it has its initial value.")] : blamedLines(style, event)),
]

/** The event that set a value; for an outcome, also the rule that paired it with its call. */
const blamedLines = (style: Style, event: Event): ReadonlyArray<string> => {
  const { cause: rule } = Inferences.of(event)
  const [line = ""] = EventLine.lines(style, [event])
  const found = defined({ rule })
  return [line + style.dim(InferenceLines.ofCause(found)), ...InferenceLines.legend(style, [found], [])]
}
