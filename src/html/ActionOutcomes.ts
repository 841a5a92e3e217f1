/** The bar chart of commands by actuator and outcome. */

import type { ActuatorReport } from "../projections/report/Components.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as Chart from "./Chart.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"

/** Outcomes of a command: counter, CSS class, and legend. */
export const ENDINGS = [
  ["succeeded", "good", "succeeded"],
  ["failed", "bad", "failed"],
  ["denied", "denied", "denied before execution"],
  ["expired", "expired", "nobody confirmed in time"],
  ["unknown", "unknown", "outcome unknown"],
] as const

type Counts = Pick<ActuatorReport, "actuator" | "commanded" | (typeof ENDINGS)[number][0]>

const MAX_BARS = 16

const ROW = 36
const BAR = 13

/** Draws one bar per actuator, divided by outcome, all of the same length. */
export const chart = (id: string, actuators: ReadonlyArray<Counts>): Markup => {
  const rows = actuators.filter(({ commanded }) => commanded > 0)
  const shown = rows.slice(0, MAX_BARS)
  const used = ENDINGS.filter(([ending]) => shown.some((actuator) => actuator[ending] > 0))
  const open = shown.some((actuator) => openOf(actuator) > 0)
  const about = {
    id,
    title: "Outcomes of the commands",
    description: `${shown.map((row) => `${row.actuator}: ${FormattedNumbers.partOf(row.succeeded, row.commanded)} succeeded`).join("; ")}.`,
    height: shown.length * ROW,
  }
  return markup`${Chart.legend([
    ...used.map(([, kind, text]) => [kind, text] as const),
    ...(open ? [["track", "not ended yet"] as const] : []),
  ])}${Chart.svg(about, shown.map(bar))}${
    rows.length > shown.length
      ? markup`<p class="note">${FormattedNumbers.counted(rows.length - shown.length, "actuator")} with fewer commands are in the table only.</p>`
      : null
  }`
}

const openOf = ({ commanded, succeeded, failed, denied, expired, unknown }: Counts): number =>
  Math.max(0, commanded - succeeded - failed - denied - expired - unknown)

const GAP = 1.5

const bar = (counts: Counts, index: number): Markup => {
  const top = index * ROW
  const { actuator, commanded, succeeded } = counts
  const text = `${FormattedNumbers.percent(succeeded / commanded)} of ${FormattedNumbers.count(commanded)} succeeded`
  const parts = ENDINGS.flatMap(([ending, kind]) => (counts[ending] > 0 ? [{ kind, of: counts[ending] }] : []))
  const free = Chart.WIDTH - GAP * Math.max(0, parts.length - 1)
  let x = 0
  const boxes = parts.map(({ kind, of }) => {
    const width = Math.max(1.5, (of / commanded) * free)
    const drawn = Chart.box(kind, { x, y: top + 17, width: Math.min(width, Chart.WIDTH - x), height: BAR })
    x += width + GAP
    return drawn
  })
  const rest = openOf(counts) > 0 ? Chart.box("track", { x, y: top + 17, width: Chart.WIDTH - x, height: BAR }) : null
  return markup`${Chart.fitted({ x: 0, y: top + 12, kind: "ink" }, actuator, Chart.WIDTH - Chart.widthOf(text) - 10)}${Chart.label(
    { x: Chart.WIDTH, y: top + 12, anchor: "end" },
    text,
  )}${boxes}${rest}`
}
