/** Notes the rule of each inferred cause, task or attempt. Anything without a note was recorded. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { type InferenceRule, RULES } from "../../../events/vocabulary/Inference.ts"
import * as Inferences from "../../../projections/timetravel/causes/Inferences.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"

interface MaybeInferred {
  readonly rule?: InferenceRule
  readonly matched?: ReadonlyArray<string>
}

/** The rule and the matched paths of an inferred cause; empty for a recorded one. */
export const ofCause = ({ rule, matched }: MaybeInferred): string => {
  if (rule === undefined) return ""
  const from = matched === undefined ? "" : `: ${oneLine(matched.map(orAll).join(", "))}`
  return `  (inferred by ${rule}${from})`
}

const orAll = (pointer: string): string => (pointer === "" ? "all of it" : pointer)

/** The rules that placed an event in its task and linked it to an earlier event; empty if recorded. */
export const ofPlace = (event: Event): string => {
  const { task, after, retryOf } = Inferences.of(event)
  const said = [
    ...(task === undefined ? [] : [`placed in its task by ${task}`]),
    ...(after === undefined ? [] : [`continuation inferred by ${after}`]),
    ...(retryOf === undefined ? [] : [`retry inferred by ${retryOf}`]),
  ]
  return said.length === 0 ? "" : `  (${said.join("; ")})`
}

/** One sentence for each rule behind these causes and events. */
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
