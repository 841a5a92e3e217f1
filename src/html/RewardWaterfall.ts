/** The waterfall chart of rewards and punishments. */

import { scaleLinear } from "d3-scale"
import { type Markup, markup } from "../values/Markup.ts"
import * as Sum from "../values/Sum.ts"
import * as Chart from "./Chart.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"

/** One step of a waterfall; negative for a punishment. */
export interface Step {
  readonly name: string
  readonly amount: number
}

const MAX_STEPS = 10

const ROW = 38
const BAR = 12
/** The offset of a row's bar, below its label. */
const TOP = 18

/**
 * Rewards, then punishments, each bar beginning at the end of the previous one. The last bar, labelled with `left`, is
 * the total.
 */
export const chart = (id: string, title: string, steps: ReadonlyArray<Step>, left = "net score"): Markup => {
  const rows = [...largest(steps, 1, "reward"), ...largest(steps, -1, "punishment")]
  let net = 0
  const bars = rows.map(({ name, amount }): Bar => {
    const from = net
    net = Sum.round(from + amount)
    return { name, amount, from, to: net }
  })
  const text = FormattedNumbers.uniformFormatter([...rows.map(({ amount }) => amount), net])
  const ends = bars.map(({ to }) => to)
  const x = scaleLinear([Math.min(0, ...ends), Math.max(0, ...ends)], [2, Chart.WIDTH - 2])
  const height = (bars.length + 1) * ROW
  const description = `${bars.map(({ name, amount }) => `${name} ${text(amount)}`).join(", ")}; ${left} ${text(net)}.`
  const connectors = bars.map(
    ({ to }, index) => markup`<path class="quiet" d="M${Chart.round(x(to))} ${index * ROW + TOP + BAR}v${ROW - BAR}"/>`,
  )
  const all: ReadonlyArray<Bar> = [...bars, { name: left, amount: net, from: 0, to: net }]
  return Chart.svg(
    { id, title, description, height },
    markup`${connectors}${all.map((bar, index) => {
      const last = index === bars.length
      return row(
        x,
        index * ROW,
        bar,
        text(bar.amount),
        last ? { bar: "", text: "strong" } : KINDS[bar.amount < 0 ? 0 : 1],
      )
    })}`,
  )
}

interface Bar extends Step {
  readonly from: number
  readonly to: number
}

const KINDS = [
  { bar: "bad", text: "ink", value: "bad" },
  { bar: "good", text: "ink", value: "good" },
] as const

const row = (
  x: (value: number) => number,
  top: number,
  { name, from, to }: Bar,
  value: string,
  kind: { readonly bar: string; readonly text: string; readonly value?: string },
): Markup => {
  const room = Chart.WIDTH - Chart.widthOf(value) - 12
  const bar = { x: Math.min(x(from), x(to)), y: top + TOP, width: Math.abs(x(to) - x(from)), height: BAR }
  return markup`${Chart.fitted({ x: 0, y: top + 12, kind: kind.text }, name, room)}${Chart.label(
    { x: Chart.WIDTH, y: top + 12, anchor: "end", kind: `num ${kind.value ?? kind.text}` },
    value,
  )}${Chart.box(kind.bar, bar)}<path class="zero" d="M${Chart.round(x(0))} ${top + TOP - 2}v${BAR + 4}"/>`
}

/** The non-zero steps of one sign, largest first, with those beyond `MAX_STEPS` as one. */
const largest = (steps: ReadonlyArray<Step>, sign: 1 | -1, noun: string): ReadonlyArray<Step> => {
  const sorted = steps.filter(({ amount }) => amount * sign > 0).sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
  if (sorted.length <= MAX_STEPS) return sorted
  const rest = sorted.slice(MAX_STEPS - 1)
  const sum = rest.reduce((total, { amount }) => total + amount, 0)
  return [...sorted.slice(0, MAX_STEPS - 1), { name: `${rest.length} other ${noun}s`, amount: sum }]
}
