/** Formats the differences of two documents, with the old values and the events that caused them. */
import { Either } from "effect"
import * as JsonPatch from "../../../projections/patch/JsonPatch.ts"
import type { Difference } from "../../../projections/timetravel/TimeTravel.ts"
import { type Json, pointerKeys, valueAt } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, value } from "../../terminal/Text.ts"

/** `before` is absent for an addition. */
export type ShownChange = Difference & { readonly before?: Json }

/** Adds to each difference its old value, from the document with all earlier differences applied. */
export const withBefore = (document: Json, differences: ReadonlyArray<Difference>): ReadonlyArray<ShownChange> => {
  let current: Json | undefined = document
  return differences.map((difference): ShownChange => {
    const before = current === undefined ? undefined : valueAt(current, pointerKeys(difference.path))
    current = Either.getOrElse(JsonPatch.apply(current, [difference]), () => current)
    return difference.op === "add" || before === undefined ? difference : { ...difference, before }
  })
}

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
