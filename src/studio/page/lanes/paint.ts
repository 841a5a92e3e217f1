/**
 * Paints the lanes of a course on a canvas: spans as bars, marks by kind, the net of its rewards, search hits. The playhead is an
 * element of its own.
 */
import { KINDS, type Kind } from "../../wire/Kind.ts"
import { extentOf } from "../parts/format.ts"
import { SHAPES } from "../parts/Mark.tsx"
import { BAR, type Bar } from "./Bars.ts"
import { offsetOf, roomOf } from "./Placing.ts"
import type { Tick } from "./Ruler.ts"

export interface Lane {
  readonly name: string
  readonly kinds: ReadonlyArray<Kind>
}

export const LANES: ReadonlyArray<Lane> = [
  { name: "readings", kinds: ["reading"] },
  { name: "world", kinds: ["world"] },
  { name: "decisions", kinds: ["decision", "message"] },
  { name: "model", kinds: ["model"] },
  { name: "commands", kinds: ["command"] },
  { name: "approvals", kinds: ["approval"] },
  { name: "other", kinds: ["task", "plugin", "other"] },
]

/** Heights in CSS pixels: of a lane, and of the line of the score. */
const LANE = 18
const NET = 44
export const RULER = 18

/** A lane at its place, in CSS pixels. */
export interface LaneRow extends Lane {
  readonly top: number
  readonly height: number
}

/** Lanes below each other, each as tall as its bars need. */
export const rowsOf = (
  lanes: ReadonlyArray<Lane>,
  levels: (lane: number) => number = () => 1,
): ReadonlyArray<LaneRow> => {
  let top = 0
  return lanes.map((lane, index) => {
    const height = Math.max(LANE, 4 + BAR * levels(index))
    top += height
    return { ...lane, top: top - height, height }
  })
}

const bottomOf = (lanes: ReadonlyArray<LaneRow>): number => {
  const last = lanes.at(-1)
  return last === undefined ? 0 : last.top + last.height
}

export const heightOf = (lanes: ReadonlyArray<LaneRow>, hasNet: boolean): number => bottomOf(lanes) + (hasNet ? NET : 1)

/** A mark on a lane, at a place from 0 to 1. */
export interface LaneMark {
  readonly place: number
  readonly kind: Kind
  readonly bad: boolean
  /** From 0 to 1, if the mark represents several events. */
  readonly weight: number
  /** The level of its bar; 0 without one. */
  readonly level?: number
}

export interface Painting {
  readonly width: number
  readonly height: number
  readonly lanes: ReadonlyArray<LaneRow>
  readonly marks: Iterable<LaneMark>
  readonly bars?: ReadonlyArray<Bar>
  readonly rewards: ReadonlyArray<{
    readonly place: number
    readonly kind: "reward" | "punishment"
    readonly net: number
  }>
  readonly folds: ReadonlyArray<number>
  readonly hits: ReadonlyArray<number>
  /** Texts below the lanes. Earlier ones win if two would overlap. */
  readonly ticks?: ReadonlyArray<Tick>
  /** The number of parts of the course, if marks stand for parts and are drawn as columns. */
  readonly columns?: number
}

export type Inks = { readonly [name in Kind | "line" | "ink" | "dim" | "accent"]: string }

export const inksOf = (element: Element): Inks => {
  const style = getComputedStyle(element)
  const ink = (name: string) => style.getPropertyValue(`--${name}`).trim() || "#888"
  return Object.fromEntries([...KINDS, "line", "ink", "dim", "accent"].map((name) => [name, ink(name)])) as Inks
}

const SIZE = 9

const paths = new Map<Kind, Path2D>()

const pathOf = (kind: Kind): Path2D => {
  const known = paths.get(kind) ?? new Path2D(SHAPES[kind])
  paths.set(kind, known)
  return known
}

export const paint = (
  context: CanvasRenderingContext2D,
  { width, height, lanes, marks, bars = [], rewards, folds, hits, ticks = [], columns }: Painting,
  inks: Inks,
): void => {
  const x = (place: number) => offsetOf(place, width)
  context.clearRect(0, 0, width, height)
  context.lineWidth = 1
  context.strokeStyle = inks.line
  const bottom = bottomOf(lanes)
  for (const top of [...lanes.map(({ top }) => top), bottom]) line(context, 0, top + 0.5, width, top + 0.5)
  context.setLineDash([2, 3])
  for (const place of folds) line(context, x(place), 0, x(place), bottom)
  context.setLineDash([])
  const laneOf = new Map(lanes.flatMap((lane) => lane.kinds.map((kind) => [kind, lane] as const)))
  for (const bar of bars) {
    const lane = laneOf.get(bar.kind)
    if (lane !== undefined && bar.to >= -0.001 && bar.from <= 1.001) paintBar(context, bar, lane, width, inks)
  }
  // Paint marks that would cover each other once.
  const painted = new Set<string>()
  for (const { place, kind, bad, weight, level = 0 } of marks) {
    if (place < -0.001 || place > 1.001) continue
    const lane = laneOf.get(kind)
    if (lane === undefined) continue
    const key = `${lane.top} ${level} ${Math.round(x(place))} ${bad}`
    if (painted.has(key)) continue
    painted.add(key)
    if (columns === undefined) mark(context, x(place), lane.top + LANE / 2 + level * BAR, kind, bad, weight, inks)
    else {
      const [wide, tall] = [Math.max(1, roomOf(width) / columns - 0.5), Math.max(2, weight * (lane.height - 4))]
      context.fillStyle = inks[kind]
      context.fillRect(x(place) - wide / 2, lane.top + lane.height - 1 - tall, wide, tall)
    }
  }
  net(
    context,
    rewards.map(({ place, ...rest }) => ({ ...rest, x: x(place) })),
    bottom,
    width,
    inks,
  )
  context.fillStyle = inks.accent
  for (const place of hits) context.fillRect(Math.round(x(place)) - 1, 0, 2, 5)
  ruler(
    context,
    ticks.map(({ place, text }) => ({ x: x(place), text })),
    width,
    height,
    inks,
  )
}

/** The width of a bar's fading end if nothing says when it ended, and of a character of its label, in CSS pixels. */
const FADE = 24
const CHARACTER = 5.6

/**
 * A bar whose duration is unknown has only an outline; one without an end fades. The wait before a call's work is
 * lighter than the work.
 */
const paintBar = (
  context: CanvasRenderingContext2D,
  { from, begun, to, level, kind, bad, end, label }: Bar,
  { top }: LaneRow,
  width: number,
  inks: Inks,
): void => {
  const left = Math.max(offsetOf(from, width), -SIZE)
  const right = Math.min(offsetOf(to, width), width + SIZE)
  const wide = Math.max(2, right - left, end === "open" ? FADE : 0)
  const y = top + 3 + level * BAR
  const tall = BAR - 2
  const ink = bad ? inks.punishment : inks[kind]
  context.save()
  if (end === "open") {
    const fading = context.createLinearGradient(left + wide - FADE, 0, left + wide, 0)
    fading.addColorStop(0, ink)
    fading.addColorStop(1, "transparent")
    context.fillStyle = fading
  } else context.fillStyle = ink
  if (end === "unknown") {
    context.strokeStyle = ink
    context.setLineDash([3, 2])
    context.strokeRect(left + 0.5, y + 0.5, wide - 1, tall - 1)
  } else {
    const waited = Math.min(wide, Math.max(0, offsetOf(begun, width) - left))
    context.globalAlpha = 0.1
    context.fillRect(left, y, waited, tall)
    context.globalAlpha = 0.22
    context.fillRect(left + waited, y, Math.max(wide - waited, 1), tall)
    context.globalAlpha = 1
    context.fillRect(left, y, 2, tall)
  }
  const room = Math.floor((wide - SIZE - 6) / CHARACTER)
  if (room >= 4) {
    context.fillStyle = inks.ink
    context.font = "10px system-ui, sans-serif"
    context.fillText(label.length > room ? `${label.slice(0, room - 1)}…` : label, left + SIZE, y + tall - 3)
  }
  context.restore()
}

const ruler = (
  context: CanvasRenderingContext2D,
  ticks: ReadonlyArray<{ readonly x: number; readonly text: string }>,
  width: number,
  height: number,
  inks: Inks,
): void => {
  const taken: Array<readonly [from: number, to: number]> = []
  context.font = "11px system-ui, sans-serif"
  context.fillStyle = inks.dim
  context.strokeStyle = inks.line
  for (const { x, text } of ticks) {
    // Measuring is slow, so skip ticks that certainly do not fit.
    if (x < 0 || x > width || taken.some(([a, b]) => x < b + 12 && x > a - 12)) continue
    const wide = context.measureText(text).width
    const from = Math.min(Math.max(0, x - wide / 2), width - wide)
    if (taken.some(([a, b]) => from < b + 12 && from + wide > a - 12)) continue
    taken.push([from, from + wide])
    line(context, Math.round(x) + 0.5, height - RULER, Math.round(x) + 0.5, height - RULER + 4)
    context.fillText(text, from, height - 4)
  }
}

const mark = (
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  kind: Kind,
  bad: boolean,
  weight: number,
  inks: Inks,
): void => {
  context.save()
  context.translate(x - SIZE / 2, y - SIZE / 2)
  context.scale(SIZE / 10, SIZE / 10)
  context.globalAlpha = 0.35 + 0.65 * weight
  context.fillStyle = bad ? inks.punishment : inks[kind]
  context.fill(pathOf(kind), "evenodd")
  if (bad) {
    context.strokeStyle = inks.ink
    context.globalAlpha = 1
    context.lineWidth = 1.4
    line(context, 0, 10, 10, 0)
  }
  context.restore()
}

const net = (
  context: CanvasRenderingContext2D,
  rewards: ReadonlyArray<{ readonly x: number; readonly kind: "reward" | "punishment"; readonly net: number }>,
  top: number,
  width: number,
  inks: Inks,
): void => {
  if (rewards.length === 0) return
  const nets = [0, ...rewards.map(({ net }) => net)]
  const [low, high] = extentOf(nets)
  const y = (value: number) => top + 7 + (1 - (value - low) / (high - low || 1)) * (NET - 14)
  context.strokeStyle = inks.line
  line(context, 0, Math.round(y(0)) + 0.5, width, Math.round(y(0)) + 0.5)
  context.strokeStyle = inks.dim
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(0, y(0))
  for (const [index, { x, net }] of rewards.entries()) {
    context.lineTo(x, y(nets[index] ?? 0))
    context.lineTo(x, y(net))
  }
  context.lineTo(width, y(nets.at(-1) ?? 0))
  context.stroke()
  for (const { x, kind, net } of rewards) mark(context, x, y(net), kind, false, 1, inks)
}

const line = (context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void => {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}
