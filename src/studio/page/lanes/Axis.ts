/** Places the events of a course from left to right by time, optionally with idle time folded. */
import { lastNotAbove } from "../model/Course.ts"

export interface Axis {
  /** For each event, a number from 0 (left) to 1 (right). Events outside the zoom lie beyond. */
  readonly places: ReadonlyArray<number>
  /** Folded idle times: the index of the event after each, and its length. */
  readonly folds: ReadonlyArray<{ readonly index: number; readonly ms: number }>
}

/** A pause is idle if it is longer than `USUAL` times the usual pause and than `IDLE` milliseconds. */
const USUAL = 12
const IDLE = 1_500

/** The share of the width that is divided evenly among the events. The rest is by time. */
const EVEN = 0.35

/** The axis of these ordered times in milliseconds. */
export const axisOf = (times: ReadonlyArray<number>, fold: boolean): Axis => {
  if (times.length < 2) return { places: times.map(() => 0.5), folds: [] }
  const gaps = times.slice(1).map((time, index) => Math.max(0, time - (times[index] ?? 0)))
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length * 0.75)] ?? 0
  const most = Math.max(IDLE, usual * USUAL)
  const shown = fold ? gaps.map((gap) => Math.min(gap, most)) : gaps
  const folds = gaps.flatMap((gap, index) => (fold && gap > most ? [{ index: index + 1, ms: gap }] : []))
  const total = shown.reduce((sum, gap) => sum + gap, 0)
  const even = (total === 0 ? 1 : EVEN) / gaps.length
  let place = 0
  const places = [0, ...shown.map((gap) => (place += even + (total === 0 ? 0 : ((1 - EVEN) * gap) / total)))]
  return { places, folds }
}

export const zoomed = ({ places, folds }: Axis, from: number, to: number): Axis => {
  const [left, right] = [places[from] ?? 0, places[to] ?? 1]
  const width = right - left || 1
  return { places: places.map((place) => (place - left) / width), folds }
}

/** The index of the event nearest to a place. */
export const nearest = ({ places }: Axis, place: number): number => {
  const before = Math.max(0, lastNotAbove(places, place))
  const after = Math.min(places.length - 1, before + 1)
  return place - (places[before] ?? 0) <= (places[after] ?? 1) - place ? before : after
}
