/** Formats score sets and the summary of their scores. */
import type { SetSummary, VerdictSummary } from "../../../projections/comparison/SetSummary.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, number, shorten } from "../../terminal/Text.ts"
import type { ScoreSetRow } from "./ScoreSetTable.ts"

export interface ShownScoreSet extends SetSummary {
  /** In order of their start. */
  readonly scoreSets: ReadonlyArray<ScoreSetRow>
}

const MAX_REASONS = 10
const REASON_LENGTH = 120

const BAR_LENGTH = 30

export const lines = (style: Style, shown: ShownScoreSet): ReadonlyArray<string> => [
  ...header(style, shown.scoreSets),
  ...summaryLines(style, shown),
]

export const summaryLines = (style: Style, summary: SetSummary): ReadonlyArray<string> => [
  ...distribution(style, summary),
  ...measures(style, summary),
  ...unscored(style, summary),
  ...extremes(style, summary),
]

const header = (style: Style, sets: ReadonlyArray<ScoreSetRow>): ReadonlyArray<string> => {
  const [first] = sets
  const last = sets.at(-1)
  if (first === undefined || last === undefined) return []
  const label = style.name(oneLine(first.label))
  const title =
    sets.length === 1
      ? `Score set ${label} ${style.dim(first.scoreSetId)}`
      : `${sets.length} score sets ${label}: for each task, the latest one counts`
  const distinct = (of: (set: ScoreSetRow) => string) => [...new Set(sets.map(of))].map(oneLine).join(", ")
  const unfinished = sets.filter(({ finished }) => !finished).length
  const pointers = sets.flatMap((set) => set.pointers)
  const stale = [...new Set(sets.flatMap((set) => set.stale))]
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["critic", distinct((set) => set.critic)],
    ...(sets.some(({ critic }) => isTimed(critic)) ? [["", style.warn(TIMED_NOTE)] as const] : []),
    ["rubric", distinct((set) => `${set.rubric} ${set.rubricDigest.slice(0, 8)}`)],
    [
      "read",
      `${at(Math.min(...sets.map(({ range }) => range.from)))} to ${at(Math.max(...sets.map(({ range }) => range.to)))}`,
    ],
    [
      "begun",
      `${sets.length === 1 ? at(first.startedAt) : `${at(first.startedAt)} to ${at(last.startedAt)}`} by ${distinct((set) => set.by)}`,
    ],
    ...(pointers.length === 0 ? [] : [["pointers", pointers.map(oneLine).join(", ")] as const]),
    ...(unfinished === 0 ? [] : [["unfinished", style.warn(unfinishedNote(sets, unfinished))] as const]),
    ...stale.map((reason, index) => [index === 0 ? "stale" : "", style.warn(oneLine(reason))] as const),
  ]
  return [title, ...Table.facts(style, facts)]
}

/** Whether a critic abandons rules that take too long. */
export const isTimed = (critic: string): boolean => critic.split("+").some((name) => name.startsWith("timed-rule@"))

export const TIMED_NOTE = "rules that take too long are abandoned: on a slower machine, more may be unscored"

const unfinishedNote = (sets: ReadonlyArray<ScoreSetRow>, unfinished: number): string => {
  // Returns cannot be resumed: they finish when their tasks close.
  if (sets.every(({ critic }) => critic === "environment")) return `${unfinished} of tasks that are not closed`
  return sets.length === 1
    ? CommandHints.inText(
        `running or interrupted: \`hindcast rescore --resume ${sets[0]?.scoreSetId.slice(-8)}\` resumes it`,
      )
    : `${unfinished} of them`
}

const distribution = (
  style: Style,
  { tasks, scored, net, earned, lost, histogram }: SetSummary,
): ReadonlyArray<string> => {
  if (net === null || earned === null || lost === null) return ["", `None of ${count(tasks, "task")} was scored yet.`]
  const most = Math.max(...histogram.map((bin) => bin.tasks))
  const bars = histogram.map((bin) => [
    style.dim(histogram.length === 1 ? `  ${number(bin.from)}` : `  ${number(bin.from)} to ${number(bin.to)}`),
    String(bin.tasks),
    "█".repeat(Math.ceil((bin.tasks / most) * BAR_LENGTH)),
  ])
  const spreads = (
    [
      ["net", net],
      ["earned", earned],
      ["lost", lost],
    ] as const
  ).map(([name, spread]) => [
    `  ${name}`,
    ...[spread.mean, spread.min, spread.p25, spread.median, spread.p75, spread.max].map(number),
  ])
  return [
    "",
    style.bold(scored === tasks ? count(tasks, "task") : `${scored} of ${count(tasks, "task")}`),
    ...Table.lines(style, ["", ...Table.right("mean", "least", "25 %", "median", "75 %", "most")], spreads),
    "",
    style.bold("Net value"),
    ...Table.rows(style, bars, ["left", "right", "left"]),
  ]
}

const measures = (style: Style, { measures }: SetSummary): ReadonlyArray<string> => {
  const row = (sign: string, verdict: VerdictSummary) => [
    `  ${sign} ${oneLine(verdict.name)}`,
    ...[verdict.weight, verdict.tasks, verdict.times].map(number),
    verdict.amount === 0 ? "0" : `${sign}${number(verdict.amount)}`,
  ]
  const rows = measures.flatMap(({ measure, rewards, punishments }) => [
    [style.name(oneLine(measure))],
    ...rewards.map((reward) => row("+", reward)),
    ...punishments.map((punishment) => row("−", punishment)),
  ])
  if (rows.length === 0) return []
  return ["", ...Table.lines(style, ["measure", ...Table.right("weight", "tasks", "times", "sum")], rows)]
}

const unscored = (style: Style, { unscored }: SetSummary): ReadonlyArray<string> => {
  if (unscored.length === 0) return []
  const more = unscored.length - MAX_REASONS
  return [
    "",
    style.bold("Not scored"),
    ...Table.rows(
      style,
      unscored
        .slice(0, MAX_REASONS)
        .map(({ measure, name, reason, tasks }) => [
          `  ${count(tasks, "task")}`,
          `${oneLine(measure)}, ${oneLine(name)}`,
          style.warn(shorten(oneLine(reason), REASON_LENGTH)),
        ]),
    ),
    ...(more > 0 ? [style.dim(`  and ${count(more, "other reason")}`)] : []),
  ]
}

const extremes = (style: Style, { best, worst }: SetSummary): ReadonlyArray<string> => {
  const rows = (tasks: SetSummary["best"]) =>
    Table.rows(
      style,
      tasks.map(({ taskId, net, unscored }) => [
        `  ${style.name(oneLine(taskId))}`,
        number(net),
        unscored === 0 ? "" : style.warn(`${count(unscored, "verdict")} not scored`),
      ]),
      ["left", "right", "left"],
    )
  return [
    ...(best.length === 0 ? [] : ["", style.bold("Best tasks"), ...rows(best)]),
    ...(worst.length === 0 ? [] : ["", style.bold("Worst tasks"), ...rows(worst)]),
  ]
}
