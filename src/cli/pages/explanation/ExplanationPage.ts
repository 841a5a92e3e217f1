/** Formats the explanation of how a task ended: a few lines for each part, each with its positions. */
import type { Explanation } from "../../../projections/explanation/Explanation.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, duration, number, shorten, value } from "../../terminal/Text.ts"
import * as AuditPage from "../audit/AuditPage.ts"
import * as EventLine from "../events/EventLine.ts"
import * as InferenceLines from "../events/InferenceLines.ts"

/** Maximum number of lines of each part. */
const MOST = { lost: 3, suspects: 6, chain: 7, changes: 4 } as const

export const lines = (style: Style, explained: Explanation): ReadonlyArray<string> => [
  ...heading(style, explained),
  ...lost(explained),
  ...suspects(style, explained),
  ...chain(style, explained),
  ...changes(explained),
]

const heading = (style: Style, { audit, examinedFrom }: Explanation): ReadonlyArray<string> => {
  const { taskId, reason, agent, range, goal, durationMs, timeline } = audit
  const where = timeline === "main" ? "" : ` on ${oneLine(timeline)}`
  return [
    `Task ${oneLine(taskId)}${where} by ${oneLine(agent)}, ${at(range.from)} to ${at(range.to)}: ${AuditPage.outcome(style, Outcome.of(audit))}${reason === undefined ? "" : `: ${shorten(oneLine(reason), 160)}`}`,
    `Goal: ${shorten(oneLine(goal), 200)}`,
    `${count(audit.acting.commanded, "command")}: ${audit.acting.succeeded} succeeded, ${audit.acting.failed} failed, ${audit.acting.denied} denied, ${audit.acting.unknown} unknown${durationMs === null ? "" : `, in ${duration(durationMs)}`}.`,
    ...(examinedFrom > range.from ? [`Only events from ${at(examinedFrom)} on were examined.`] : []),
  ]
}

const lost = ({ lost }: Explanation): ReadonlyArray<string> => {
  if (lost.length === 0) return ["Lost points: none on record."]
  const shown = lost
    .slice(0, MOST.lost)
    .map(
      ({ position, measure, name, amount }) =>
        `  ${position === null ? "" : `${at(position)} `}${number(amount)} ${oneLine(measure)}: ${oneLine(name)}`,
    )
  return ["Lost points:", ...shown, ...more(lost.length - shown.length)]
}

const suspects = (style: Style, { suspects }: Explanation): ReadonlyArray<string> => {
  if (suspects.length === 0) return ["Suspects: none. No command failed, and no results disagree."]
  const shown = suspects
    .slice(0, MOST.suspects)
    .map(
      ({ at: position, kind, says }) =>
        `  ${style.bold(at(position))} ${oneLine(kind)}: ${shorten(oneLine(says), 320)}`,
    )
  return ["Suspects, likeliest first:", ...shown, ...more(suspects.length - shown.length)]
}

const chain = (style: Style, { chain }: Explanation): ReadonlyArray<string> => {
  const shown = chain.slice(0, MOST.chain)
  const words = EventLine.shortOf(style, shown)
  return [
    "Where it shows, and its causes:",
    ...shown.map((event, index) => `  ${words[index] ?? ""}${InferenceLines.ofCause(event)}`),
    ...more(chain.length - shown.length),
  ]
}

const changes = ({ changes, lastGood, audit }: Explanation): ReadonlyArray<string> => {
  if (changes.length === 0) return []
  const prefix = `/tasks/${audit.taskId}/environment`
  const shown = changes.slice(0, MOST.changes).map((change) => {
    const path = change.path.startsWith(prefix) ? change.path.slice(prefix.length) : change.path
    const now = change.op === "remove" ? "removed" : value(change.value, 60)
    return `  ${at(change.event)} ${oneLine(path)}: ${now}`
  })
  return [`Worlds since the last good state ${at(lastGood)}:`, ...shown, ...more(changes.length - shown.length)]
}

const more = (count: number): ReadonlyArray<string> => (count > 0 ? [`  … ${count} more`] : [])
