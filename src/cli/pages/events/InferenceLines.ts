/** Says of causes, tasks and attempts by which rule they were inferred. What has no note was recorded. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { type InferenceRule, RULES } from "../../../events/vocabulary/Inference.ts"
import * as Inferences from "../../../projections/timetravel/causes/Inferences.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"

/** A cause as far as it may be inferred. */
interface MaybeInferred {
  readonly rule?: InferenceRule
  readonly matched?: ReadonlyArray<string>
}

/** How a cause was found: nothing where it was recorded. */
export const ofCause = ({ rule, matched }: MaybeInferred): string => {
  if (rule === undefined) return ""
  const from = matched === undefined ? "" : `: ${oneLine(matched.map(orAll).join(", "))}`
  return `  (inferred by ${rule}${from})`
}

const orAll = (pointer: string): string => (pointer === "" ? "all of it" : pointer)

/** How an event was placed in its task, and what it continues: nothing where that was recorded. */
export const ofPlace = (event: Event): string => {
  const { task, after, retryOf } = Inferences.of(event)
  const said = [
    ...(task === undefined ? [] : [`placed in its task by ${task}`]),
    ...(after === undefined ? [] : [`continues by ${after}`]),
    ...(retryOf === undefined ? [] : [`a further attempt by ${retryOf}`]),
  ]
  return said.length === 0 ? "" : `  (${said.join("; ")})`
}

/** The sentence of each rule by which causes or places of the events were inferred. */
export const legend = (
  style: Style,
  causes: Iterable<MaybeInferred>,
  placed: Iterable<Event>,
): ReadonlyArray<string> => {
  const rules = new Set<InferenceRule>()
  for (const { rule } of causes) if (rule !== undefined) rules.add(rule)
  for (const event of placed) {
    const { task, after, retryOf } = Inferences.of(event)
    for (const rule of [task, after, retryOf]) if (rule !== undefined) rules.add(rule)
  }
  return [...rules].map((rule) => style.dim(`Inferred by ${rule}: ${RULES[rule]}.`))
}
