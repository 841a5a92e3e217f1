/** The ruler of the lanes: positions, and the time since the beginning if the course has one. */
import type { CourseOfTask } from "../model/Course.ts"
import { duration } from "../parts/format.ts"
import { type Axis, nearest } from "./Axis.ts"

/** A text below the lanes, at a place from 0 to 1. */
export interface Tick {
  readonly place: number
  readonly text: string
}

/** Pixels from one tick to the next. */
const APART = 150

export const ticksOfCourse = (axis: Axis, { positions, times }: CourseOfTask, width: number): ReadonlyArray<Tick> => {
  const most = Math.max(1, Math.floor(width / APART))
  const indices = Array.from({ length: most + 1 }, (_, tick) => nearest(axis, tick / most))
  const [start = 0] = times
  return [...new Set(indices)].map((index) => ({
    place: axis.places[index] ?? 0,
    text: `@${positions[index]} ${index === 0 ? "" : `+${duration((times[index] ?? start) - start)}`}`.trim(),
  }))
}

export const ticksOfTimeline = (first: number, last: number, width: number): ReadonlyArray<Tick> => {
  const span = Math.max(1, last - first)
  const least = (span * APART) / Math.max(APART, width)
  const tenth = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  const step = [1, 2, 5, 10].map((factor) => factor * tenth).find((candidate) => candidate >= least) ?? 10 * tenth
  const from = Math.ceil(first / step) * step
  return Array.from({ length: Math.floor((last - from) / step) + 1 }, (_, tick) => from + tick * step).map(
    (position) => ({
      place: (position - first) / span,
      text: `@${position}`,
    }),
  )
}

export const ticksOfFolds = ({ folds, places }: Axis): ReadonlyArray<Tick> =>
  folds.map(({ index, ms }) => ({
    place: ((places[index - 1] ?? 0) + (places[index] ?? 0)) / 2,
    text: `${duration(ms)} idle`,
  }))
