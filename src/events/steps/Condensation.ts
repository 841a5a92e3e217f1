/**
 * The events of a compact event in short, for folds whose state after a step depends on the steps before it only through
 * the document and the last readings. They are a few, however many steps there are.
 */

import type { Json } from "../../values/Json.ts"
import type { Event } from "../vocabulary/Event.ts"
import { expand, isCompact, Writer } from "./Expansion.ts"
import type { FieldReader } from "./JsonColumns.ts"
import { readerOf, type Step, type StepReader } from "./StepColumns.ts"
import * as StepPosition from "./StepPosition.ts"

/**
 * The events before the steps, the changes that the steps before the last one make together, and all events of the last
 * step: the one at `until`, or the last of all. Steps that cannot be merged come as `expand` has them. Throws as `expand`.
 */
export const condense = (event: Event, until: number): ReadonlyArray<Event> => {
  if (!isCompact(event) || event.taskId === null || event.personal?.readable === false) return []
  const { payload, position } = event
  const isWhole = until >= position
  const last = isWhole ? payload.steps - 1 : (StepPosition.stepAt(until) ?? StepPosition.BEGIN)
  if (last >= payload.steps) return []
  const writer = new Writer(event, event.taskId)
  if (payload.begin !== undefined) writer.begin(payload.begin)
  if (last >= 0) {
    const reader = readerOf(payload)
    const patch = last === 0 ? [] : merged(reader, last)
    if (patch === undefined) return expand(event)
    if (last > 0) writer.together(last - 1, patch, reader.stepAt(last - 1).readings)
    writer.step(last, reader.stepAt(last))
  }
  if (isWhole && payload.totals !== undefined) writer.finish(payload.totals)
  return writer.events
}

/** The patch of the steps before this one together. Undefined if their order matters, or their sensors differ. */
const merged = (reader: StepReader, before: number): Step["patch"] | undefined => {
  const changes = reader.sameReadings ? reader.changes() : undefined
  if (changes === undefined || overlap(changes.map(({ key }) => key))) return undefined
  return changes.flatMap(({ key, has, read }: FieldReader) => {
    let row = before - 1
    if (has !== undefined) while (row >= 0 && has[row] !== 1) row -= 1
    const value: Json | undefined = row < 0 ? undefined : read(row)
    return value === undefined ? [] : [{ op: "replace" as const, path: key, value }]
  })
}

/** Whether one of the paths is within another. */
const overlap = (paths: ReadonlyArray<string>): boolean => {
  const sorted = paths.map((path) => `${path}/`).sort()
  return sorted.some((path, index) => index > 0 && path.startsWith(sorted[index - 1] ?? ""))
}
