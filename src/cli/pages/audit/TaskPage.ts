/** Formats one task on a screen: its outcome, time, cost, last error, and the next commands. */
import { MAIN } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { Annotation } from "../../../projections/annotations/Annotations.ts"
import type { Score } from "../../../projections/audit/Scores.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import * as Activity from "../../../projections/summary/Activity.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, time } from "../../terminal/Text.ts"
import * as AnnotationLines from "../annotations/AnnotationLines.ts"
import * as EventLine from "../events/EventLine.ts"
import * as AuditFacts from "./AuditFacts.ts"
import { net, outcome } from "./AuditPage.ts"

/** A task, its last error, and what people said about it and its moments. */
export interface ShownTask {
  readonly audit: TaskAudit
  /** Its activity; null if it is closed. */
  readonly activity: Activity.Activity | null
  /** The score that the choice selects. */
  readonly score: Score | null
  /** Such a score, for sentences: `score`, or `score by strict`. */
  readonly wanted: string
  readonly error: Event | null
  readonly annotations: ReadonlyArray<Annotation>
}

export const lines = (
  style: Style,
  { audit, activity, score, wanted, error, annotations }: ShownTask,
  next: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  `Task ${style.name(audit.taskId)}`,
  ...Table.facts(style, [
    ["goal", style.bold(oneLine(audit.goal))],
    ["outcome", stateOf(style, audit, activity) + (audit.reason === undefined ? "" : `: ${oneLine(audit.reason)}`)],
    ["agent", oneLine(audit.agent)],
    ...(audit.timeline === MAIN ? [] : [["timeline", oneLine(audit.timeline)] as const]),
    ["opened", `${time(audit.openedAt)}, ${at(audit.range.from)} to ${at(audit.range.to)}`],
    ...tags(annotations),
    ["steps", AuditFacts.steps(audit)],
    ...AuditFacts.of(audit, oneLine).filter(([name]) => SHOWN.has(name) || (name === "acting" && isRemarkable(audit))),
    ...scores(style, audit, score, wanted),
    ["error", error === null ? "none was recorded" : (EventLine.shortOf(style, [error])[0] ?? "")],
  ]),
  ...remarks(style, annotations),
  ...["", ...next.map((command) => `  ${CommandHints.shellCommand(command)}`)],
]

const stateOf = (style: Style, audit: TaskAudit, activity: Activity.Activity | null): string =>
  audit.outcome === null
    ? style.warn(Activity.stateInWords({ outcome: null, activity }))
    : outcome(style, Outcome.of(audit))

/** The chosen score, which every other page shows too, and then the others. */
const scores = (
  style: Style,
  { scores: all }: TaskAudit,
  chosen: Score | null,
  wanted: string,
): ReadonlyArray<readonly [string, string]> => {
  const line = (score: Score) =>
    `${net(score)} by ${oneLine(score.label || score.scoreSetId)}${score.finished ? "" : ", unfinished"}`
  const others = all.filter(({ scoreSetId }) => scoreSetId !== chosen?.scoreSetId)
  return [
    ...(all.length === 0 ? [] : [["score", chosen === null ? `no ${oneLine(wanted)}` : line(chosen)] as const]),
    ...others.map((score) => ["also scored", style.dim(line(score))] as const),
  ]
}

const tags = (annotations: ReadonlyArray<Annotation>): ReadonlyArray<readonly [string, string]> => {
  const own = annotations.flatMap(({ kind, text }) => (kind === "tag" && text !== undefined ? [oneLine(text)] : []))
  return own.length === 0 ? [] : [["tags", own.sort().join(", ")]]
}

const remarks = (style: Style, annotations: ReadonlyArray<Annotation>): ReadonlyArray<string> => {
  const others = annotations.filter(({ kind }) => kind !== "tag")
  return others.length === 0 ? [] : ["", ...AnnotationLines.under(style, others)]
}

const SHOWN: ReadonlySet<string> = new Set(["model", "cost", "return", "capture"])

/** Whether the log lacks outcomes or results of commands, or has them from a plugin after a crash. */
const isRemarkable = ({ acting: { unknown, unrecorded = 0, settled = 0 } }: TaskAudit): boolean =>
  unknown + unrecorded + settled > 0

export const next = (
  { taskId, outcome, timeline, range }: TaskAudit,
  { error, activity }: Pick<ShownTask, "error" | "activity">,
): ReadonlyArray<string> => {
  const on = timeline === MAIN ? [] : ["--timeline", timeline]
  return [
    CommandHints.written("audit", taskId, ...on),
    // The program that recorded an unfinished task does not read the log.
    ...(outcome === null && activity !== "unfinished" ? [CommandHints.written("task", "cancel", taskId, ...on)] : []),
    CommandHints.written("why", `${timeline}@${(error ?? { position: range.to }).position}`),
  ]
}
