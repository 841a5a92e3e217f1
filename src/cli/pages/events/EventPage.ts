/** Formats one event completely, and chains of causes. */
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { Annotation } from "../../../projections/annotations/Annotations.ts"
import type { Cause } from "../../../projections/timetravel/TimeTravel.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, json, time } from "../../terminal/Text.ts"
import * as AnnotationLines from "../annotations/AnnotationLines.ts"
import * as EventLine from "./EventLine.ts"
import * as InferenceLines from "./InferenceLines.ts"

/** @param annotations what people said about the event */
export const lines = (
  style: Style,
  event: Event,
  annotations: ReadonlyArray<Annotation> = [],
): ReadonlyArray<string> => {
  const fields: ReadonlyArray<readonly [string, string]> = [
    ["id", event.id],
    ["stream", `${event.stream}, version ${event.version} on ${event.timeline}`],
    ["task", event.taskId ?? "none"],
    ["actor", event.actor],
    ["cause", event.causationId ?? "none"],
    ["occurred", time(event.occurredAt)],
    ["recorded", time(event.recordedAt)],
    ["schema", `version ${event.schemaVersion}`],
    ["hash", event.hash],
    ...outcomeOf(event),
  ]
  return [
    `${style.bold(at(event.position))} ${EventLine.typeOf(style, event)}`,
    ...Table.facts(
      style,
      fields.map(([name, text]) => [name, oneLine(text)]),
    ),
    json(event.payload, 2),
    ...AnnotationLines.under(style, annotations),
  ]
}

const outcomeOf = (event: Event): ReadonlyArray<readonly [string, string]> => {
  if (!is(event, "CommandSucceeded") && !is(event, "CommandFailed") && !is(event, "IoAnswered")) return []
  const { unrecorded, settledBy } = event.payload as { readonly unrecorded?: Missing; readonly settledBy?: string }
  return [
    ...(unrecorded === undefined
      ? []
      : [["result", `completed, but its result was not recorded: ${unrecorded.reason}`] as const]),
    ...(settledBy === undefined ? [] : [["reported by", `${settledBy}, which was asked after a crash`] as const]),
  ]
}

interface Missing {
  readonly reason: string
}

export const chain = (style: Style, events: ReadonlyArray<Cause>): ReadonlyArray<string> => {
  const root = events.at(-1)
  return [
    ...EventLine.shortOf(style, events).map((line, depth) => {
      const branch = depth === 0 ? "" : `${"   ".repeat(depth - 1)}└─ `
      const event = events[depth]
      const note = event === undefined ? "" : InferenceLines.ofCause(event) + InferenceLines.ofPlace(event)
      return style.dim(branch) + line + style.dim(note)
    }),
    ...(root?.causationId == null ? [] : [style.warn(`The cause ${root.causationId} is not in this log.`)]),
    ...InferenceLines.legend(style, events, events),
  ]
}
