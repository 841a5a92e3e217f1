/** Formats the trend of an agent's scores from task to task, as text and as Markdown. */
import { MIN_TASKS, type Series, type Trend } from "../../../projections/comparison/Trend.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { blocks, code, table } from "../../terminal/Markdown.ts"
import * as Sparkline from "../../terminal/Sparkline.ts"
import type { Style } from "../../terminal/Style.ts"
import { count, number, signed } from "../../terminal/Text.ts"

const CELLS = 64

const INDENT = "  "

export const lines = (style: Style, trend: Trend, width: number): ReadonlyArray<string> => [
  `Scores ${style.name(oneLine(trend.scores.name))}: ${oneLine(trend.measure ?? "all measures")}, ${VALUES[trend.value]}, from task to task`,
  ...trend.series.flatMap((series) => ["", ...seriesLines(style, series, Math.min(CELLS, width - 24))]),
  "",
  ...explanations(trend).map(style.dim),
]

const VALUES = { net: "net", normalized: "net / possible" } as const

const seriesLines = (style: Style, series: Series, cells: number): ReadonlyArray<string> => {
  const values = series.points.map(({ value }) => value)
  const range = Sparkline.rangeOf(values)
  const labelledLine = (heading: string, of: ReadonlyArray<number>) =>
    `${INDENT}${style.dim(heading.padEnd(8))}${Sparkline.line(of, cells, range)}`
  return [
    `${style.bold(oneLine(series.agent))}: ${colouredAnswer(style, series)}`,
    ...(values.length < 2
      ? []
      : [
          `${labelledLine("scores", values)} ${number(range[0])} to ${number(range[1])}`,
          labelledLine(
            "median",
            series.points.map(({ median }) => median),
          ),
        ]),
    ...details(series).map((line) => INDENT + line),
  ]
}

const colouredAnswer = (style: Style, series: Series): string => {
  const paint = { better: style.good, worse: style.bad, unclear: style.warn, descriptive: style.dim }[series.answer]
  return paint(answer(series))
}

const answer = ({ answer, points }: Series): string => {
  const [least, most] = Sparkline.rangeOf(points.map(({ value }) => value))
  switch (answer) {
    case "better":
      return "it is getting better"
    case "worse":
      return "it is getting worse"
    case "unclear":
      return least === most ? `no change: every task scored ${number(least)}` : "no trend beyond chance"
    case "descriptive":
      return points.length === 0 ? "not scored" : `descriptive only: under ${MIN_TASKS} scored tasks`
  }
}

const details = (series: Series): ReadonlyArray<string> => {
  const { tasks, scored, unscored, undecided, unfinished, first, last, tau, p, slope } = series
  return [
    `${count(tasks, "closed task")}, ${scored} scored` +
      (unscored > 0 ? `; ${unscored} unscored (left out, not counted as zero)` : "") +
      (undecided > 0 ? `; ${undecided} partly undecided` : "") +
      (unfinished > 0 ? `; ${unfinished} in a scoring that was not finished` : ""),
    ...(first === null || last === null
      ? []
      : [
          `The first third scored ${number(first.mean)} on average, the last third ${number(last.mean)}: ${change(last.mean - first.mean)}.`,
        ]),
    ...(p === null || tau === null
      ? []
      : [`Mann–Kendall: τ ${number(tau)}, ${pText(p.value)} (${p.method})${adjustedText(p.value, p.adjusted)}`]),
    ...(slope === null
      ? []
      : [
          `Theil–Sen: ${perTask(slope.perTask)} a task, 95 % interval ${perTask(slope.low)} to ${perTask(slope.high)}${
            p !== null && p.value < 0.05 && slope.low <= 0 && slope.high >= 0 ? TIES : ""
          }`,
        ]),
  ]
}

/** If p is below 0.05, an interval contains 0 only as its end: a slope of 0 orders tied pairs, which p leaves out. */
const TIES = ", which reaches 0 because pairs of tasks tie"

const change = (by: number): string =>
  number(Math.abs(by)) === "0" ? "the same" : `${number(Math.abs(by))} ${by > 0 ? "more" : "less"}`

const pText = (p: number): string => (p < 0.001 ? "p < 0.001" : `p = ${number(p)}`)

const adjustedText = (p: number, adjusted: number): string => (p === adjusted ? "" : `, ${pText(adjusted)} by Holm`)

/** A slope with two significant digits: with many tasks it is small. */
const perTask = (slope: number): string => `${slope > 0 ? "+" : ""}${signed(Number(slope.toPrecision(2)))}`

const explanations = ({ series }: Trend): ReadonlyArray<string> => [
  "p is the probability of an order at least this marked if the scores were in random order.",
  ...(series.filter(({ p }) => p !== null).length > 1
    ? ["Several agents were examined: Holm's p takes into account that one of them may stand out by chance."]
    : []),
  "Goals that get easier or harder from task to task look the same as an agent that gets better or worse.",
]

export const markdown = (trend: Trend): ReadonlyArray<string> =>
  blocks(
    [`# Trend of ${trend.measure === null ? "all measures" : code(trend.measure)}`],
    [`Scores ${code(trend.scores.name)}, ${VALUES[trend.value]}, from task to task.`],
    table(
      ["Agent", "Answer", "Basis"],
      trend.series.map((series) => [code(series.agent), `**${answer(series)}**`, details(series).join("<br>")]),
    ),
    explanations(trend).map((line) => `- ${line}`),
  )
