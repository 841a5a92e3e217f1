/** The elements of SVG charts: frame, axes, labels, legends and marks. */

import type { ScaleContinuousNumeric } from "d3-scale"
import { type Markup, markup, type Value } from "../values/Markup.ts"

/** Width in the chart's own units: about a phone's pixels, so that its text is as large as the text around it. */
export const WIDTH = 340

export const TEXT = 12

export interface About {
  /** Unique on the page. */
  readonly id: string
  readonly title: string
  /** One sentence with the important figures. */
  readonly description: string
  readonly height: number
}

/** A chart that scales to the available width. */
export const svg = ({ id, title, description, height }: About, body: Value): Markup =>
  markup`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${title}</title><desc id="${id}-d">${description}</desc>${body}</svg>`

export interface At {
  readonly x: number
  readonly y: number
  readonly anchor?: "start" | "middle" | "end"
  /** CSS class: `dim`, `strong`, `good`, `bad`. */
  readonly kind?: string
}

export const label = ({ x, y, anchor = "start", kind = "dim" }: At, text: string): Markup =>
  markup`<text x="${round(x)}" y="${round(y)}" class="${kind}"${ANCHORS[anchor]}>${text}</text>`

const ANCHORS = {
  start: markup``,
  middle: markup` text-anchor="middle"`,
  end: markup` text-anchor="end"`,
}

/** A label of at most this width. A longer text is cut, and its tooltip shows all of it. */
export const fitted = (at: At, text: string, width: number): Markup => {
  const short = shortened(text, width)
  if (short === text) return label(at, text)
  const { x, y, anchor = "start", kind = "dim" } = at
  return markup`<text x="${round(x)}" y="${round(y)}" class="${kind}"${ANCHORS[anchor]}>${short}<title>${text}</title></text>`
}

/** Cuts a text to a width, as estimated by `widthOf`. */
export const shortened = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let [kept, used] = ["", widthOf("…")]
  for (const character of text) {
    used += widthOf(character)
    if (used > width) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** Estimates a text's width, on the wide side, since nothing measures fonts here. */
export const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    width += TEXT * (code > 0x2e7f ? 1.05 : WIDE.test(character) ? 0.92 : NARROW.test(character) ? 0.36 : 0.6)
  }
  return width
}

const WIDE = /[mwMWA-Z@%—…]/
const NARROW = /[ijlI.,:;'|!/ ]/

export const round = (of: number): number => Math.round(of * 10) / 10 + 0

type Scale = ScaleContinuousNumeric<number, number>

export interface Axes {
  readonly x: Scale
  readonly y: Scale
  readonly xTicks: ReadonlyArray<number>
  readonly yTicks: ReadonlyArray<number>
  readonly xText: (value: number) => string
  readonly yText: (value: number) => string
  /** With units. */
  readonly xTitle: string
  readonly yTitle: string
}

/** Space for the axes around the plot. */
export const MARGIN = { left: 46, right: 10, top: 22, bottom: 36 } as const

/** Draws light lines at the ticks, and titles above and below. */
export const axes = ({ x, y, xTicks, yTicks, xText, yText, xTitle, yTitle }: Axes): Markup => {
  const [left = 0, right = 0] = x.range()
  const [bottom = 0, top = 0] = y.range()
  return markup`${yTicks.map(
    (tick) =>
      markup`<path class="${tick === 0 ? "zero" : "grid"}" d="M${round(left)} ${round(y(tick))}H${round(right)}"/>${label({ x: left - 5, y: y(tick) + 4, anchor: "end" }, yText(tick))}`,
  )}${withoutOverlap(
    xTicks.map((tick) => ({ at: x(tick), text: xText(tick) })),
    right,
  ).map(
    ({ at, text }) =>
      markup`<path class="tick" d="M${round(at)} ${round(bottom)}v4"/>${label(placeTick(at, text, left, right, bottom + 16), text)}`,
  )}${label({ x: 0, y: top - 10 }, yTitle)}${label({ x: (left + right) / 2, y: bottom + 31, anchor: "middle" }, xTitle)}`
}

/** Keeps a label inside the chart. */
const placeTick = (x: number, text: string, left: number, right: number, y: number): At => {
  const half = widthOf(text) / 2
  if (x + half > right + MARGIN.right) return { x: right + MARGIN.right - 1, y, anchor: "end" }
  return x - half < left - MARGIN.left ? { x: left, y } : { x, y, anchor: "middle" }
}

/** Drops ticks whose labels would overlap the previous one. */
const withoutOverlap = (ticks: ReadonlyArray<{ readonly at: number; readonly text: string }>, right: number) => {
  let free = Number.NEGATIVE_INFINITY
  return ticks.filter(({ at, text }) => {
    const half = widthOf(text) / 2
    const from = at + half > right + MARGIN.right ? right + MARGIN.right - 2 * half : at - half
    if (from < free) return false
    free = Math.max(free, from + 2 * half + 6)
    return true
  })
}

/** Draws dots as one path: a line of length zero with round ends is a dot. */
export const dots = (kind: string, points: ReadonlyArray<readonly [x: number, y: number]>): Markup =>
  points.length === 0
    ? markup``
    : markup`<path class="dots ${kind}" d="${points.map(([x, y]) => `M${round(x)} ${round(y)}h0`).join("")}"/>`

/** A rectangle, at least one unit wide so that it is visible. */
export const box = (
  kind: string,
  { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Markup =>
  markup`<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(Math.max(width, 1))}" height="${round(height)}"/>`

export const legend = (entries: ReadonlyArray<readonly [kind: string, text: string]>): Markup =>
  markup`<ul class="legend">${entries.map(
    ([kind, text]) =>
      markup`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${kind}" width="10" height="10"/></svg>${text}</li>`,
  )}</ul>`

/** A chart with a title and a caption on how to read it. */
export const figure = (title: string, charts: Value, howToRead: Value): Markup =>
  markup`<figure><h3>${title}</h3>${charts}<figcaption>${howToRead}</figcaption></figure>`
