/** The histogram of the time that people took to decide confirmations. */

import { scaleLinear, scaleLog } from "d3-scale"
import type { WaitReport } from "../projections/report/ConfirmationWaitTimes.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as Chart from "./Chart.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"

const HEIGHT = 210

/** Candidate ticks: round durations. */
const TICKS = [...[1, 10, 100, 1_000, 10_000, 60_000, 600_000], ...[3_600_000, 36_000_000, 86_400_000, 864_000_000]]

/** Decisions by waiting time, on a logarithmic scale. */
export const chart = (id: string, waits: WaitReport): Markup => {
  const { left, right, top, bottom } = Chart.MARGIN
  const first = Math.max(1, waits.bins[0]?.fromMs ?? 1)
  const last = waits.bins.at(-1)?.toMs ?? 10
  // A margin: a single bin would fill the whole chart.
  const [from, to] = [Math.max(1, first / 2), last * 2]
  const x = scaleLog([from, to], [left, Chart.WIDTH - right])
  const most = Math.max(1, ...waits.bins.map(({ approved, rejected }) => approved + rejected))
  const y = scaleLinear([0, most], [HEIGHT - bottom, top]).nice(4)
  const bars = waits.bins.map(({ fromMs, toMs, approved, rejected }) => {
    const at = x(Math.max(from, fromMs)) + 0.75
    const width = x(toMs) - at - 0.75
    const high = (count: number) => y(0) - y(count)
    return markup`${approved > 0 ? Chart.box("good", { x: at, y: y(approved), width, height: high(approved) }) : null}${
      rejected > 0 ? Chart.box("bad", { x: at, y: y(approved + rejected), width, height: high(rejected) }) : null
    }`
  })
  const median = waits.waitMs?.median
  const { approved, rejected, expired, withdrawn } = waits
  const about = {
    id,
    height: HEIGHT,
    title: "How long people took to decide",
    description: `${FormattedNumbers.count(approved)} approved, ${FormattedNumbers.count(rejected)} rejected, ${FormattedNumbers.count(expired)} expired, ${FormattedNumbers.count(withdrawn)} withdrawn${
      median === undefined ? "" : `; half of the decisions took less than ${FormattedNumbers.duration(median)}`
    }.`,
  }
  const axes = Chart.axes({
    x,
    y,
    xTicks: TICKS.filter((tick) => tick >= from && tick <= to),
    yTicks: y.ticks(4).filter(Number.isInteger),
    xText: FormattedNumbers.duration,
    yText: FormattedNumbers.count,
    xTitle: "time from question to answer (logarithmic)",
    yTitle: "decisions",
  })
  const rule =
    median === undefined
      ? null
      : markup`<path class="rule" d="M${Chart.round(x(Math.max(from, median)))} ${top}V${HEIGHT - bottom}"/>${medianLabel(x(Math.max(from, median)), median)}`
  return markup`${Chart.legend([
    ["good", `approved (${FormattedNumbers.count(approved)})`],
    ["bad", `rejected (${FormattedNumbers.count(rejected)})`],
  ])}${Chart.svg(about, markup`${axes}${bars}${rule}`)}`
}

/** Placed above the plot, on the side with room. */
const medianLabel = (x: number, median: number): Markup => {
  const text = `median ${FormattedNumbers.duration(median)}`
  const half = Chart.widthOf(text) / 2
  const free = Chart.widthOf("decisions") + 8
  const y = Chart.MARGIN.top - 10
  if (x + half > Chart.WIDTH) return Chart.label({ x: Chart.WIDTH, y, anchor: "end", kind: "ink" }, text)
  return Chart.label({ x: Math.max(x, free + half), y, anchor: "middle", kind: "ink" }, text)
}
