/** The charts of sensors over the tasks: latencies, and failed or skipped reads. */

import { scaleLinear } from "d3-scale"
import { area, line } from "d3-shape"
import type { SensorReport } from "../projections/report/Components.ts"
import type { Bin } from "../projections/report/Series.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as Chart from "./Chart.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"
import { taskTicks } from "./ScoresOverTime.ts"

const MAX_CHARTS = 12

const HEIGHT = 186
const FAILURES = 22

export const charts = (sensors: ReadonlyArray<SensorReport>, tasks: number): Markup => {
  const shown = sensors.slice(0, MAX_CHARTS)
  return markup`<div class="charts">${shown.map((sensor, index) => sensorChart(sensor, tasks, `sensor-${index}`))}</div>${
    sensors.length > shown.length
      ? markup`<p class="note">${FormattedNumbers.counted(sensors.length - shown.length, "sensor")} with fewer reads are in the table only.</p>`
      : null
  }`
}

const sensorChart = (sensor: SensorReport, tasks: number, id: string): Markup => {
  const { left, right, top, bottom } = Chart.MARGIN
  const floor = HEIGHT - bottom - FAILURES
  const x = scaleLinear([0, Math.max(1, tasks - 1)], [left, Chart.WIDTH - right])
  const highest = Math.max(...sensor.latencies.map(({ p90, mean }) => Math.max(p90, mean)), 0.001)
  const y = scaleLinear([0, highest], [floor, top]).nice(3)
  const frame = {
    x: x.copy().range([left, Chart.WIDTH - right]),
    y: y.copy(),
    xTicks: [],
    yTicks: y.ticks(3),
    xText: String,
    yText: (ms: number) => (ms === 0 ? "0" : FormattedNumbers.duration(ms)),
    xTitle: "",
    yTitle: "time to answer, a task's median",
  }
  const ticks = Chart.axes({
    ...frame,
    y: scaleLinear([0, 1], [HEIGHT - bottom, HEIGHT - bottom]),
    xTicks: taskTicks(tasks),
    yTicks: [],
    xText: (task) => FormattedNumbers.count(task + 1),
    xTitle: "task, numbered as they ended",
    yTitle: "",
  })
  const { reads, failures, skipped, latencyMs, longestMs } = sensor
  const description = `${FormattedNumbers.counted(reads, "read")}, ${FormattedNumbers.count(failures)} failed, ${FormattedNumbers.count(skipped)} skipped${
    latencyMs === null || longestMs === null
      ? ""
      : `; typically ${FormattedNumbers.duration(latencyMs.median)}, at most ${FormattedNumbers.duration(longestMs)}`
  }.`
  const body = markup`${Chart.axes(frame)}${latencies(sensor.latencies, x, y)}${missing(sensor, x, tasks, floor + FAILURES)}${ticks}`
  return markup`<figure><h3><bdi>${sensor.sensor}</bdi></h3><p class="note">${description}</p>${Chart.svg(
    { id, title: `Sensor ${sensor.sensor}`, description, height: HEIGHT },
    body,
  )}</figure>`
}

type Scale = ReturnType<typeof scaleLinear<number, number>>

const latencies = (bins: ReadonlyArray<Bin>, x: Scale, y: Scale): Markup => {
  const middle = ({ from, to }: Bin) => x((from + to) / 2)
  if (bins.length < 2) {
    return Chart.dots(
      "",
      bins.map((bin) => [middle(bin), y(bin.median)]),
    )
  }
  const band = area<Bin>()
    .x(middle)
    .y0(({ p10 }) => y(p10))
    .y1(({ p90 }) => y(p90))
  const median = line<Bin>(middle, (bin) => y(bin.median))
  band.digits(1)
  median.digits(1)
  return markup`<path class="band" d="${band([...bins]) ?? ""}"/><path class="thin" d="${median([...bins]) ?? ""}"/>`
}

/** The share of reads that failed or were skipped. */
const missing = ({ missing }: SensorReport, x: Scale, tasks: number, bottom: number): Markup => {
  const [from = 0, to = 0] = x.range()
  const room = FAILURES - 8
  const bars = missing.flatMap((bin) => {
    if (bin.mean === 0) return []
    const left = x(Math.max(0, bin.from - 0.5))
    const right = x(Math.min(Math.max(1, tasks - 1), bin.to + 0.5))
    const height = Math.max(2, bin.mean * room)
    return [Chart.box("bad", { x: left, y: bottom - height, width: Math.max(1.5, right - left - 0.5), height })]
  })
  return markup`<path class="grid" d="M${from} ${bottom}H${to}"/>${bars}${Chart.label({ x: from - 5, y: bottom - 2, anchor: "end" }, "missed")}`
}
