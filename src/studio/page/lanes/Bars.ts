/** Spans as bars on lanes. Bars that overlap stand below each other. */
import { oneLine, visible } from "../../../values/PlainText.ts"
import type { Kind } from "../../wire/Kind.ts"
import type { Span } from "../../wire/Spans.ts"
import { duration } from "../parts/format.ts"

export interface Bar {
  /** From 0 to 1, or beyond if the lanes are zoomed. */
  readonly from: number
  readonly to: number
  /** Where the work on it began; the part before is its wait. */
  readonly begun: number
  readonly level: number
  readonly kind: Kind
  readonly bad: boolean
  /** `unknown`: it ended, but nobody recorded how long it took. `open`: it has no end. */
  readonly end: "known" | "unknown" | "open"
  readonly label: string
  /** A sentence about it. */
  readonly title: string
}

/** The height of a bar with the gap below it, in CSS pixels. */
export const BAR = 14

/** Maximum number of bars below each other. Others share the last level. */
export const MOST_LEVELS = 4

/** The lane of a span is that of this kind. */
export const KIND_OF: { readonly [kind in Span["kind"]]: Kind } = {
  call: "command",
  model: "model",
  approval: "approval",
  wait: "model",
  pause: "task",
}

/** The level of each span among those of its lane, from 0. */
export const levelsOf = (spans: ReadonlyArray<Span>, laneOf: (kind: Kind) => number): ReadonlyArray<number> => {
  /** For each lane, the end of the last span on each level. */
  const ends = new Map<number, Array<number>>()
  return spans.map(({ kind, from, to }) => {
    const lane = laneOf(KIND_OF[kind])
    const taken = ends.get(lane) ?? []
    ends.set(lane, taken)
    const free = taken.findIndex((end) => end < from)
    const level = free >= 0 ? free : Math.min(taken.length, MOST_LEVELS - 1)
    taken[level] = Math.max(taken[level] ?? 0, to ?? Number.POSITIVE_INFINITY)
    return level
  })
}

/**
 * @param placeOf the place of a position
 * @param last the place at which an open span has arrived
 */
export const barOf = (span: Span, level: number, placeOf: (position: number) => number, last: number): Bar => {
  const { kind, name, from, begun, to, ms, isBad } = span
  const hasPlugin = kind === "call" || kind === "approval"
  const tool = visible(oneLine(hasPlugin ? name.replace(/^[^/]*\//s, "") : name))
  return {
    from: placeOf(from),
    to: to === null ? Math.max(last, placeOf(from)) : placeOf(to),
    begun: placeOf(begun ?? from),
    level,
    kind: KIND_OF[kind],
    bad: isBad,
    end: to === null ? "open" : ms === null ? "unknown" : "known",
    label: `${tool} ${tookOf(span)}`.trim(),
    title: titleOf(span),
  }
}

const WORDS: { readonly [kind in Span["kind"]]: string } = {
  call: "call",
  model: "request to",
  approval: "question about",
  wait: "wait",
  pause: "pause:",
}

/** How long it took, in a word. A denied call took no time of its own. */
export const tookOf = ({ to, ms, state }: Span): string => {
  if (to === null || state === "denied") return ""
  return ms === null ? "?" : duration(ms)
}

const titleOf = ({ kind, name, from, to, ms, state, by, agentId }: Span): string => {
  const who = agentId === null ? "" : ` of ${agentId}`
  const what = `${WORDS[kind]} ${name}${who}, @${from}`
  const took = ms === null ? (state === "denied" ? "not run" : "duration unknown") : duration(ms)
  const decided = by === null ? [] : [kind === "approval" ? `${state} by ${by}` : `decided by ${by}`]
  const how = [
    ...decided,
    ...(by === null || kind !== "approval" ? [state] : []),
    to === null ? "no end in the log" : took,
  ]
  return visible(oneLine(`${what}: ${how.join(", ")}`))
}

/** The bar at a place and a height below the top of the lanes, if there is one. */
export const barAt = (
  bars: ReadonlyArray<Bar>,
  lanes: ReadonlyArray<{ readonly kinds: ReadonlyArray<Kind>; readonly top: number; readonly height: number }>,
  place: number | null,
  below: number,
): Bar | undefined => {
  const lane = lanes.find(({ top, height }) => below >= top && below < top + height)
  if (lane === undefined || place === null) return undefined
  const level = Math.max(0, Math.floor((below - lane.top - 2) / BAR))
  return bars.findLast(
    (bar) => lane.kinds.includes(bar.kind) && bar.level === level && place >= bar.from && place <= bar.to,
  )
}
