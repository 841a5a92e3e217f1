/** Formats the history of a path, and differences of values on one line. */
import * as JsonPatch from "../../../projections/patch/JsonPatch.ts"
import type { ValueChange } from "../../../projections/timetravel/TimeTravel.ts"
import type { Json } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { shorten, time, value } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"
import * as PatchLines from "./PatchLines.ts"

const LENGTH = 100

/** One line for each value: position, time, value or change, event type, actor. */
export const lines = (style: Style, changes: ReadonlyArray<ValueChange>): ReadonlyArray<string> => {
  const places = EventLine.places(changes.map(({ event }) => event))
  return Table.rows(
    style,
    changes.map(({ event, before, value: after }, index) => [
      style.bold(places[index] ?? ""),
      style.dim(time(event.occurredAt)),
      valueOrChange(style, before, after),
      style.name(oneLine(event.type)),
      style.dim(oneLine(event.actor)),
    ]),
    ["right"],
  )
}

/** A value. For a changed object or list, only the differences. */
const valueOrChange = (style: Style, before: Json | undefined, after: Json | undefined): string => {
  if (after === undefined) return style.bad("removed")
  if (!isContainer(before) || !isContainer(after)) return value(after, LENGTH)
  return patch(before, after)
}

const isContainer = (of: Json | undefined): of is Exclude<Json, null | boolean | number | string> =>
  typeof of === "object" && of !== null

/** The differences of two values on one line: `/at "hall" → "cellar", + /lamp true, − /letter`. */
export const patch = (before: Json, after: Json): string => {
  const differences = JsonPatch.diff(before, after).map((operation) => ({ ...operation, event: 0 }))
  const words = PatchLines.withBefore(before, differences).map((change) => {
    const path = oneLine(change.path) || "all"
    switch (change.op) {
      case "add":
        return `+ ${path} ${value(change.value)}`
      case "remove":
        return `− ${path}`
      case "replace":
        return `${path} ${value(change.before)} → ${value(change.value)}`
    }
  })
  return shorten(words.join(", "), LENGTH)
}
