/**
 * Paints the lanes of a course on a canvas: marks by kind, the net of its rewards, search hits. The playhead is an
 * element of its own.
 */
import { KINDS, type Kind } from "../../wire/Kind.ts"
import { extentOf } from "../parts/format.ts"
import { SHAPES } from "../parts/Mark.tsx"
import { offsetOf, roomOf } from "./Placing.ts"
import type { Tick } from "./Ruler.ts"

export interface Lane {
  readonly name: string
  readonly kinds: ReadonlyArray<Kind>
}

export const LANES: ReadonlyArray<Lane> = [
  { name: "readings", kinds: ["reading"] },
  { name: "world", kinds: ["world"] },
  { name: "decisions", kinds: ["decision", "model", "message"] },
  { name: "commands", kinds: ["command"] },
  { name: "approvals", kinds: ["approval"] },
  { name: "other", kinds: ["task", "plugin", "other"] },
]

/** Heights in CSS pixels. */
export const LANE = 18
const NET = 44
export const RULER = 18

export const heightOf = (hasNet: boolean): number => LANES.length * LANE + (hasNet ? NET : 1)

/** A mark on a lane, at a place from 0 to 1. */
export interface LaneMark {
  readonly place: number
  readonly kind: Kind
  readonly bad: boolean
  /** From 0 to 1, if the mark stands for several events. */
  readonly weight: number
}

export interface Painting {
  readonly width: number
  readonly height: number
  readonly marks: Iterable<LaneMark>
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
  { width, height, marks, rewards, folds, hits, ticks = [], columns }: Painting,
  inks: Inks,
): void => {
  const x = (place: number) => offsetOf(place, width)
  context.clearRect(0, 0, width, height)
  context.lineWidth = 1
  context.strokeStyle = inks.line
  for (let lane = 0; lane <= LANES.length; lane++) line(context, 0, lane * LANE + 0.5, width, lane * LANE + 0.5)
  context.setLineDash([2, 3])
  for (const place of folds) line(context, x(place), 0, x(place), LANES.length * LANE)
  context.setLineDash([])
  const laneOf = new Map(LANES.flatMap(({ kinds }, index) => kinds.map((kind) => [kind, index] as const)))
  // Paint marks that would cover each other once.
  const painted = new Set<string>()
  for (const { place, kind, bad, weight } of marks) {
    if (place < -0.001 || place > 1.001) continue
    const lane = laneOf.get(kind)
    if (lane === undefined) continue
    const key = `${lane} ${Math.round(x(place))} ${bad}`
    if (painted.has(key)) continue
    painted.add(key)
    if (columns === undefined) mark(context, x(place), lane * LANE + LANE / 2, kind, bad, weight, inks)
    else {
      const [wide, tall] = [Math.max(1, roomOf(width) / columns - 0.5), Math.max(2, weight * (LANE - 4))]
      context.fillStyle = inks[kind]
      context.fillRect(x(place) - wide / 2, (lane + 1) * LANE - 1 - tall, wide, tall)
    }
  }
  net(
    context,
    rewards.map(({ place, ...rest }) => ({ ...rest, x: x(place) })),
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
  width: number,
  inks: Inks,
): void => {
  if (rewards.length === 0) return
  const top = LANES.length * LANE
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
