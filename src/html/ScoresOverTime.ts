/** The charts of scores over the tasks, one per agent. */

import { scaleLinear } from "d3-scale"
import { area, curveMonotoneX, line } from "d3-shape"
import type { AgentReport } from "../projections/report/Agents.ts"
import type { LogReport } from "../projections/report/LogReport.ts"
import { type Bin, type Point, trend } from "../projections/report/Series.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as Chart from "./Chart.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"

const MAX_CHARTS = 12

const FEW = 30

/** Minimum tasks of a bin with a spread. */
const MIN_SPREAD = 5

/** Minimum scored tasks of an agent with a trend. */
const MIN_TREND = 8

/** Draws a chart per agent, all to the same scale, with the other agents' trends behind. */
export const charts = (report: LogReport): Markup => {
  const agents = report.agents.filter(({ score }) => score !== null)
  const shown = agents.slice(0, MAX_CHARTS)
  const range = scoreRange(shown)
  return markup`<div class="charts">${shown.map((agent, index) => {
    const others = shown.filter((other) => other !== agent)
    return agentChart(report, agent, others, range, `course-${index}`)
  })}</div>${
    agents.length > shown.length
      ? markup`<p class="note">${FormattedNumbers.counted(agents.length - shown.length, "agent")} with fewer tasks have no chart; they are in the table.</p>`
      : null
  }`
}

export const scoreText = (unit: LogReport["unit"]) =>
  unit === "share" ? FormattedNumbers.percent : FormattedNumbers.amount

/** The axis title of the scores, with their unit. */
export const scoreTitle = (unit: LogReport["unit"]): string =>
  unit === "share" ? "net score, as a share of what was possible" : "net score, in the rubric's units"

const HEIGHT = 196

const agentChart = (
  report: LogReport,
  agent: AgentReport,
  others: ReadonlyArray<AgentReport>,
  range: readonly [number, number],
  id: string,
): Markup => {
  const { left, right, top, bottom } = Chart.MARGIN
  const x = scaleLinear([0, Math.max(1, report.tasks - 1)], [left, Chart.WIDTH - right])
  const y = scaleLinear(range, [HEIGHT - bottom, top]).nice(4)
  const text = scoreText(report.unit)
  const trendOf = ({ bins, score }: AgentReport) => ((score?.count ?? 0) < MIN_TREND ? [] : trend(bins))
  const draw = line<Point>(
    ({ task }) => x(task),
    ({ value }) => y(value),
  ).curve(curveMonotoneX)
  draw.digits(1)
  const path = (kind: string, points: ReadonlyArray<Point>) =>
    points.length < 2 ? markup`` : markup`<path class="${kind}" d="${draw([...points]) ?? ""}"/>`
  const body = markup`${Chart.axes({
    x,
    y,
    xTicks: taskTicks(report.tasks),
    yTicks: y.ticks(4),
    xText: (task) => FormattedNumbers.count(task + 1),
    yText: text,
    xTitle: "task, numbered as they ended",
    yTitle: scoreTitle(report.unit),
  })}${others.map((other) => path("quiet", trendOf(other)))}${marks(agent, x, y)}${path("line", trendOf(agent))}`
  const about = {
    id,
    height: HEIGHT,
    title: `Scores of ${agent.agent}`,
    description: `${tasksOf(agent)}, mean ${agent.score === null ? "none" : text(agent.score.mean)}${
      agent.early === null || agent.late === null
        ? ""
        : `; first third ${text(agent.early)}, last third ${text(agent.late)}`
    }.`,
  }
  return markup`<figure><h3><bdi>${agent.agent}</bdi></h3><p class="note">${about.description}</p>${Chart.svg(about, body)}</figure>`
}

/** The number of tasks, and of scored ones if not all are. */
const tasksOf = ({ tasks, score }: AgentReport): string => {
  const all = FormattedNumbers.counted(tasks, "task")
  return score === null || score.count === tasks ? all : `${FormattedNumbers.count(score.count)} of ${all} scored`
}

/** Draws every score if there are few, otherwise bands. */
const marks = ({ points, bins }: AgentReport, x: Scale, y: Scale): Markup => {
  if (points !== null) {
    return Chart.dots(
      points.length <= FEW ? "few" : "",
      points.map(({ task, value }) => [x(task), y(value)]),
    )
  }
  const full = bins.filter(({ count }) => count >= MIN_SPREAD)
  if (full.length < 2 || full.length * 2 < bins.length) {
    return Chart.dots(
      "",
      bins.map(({ from, to, mean }) => [x((from + to) / 2), y(mean)]),
    )
  }
  const band = (low: (bin: Bin) => number, high: (bin: Bin) => number) => {
    const draw = area<Bin>()
      .x(({ from, to }) => x((from + to) / 2))
      .y0((bin) => y(low(bin)))
      .y1((bin) => y(high(bin)))
    draw.digits(1)
    return markup`<path class="band" d="${draw([...full]) ?? ""}"/>`
  }
  return markup`${band(
    ({ p10 }) => p10,
    ({ p90 }) => p90,
  )}${band(
    ({ p25 }) => p25,
    ({ p75 }) => p75,
  )}`
}

type Scale = ReturnType<typeof scaleLinear<number, number>>

/** The range of the drawn scores, including zero. */
const scoreRange = (agents: ReadonlyArray<AgentReport>): readonly [number, number] => {
  let [low, high] = [0, 0]
  for (const { points, bins } of agents) {
    const lows = points?.map(({ value }) => value) ?? bins.map(({ p10, mean }) => Math.min(p10, mean))
    const highs = points?.map(({ value }) => value) ?? bins.map(({ p90, mean }) => Math.max(p90, mean))
    for (const value of lows) low = Math.min(low, value)
    for (const value of highs) high = Math.max(high, value)
  }
  return low === high ? [low, low + 1] : [low, high]
}

/** Ticks at round numbers of tasks, counted from 1. */
export const taskTicks = (tasks: number): ReadonlyArray<number> => {
  if (tasks <= 6) return Array.from({ length: tasks }, (_, task) => task)
  const round = scaleLinear([1, tasks], [0, 1])
    .ticks(4)
    .filter((tick) => Number.isInteger(tick) && tick > 1)
  return [0, ...round.map((tick) => tick - 1)]
}
