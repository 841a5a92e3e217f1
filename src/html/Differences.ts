/** The charts of a comparison: the differences of all pairs, and the balance of wins and losses. */

import { scaleLinear } from "d3-scale"
import type { Comparison } from "../projections/comparison/Comparison.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as Chart from "./Chart.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"

/** Maximum dots. Of more pairs it draws every n-th in order. */
const MAX_DOTS = 300

const FEW = 24

const TOP = 44
const BOTTOM = 36
const LEFT = 12
const RIGHT = Chart.WIDTH - 12

/** The sorted differences of all pairs, with the scale below and the mean with its interval above. */
export const chart = (comparison: Comparison): Markup => {
  const sorted = comparison.pairs.map(({ difference }) => difference).sort((a, b) => a - b)
  const every = Math.max(1, Math.ceil(sorted.length / MAX_DOTS))
  const shown = sorted.filter((_, index) => index % every === 0 || index === sorted.length - 1)
  const { interval, difference } = comparison
  const ends = [0, ...shown, interval?.low ?? 0, interval?.high ?? 0]
  const x = scaleLinear([Math.min(...ends), Math.max(...ends)], [LEFT, RIGHT])
  if (x.domain()[0] === x.domain()[1]) x.domain([-1, 1])
  x.nice(5)
  const height = Math.max(70, Math.min(220, shown.length * 9))
  const floor = TOP + height
  const y = scaleLinear([0, Math.max(1, shown.length - 1)], [floor - 6, TOP + 6])
  const text = comparison.value === "normalized" ? FormattedNumbers.percent : FormattedNumbers.amount
  const kindOf = (of: number) => (of > 0 ? "good" : of < 0 ? "bad" : "tied")
  const dots = (["good", "bad", "tied"] as const).map((kind) =>
    Chart.dots(
      shown.length <= FEW ? `${kind} few` : kind,
      shown.flatMap((of, index) => (kindOf(of) === kind ? [[x(of), y(index)] as const] : [])),
    ),
  )
  const ticks = x.ticks(5)
  const mean = difference ?? 0
  const description = `${sorted.length} pairs, from ${text(sorted[0] ?? 0)} to ${text(sorted.at(-1) ?? 0)}, mean ${text(mean)}${
    interval === null ? "" : `, interval ${text(interval.low)} to ${text(interval.high)}`
  }.`
  return Chart.svg(
    { id: "differences", title: "Differences of all pairs", description, height: floor + BOTTOM },
    markup`${ticks.map((tick) => markup`<path class="${tick === 0 ? "zero" : "grid"}" d="M${Chart.round(x(tick))} ${TOP - 22}V${floor}"/>`)}${ticks.map(
      (tick) => Chart.label(inChart(x(tick), text(tick), floor + 15), text(tick)),
    )}${Chart.label({ x: (LEFT + RIGHT) / 2, y: floor + 31, anchor: "middle" }, "difference of a task: B minus A")}${
      interval === null
        ? null
        : markup`<path class="whisker" d="M${Chart.round(x(interval.low))} ${TOP - 14}H${Chart.round(x(interval.high))}M${Chart.round(x(interval.low))} ${TOP - 19}v10M${Chart.round(x(interval.high))} ${TOP - 19}v10"/>`
    }<circle class="mean" cx="${Chart.round(x(mean))}" cy="${TOP - 14}" r="4.5"/>${Chart.label(
      inChart(x(mean), interval === null ? "mean" : "mean, 95 % interval", TOP - 28, "ink"),
      interval === null ? "mean" : "mean, 95 % interval",
    )}${dots}`,
  )
}

const inChart = (x: number, text: string, y: number, kind = "dim"): Chart.At => {
  const half = Chart.widthOf(text) / 2
  if (x + half > Chart.WIDTH) return { x: Chart.WIDTH, y, kind, anchor: "end" }
  return x - half < 0 ? { x: 0, y, kind } : { x, y, kind, anchor: "middle" }
}

/** One bar: the pairs in which B is higher, equal or lower. */
export const balance = ({ wins, ties, losses, pairs }: Comparison): Markup => {
  const parts = (
    [
      ["good", "B higher", wins],
      ["other", "equal", ties],
      ["bad", "B lower", losses],
    ] as const
  ).filter(([, , of]) => of > 0)
  let x = 0
  const boxes = parts.map(([kind, , of]) => {
    const width = (of / pairs.length) * Chart.WIDTH
    const drawn = Chart.box(kind, { x, y: 0, width: Math.max(1, width - 1.5), height: 16 })
    x += width
    return drawn
  })
  const description = parts.map(([, name, of]) => `${name} in ${FormattedNumbers.count(of)}`).join(", ")
  return markup`${Chart.legend(parts.map(([kind, name, of]) => [kind, `${name} in ${FormattedNumbers.count(of)}`] as const))}${Chart.svg(
    { id: "balance", title: "Pairs in which B is higher, equal, lower", description: `${description}.`, height: 18 },
    boxes,
  )}`
}
