/** Formats the explanation of how a task ended: a few lines for each part, each with its positions. */
import type { Examined } from "../../../projections/explanation/Explanation.ts"
import type { WhyFailed } from "../../../projections/explanation/WhyFailed.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, duration, number, shorten } from "../../terminal/Text.ts"
import * as AuditPage from "../audit/AuditPage.ts"
import * as WhyLines from "./WhyLines.ts"

/** A task, and the explanation of how it ended. */
export interface Explained {
  readonly examined: Examined
  readonly why: WhyFailed
}

/** Maximum number of lines of each part. */
const MOST = { lost: 3, suspects: 6 } as const

export const lines = (style: Style, { examined, why }: Explained): ReadonlyArray<string> => [
  ...heading(style, examined),
  why.sentence,
  ...lost(examined),
  ...suspects(style, examined),
  ...["Chain, from the end back:", ...WhyLines.chain(style, why)],
]

const heading = (style: Style, { audit }: Examined): ReadonlyArray<string> => {
  const { taskId, reason, agent, range, goal, durationMs, timeline } = audit
  const where = timeline === "main" ? "" : ` on ${oneLine(timeline)}`
  return [
    `Task ${oneLine(taskId)}${where} by ${oneLine(agent)}, ${at(range.from)} to ${at(range.to)}: ${AuditPage.outcome(style, Outcome.of(audit))}${reason === undefined ? "" : `: ${shorten(oneLine(reason), 160)}`}`,
    `Goal: ${shorten(oneLine(goal), 200)}`,
    `${count(audit.acting.commanded, "command")}: ${audit.acting.succeeded} succeeded, ${audit.acting.failed} failed, ${audit.acting.denied} denied, ${audit.acting.unknown} unknown${durationMs === null ? "" : `, in ${duration(durationMs)}`}.`,
  ]
}

const lost = ({ lost }: Examined): ReadonlyArray<string> => {
  if (lost.length === 0) return ["Lost points: none on record."]
  const shown = lost
    .slice(0, MOST.lost)
    .map(
      ({ position, measure, name, amount }) =>
        `  ${position === null ? "" : `${at(position)} `}${number(amount)} ${oneLine(measure)}: ${oneLine(name)}`,
    )
  return ["Lost points:", ...shown, ...more(lost.length - shown.length)]
}

const suspects = (style: Style, examined: Examined): ReadonlyArray<string> => {
  const suspects = examined.suspects()
  if (suspects.length === 0) return ["Suspects: none. No command failed, and no results disagree."]
  const shown = suspects.slice(0, MOST.suspects).map(
    ({ at: position, kind, says }) =>
      // Trouble that has a type of its own begins with it.
      `  ${style.bold(at(position))} ${says.startsWith(`${kind}: `) ? "" : `${oneLine(kind)}: `}${shorten(oneLine(says), 320)}`,
  )
  return ["Suspects, likeliest first:", ...shown, ...more(suspects.length - shown.length)]
}

const more = (count: number): ReadonlyArray<string> => (count > 0 ? [`  … ${count} more`] : [])
