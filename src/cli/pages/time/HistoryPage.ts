import * as JsonPatch from "../../../projections/patch/JsonPatch.ts"
import type { ValueChange } from "../../../projections/timetravel/TimeTravel.ts"
import type { Json } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, shorten, time, value } from "../../terminal/Text.ts"
import * as PatchLines from "./PatchLines.ts"

/** Characters of what a line says of a value. */
const LENGTH = 100

/** Every value that a path has had, a line each: position, time, what became of it, by which event and whom. */
export const lines = (style: Style, turns: ReadonlyArray<ValueChange>): ReadonlyArray<string> =>
  Table.rows(
    turns.map(({ event, before, value: after }) => [
      style.bold(at(event.position)),
      style.dim(time(event.recordedAt)),
      said(style, before, after),
      style.name(oneLine(event.type)),
      style.dim(oneLine(event.actor)),
    ]),
    ["right"],
  )

/** A value as it is; of an object or list that was changed, only what changed in it. */
const said = (style: Style, before: Json | undefined, after: Json | undefined): string => {
  if (after === undefined) return style.bad("nothing any more")
  if (!isContainer(before) || !isContainer(after)) return value(after, LENGTH)
  return patch(before, after)
}

const isContainer = (of: Json | undefined): of is Exclude<Json, null | boolean | number | string> =>
  typeof of === "object" && of !== null

/** What makes one value into another, on one line: `/at "hall" → "cellar", + /lamp true, − /letter`. */
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
