/** The charts of one task: timeline, net score, and numbers in readings. */

import { scaleLinear } from "d3-scale"
import { curveStepAfter, line } from "d3-shape"
import type { Trace } from "../projections/report/Readings.ts"
import type { CommandEnding, ComponentLane, Mark, TaskReport } from "../projections/report/TaskReport.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as Chart from "./Chart.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"

const LANES: ReadonlyArray<readonly [lane: ComponentLane, name: string]> = [
  ["sensed", "sensed"],
  ["decided", "decided"],
  ["asked", "asked"],
  ["acted", "acted"],
  ["changed", "changed"],
]

const KINDS: Readonly<Record<CommandEnding, string>> = {
  succeeded: "good",
  approved: "good",
  failed: "bad",
  rejected: "bad",
  denied: "denied",
  expired: "expired",
  withdrawn: "expired",
  unknown: "unknown",
}

const LEFT = 62
const RIGHT = Chart.WIDTH - 10
const ROW = 24
const TIME = 46

/** Draws a row per lane, the verdicts, and the elapsed time below. */
export const timeline = (report: TaskReport): Markup => {
  const x = eventScale(report, LEFT)
  const used = LANES.filter(([lane]) => report.lanes[lane].length > 0)
  const rewards = used.length * ROW
  const floor = rewards + ROW + 12 + TIME
  const lanes = used.map(([lane, name], row) => {
    const middle = row * ROW + ROW / 2
    return markup`${Chart.label({ x: LEFT - 8, y: middle + 4, anchor: "end" }, name)}<path class="grid" d="M${LEFT} ${middle}H${RIGHT}"/>${ticks(report.lanes[lane], x, middle)}`
  })
  const description = used
    .map(([lane, name]) => `${name} ${FormattedNumbers.count(report.lanes[lane].length)} ×`)
    .join(", ")
  return Chart.svg(
    { id: "timeline", title: "What happened, event by event", description: `${description}.`, height: floor + 36 },
    markup`${lanes}${verdictMarks(report, x, rewards + ROW / 2)}${elapsedTime(report, x, floor)}${positions(report, x, floor)}`,
  )
}

/** The legend of the timeline, with the colours that occur. */
export const colours = ({ lanes, evidence }: TaskReport): Markup => {
  const endings = new Set(Object.values(lanes).flatMap((marks) => marks.map(({ ending }) => ending)))
  const entries = [
    ["good", "succeeded, approved, reward", ["succeeded", "approved"], evidence.some(({ amount }) => amount > 0)],
    ["bad", "failed, rejected, punishment", ["failed", "rejected"], evidence.some(({ amount }) => amount < 0)],
    ["denied", "denied", ["denied"], false],
    ["expired", "expired, withdrawn", ["expired", "withdrawn"], false],
    ["unknown", "outcome unknown", ["unknown"], false],
  ] as const
  return Chart.legend(
    entries
      .filter(([, , of, verdictMarks]) => verdictMarks || of.some((ending) => endings.has(ending)))
      .map(([kind, text]) => [kind, text] as const),
  )
}

/** Spaces events equally, regardless of the time between them. */
const eventScale = ({ positions }: TaskReport, left: number) =>
  scaleLinear([0, Math.max(1, positions.length - 1)], [left, RIGHT])

type Scale = ReturnType<typeof eventScale>

/** One path per colour, without duplicates. */
const ticks = (marks: ReadonlyArray<Mark>, x: Scale, middle: number): ReadonlyArray<Markup> => {
  const paths = new Map<string, Set<string>>()
  for (const { from, to, ending } of marks) {
    const kind = ending === null ? "" : KINDS[ending]
    const drawn = paths.get(kind) ?? new Set()
    paths.set(kind, drawn)
    const start = Chart.round(x(from))
    drawn.add(`M${start} ${middle - 6}v12`)
    if (Chart.round(x(to)) > start) drawn.add(`M${start} ${middle}H${Chart.round(x(to))}`)
  }
  return [...paths].map(([kind, drawn]) => markup`<path class="mark ${kind}" d="${[...drawn].join("")}"/>`)
}

/** Rewards upwards, punishments downwards, at the events that they cite. */
const verdictMarks = ({ evidence }: TaskReport, x: Scale, middle: number): Markup => {
  const path = (kind: string, sign: 1 | -1) => {
    const drawn = new Set(
      evidence
        .filter(({ amount }) => amount * sign > 0)
        .map(({ index }) => `M${Chart.round(x(index))} ${middle}v${-9 * sign}`),
    )
    return drawn.size === 0 ? null : markup`<path class="mark ${kind}" d="${[...drawn].join("")}"/>`
  }
  return markup`${Chart.label({ x: LEFT - 8, y: middle + 4, anchor: "end" }, "scored")}<path class="grid" d="M${LEFT} ${middle}H${RIGHT}"/>${path("good", 1)}${path("bad", -1)}`
}

const elapsedTime = ({ elapsedMs }: TaskReport, x: Scale, floor: number): Markup => {
  const longest = elapsedMs.at(-1) ?? 0
  const y = scaleLinear([0, Math.max(1, longest)], [floor, floor - TIME])
  const points = downsample(elapsedMs.map((ms, index) => [index, ms] as const))
  return markup`${Chart.label({ x: LEFT - 8, y: floor - TIME + 8, anchor: "end" }, FormattedNumbers.duration(longest))}${Chart.label({ x: LEFT - 8, y: floor, anchor: "end" }, "time 0")}<path class="grid" d="M${LEFT} ${floor - TIME}H${RIGHT}M${LEFT} ${floor}H${RIGHT}"/>${stepLine("thin", points, x, y)}`
}

const MAX_POINTS = 400

const downsample = (points: ReadonlyArray<readonly [number, number]>): ReadonlyArray<readonly [number, number]> => {
  const every = Math.ceil(points.length / MAX_POINTS)
  return points.filter((_, index) => index % every === 0 || index === points.length - 1)
}

const stepLine = (
  kind: string,
  points: ReadonlyArray<readonly [number, number]>,
  x: (value: number) => number,
  y: (value: number) => number,
): Markup => {
  const draw = line<readonly [number, number]>(
    ([index]) => x(index),
    ([, value]) => y(value),
  ).curve(curveStepAfter)
  draw.digits(1)
  return markup`<path class="${kind}" d="${draw([...points]) ?? ""}"/>`
}

const positions = ({ positions }: TaskReport, x: Scale, floor: number): Markup => {
  const last = positions.length - 1
  const shown = [...new Set([0, Math.round(last / 3), Math.round((2 * last) / 3), last])]
  return markup`${shown.map((index) => {
    const at = x(index)
    const anchor = index === last && last > 0 ? "end" : index === 0 ? "start" : "middle"
    return markup`<path class="tick" d="M${Chart.round(at)} ${floor}v4"/>${Chart.label({ x: at, y: floor + 16, anchor }, `@${positions[index] ?? ""}`)}`
  })}${Chart.label({ x: (LEFT + RIGHT) / 2, y: floor + 31, anchor: "middle" }, "event, by its position in the log")}`
}

const HEIGHT = 170

export const netScore = (report: TaskReport): Markup => {
  let net = 0
  const points: Array<readonly [number, number]> = [[0, 0]]
  for (const { index, amount } of report.evidence) {
    net += amount
    points.push([index, net])
  }
  points.push([Math.max(1, report.positions.length - 1), net])
  const description = `From 0 to ${FormattedNumbers.amount(net)} in ${FormattedNumbers.counted(report.evidence.length, "verdict")}.`
  return stepChart(report, "course", "Net score over time", description, points, "net score")
}

export const traces = (report: TaskReport): ReadonlyArray<Markup> =>
  report.traces.map((trace, index) => {
    const title = nameOf(trace)
    const values = trace.points.map(([, value]) => value)
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const description = `From ${FormattedNumbers.amount(values[0] ?? 0)} to ${FormattedNumbers.amount(values.at(-1) ?? 0)}; lowest ${FormattedNumbers.amount(low)}, highest ${FormattedNumbers.amount(high)}.`
    const last = Math.max(1, report.positions.length - 1)
    const points = [...trace.points, [last, values.at(-1) ?? 0] as const]
    return markup`<figure><h3><bdi>${title}</bdi></h3><p class="note">${description}</p>${stepChart(report, `trace-${index}`, title, description, points, trace.path || "reading")}</figure>`
  })

const nameOf = ({ sensor, path }: Trace): string => (path === "" ? sensor : `${sensor}: ${path}`)

const stepChart = (
  report: TaskReport,
  id: string,
  title: string,
  description: string,
  points: ReadonlyArray<readonly [number, number]>,
  unit: string,
): Markup => {
  const { left, top, bottom } = Chart.MARGIN
  const x = eventScale(report, left)
  const values = points.map(([, value]) => value)
  const [low, high] = [values.reduce((a, b) => Math.min(a, b), 0), values.reduce((a, b) => Math.max(a, b), 0)]
  const y = scaleLinear([low, low === high ? low + 1 : high], [HEIGHT - bottom, top]).nice(3)
  const axes = Chart.axes({
    x,
    y,
    xTicks: [],
    yTicks: y.ticks(3),
    xText: String,
    yText: FormattedNumbers.amount,
    xTitle: "",
    yTitle: Chart.shortened(unit, Chart.WIDTH - 20),
  })
  return Chart.svg(
    { id, title, description, height: HEIGHT },
    markup`${axes}${stepLine("line", downsample(points), x, y)}${positions(report, x, HEIGHT - bottom)}`,
  )
}
