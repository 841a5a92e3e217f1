/** Formats the differences of two documents, with the old values and the events that caused them. */
import type { WithBefore } from "../../../projections/patch/ReplacedValues.ts"
import type { Difference } from "../../../projections/timetravel/TimeTravel.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, value } from "../../terminal/Text.ts"

export { withBefore } from "../../../projections/patch/ReplacedValues.ts"

/** `before` is absent for an addition. */
export type ShownChange = WithBefore<Difference>

/** One line for each change: `+ path value`, `- path`, `~ path old → new`, and the event that caused it. */
export const lines = (style: Style, changes: ReadonlyArray<ShownChange>): ReadonlyArray<string> =>
  changes.map((change) => `${describe(style, change)}  ${style.dim(at(change.event))}`)

const describe = (style: Style, change: ShownChange): string => {
  const path = oneLine(change.path) || "(all)"
  switch (change.op) {
    case "add":
      return `${style.good("+")} ${path} ${value(change.value)}`
    case "remove":
      return `${style.bad("-")} ${path}`
    case "replace":
      return `${style.warn("~")} ${path} ${value(change.before)} → ${value(change.value)}`
  }
}
