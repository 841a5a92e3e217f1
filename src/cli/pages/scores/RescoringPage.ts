/** Formats the plan and the result of a re-scoring. */
import type { RescorePlan } from "../../../kernel/scoring/Scoring.ts"
import type { SetSummary } from "../../../projections/comparison/SetSummary.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { quoteWord } from "../../../values/ShellWord.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count } from "../../terminal/Text.ts"
import * as ScoreSetPage from "./ScoreSetPage.ts"

export const planLines = (style: Style, plan: RescorePlan): ReadonlyArray<string> => {
  const { label, taskIds, events, verdicts, rules, functions, models, modelCalls, critic, range } = plan
  const undecided = verdicts - rules - functions - models
  const deciding = [
    count(rules, "rule"),
    ...(functions === 0 ? [] : [`${functions} by plugins' functions`]),
    ...(models === 0 ? [] : [`${models} by a model`]),
  ]
  const facts: Table.Facts = [
    ["tasks", String(taskIds.length)],
    ["events", `${events.toLocaleString("en")} to read, up to ${at(range.to)}`],
    ["of each task", `${count(verdicts, "verdict")}, by ${deciding.join(", ")}`],
    ...(modelCalls === 0 ? [] : [["", `${count(modelCalls, "question")} to a model in all`] as const]),
    ...(undecided === 0 ? [] : [["", style.warn(`${undecided} that no critic can decide: left unscored`)] as const]),
    ["critic", oneLine(critic)],
    ...(ScoreSetPage.isTimed(critic) ? [["", style.warn(ScoreSetPage.TIMED_NOTE)] as const] : []),
  ]
  return [
    `A score set ${style.name(oneLine(label))} would be created; nothing was scored or recorded.`,
    ...Table.facts(style, facts),
  ]
}

export interface Rescored {
  readonly scoreSetId: string
  readonly label: string
  readonly summary: SetSummary
  /** The score set to compare with: `live`, else the previous one, for imported tasks. Undefined for the first. */
  readonly against: string | undefined
}

export const lines = (style: Style, { scoreSetId, label, summary, against }: Rescored): ReadonlyArray<string> => [
  `Score set ${style.name(oneLine(label))} ${style.dim(scoreSetId)}: ${count(summary.tasks, "task")}`,
  ...ScoreSetPage.summaryLines(style, summary),
  ...(against === undefined
    ? []
    : [
        "",
        style.dim(
          CommandHints.inText(
            `\`hindcast compare ${quoteWord(against)} ${scoreSetId.slice(-8)}\` compares it with what the tasks scored ${against === "live" ? "when they were closed" : "before"}.`,
          ),
        ),
      ]),
]
