/** Values along the tasks in constant memory, and their smoothed trend. */

import { Quantiles, type Spread } from "./Quantiles.ts"

/** Statistics of the values of the tasks `from` to `to`, some of which may have none. */
export interface Bin extends Spread {
  readonly from: number
  readonly to: number
}

/** Maximum number of bins of a series, and of tasks with their own bin. */
export const MAX_BINS = 512

/**
 * Values of successive tasks in constant memory. If there are more tasks than bins, neighbouring bins are merged. Tasks
 * are numbered from 0; a task may have any number of values.
 */
export class Series {
  #bins: Array<Quantiles | undefined> = []
  #width = 1
  #last = 0

  add(task: number, value: number): void {
    this.#last = Math.max(this.#last, task)
    while (task >= this.#width * MAX_BINS) this.#halve()
    const index = Math.floor(task / this.#width)
    const bin = this.#bins[index] ?? new Quantiles()
    this.#bins[index] = bin
    bin.add(value)
  }

  /** The mean value of each task; null if there are too many tasks for their own bins. */
  points(): ReadonlyArray<Point> | null {
    return this.#width > 1 ? null : this.bins().map(({ from, mean }) => ({ task: from, value: mean }))
  }

  /** At most `most` bins of equal numbers of tasks, without empty ones. */
  bins(most: number = MAX_BINS): ReadonlyArray<Bin> {
    const factor = Math.max(1, Math.ceil(this.#bins.length / most))
    const width = this.#width * factor
    return Array.from({ length: Math.ceil(this.#bins.length / factor) }, (_, index) => {
      const merged = merge(this.#bins.slice(index * factor, (index + 1) * factor))
      const spread = merged?.spread() ?? null
      return spread === null
        ? []
        : [{ ...spread, from: index * width, to: Math.min(this.#last, (index + 1) * width - 1) }]
    }).flat()
  }

  #halve(): void {
    this.#bins = Array.from({ length: Math.ceil(this.#bins.length / 2) }, (_, index) =>
      merge(this.#bins.slice(2 * index, 2 * index + 2)),
    )
    this.#width *= 2
  }
}

const merge = (bins: ReadonlyArray<Quantiles | undefined>): Quantiles | undefined => {
  const [first, ...rest] = bins.filter((bin) => bin !== undefined)
  if (first === undefined || rest.length === 0) return first
  const merged = new Quantiles()
  for (const bin of [first, ...rest]) merged.addAll(bin)
  return merged
}

/** A value at a task. */
export interface Point {
  readonly task: number
  readonly value: number
}

/** The share of all tasks that smoothing uses on either side. */
const BANDWIDTH = 0.3

/**
 * The trend of a series by locally weighted regression. The value at each bin is on the straight line that best fits
 * its neighbours; nearer and fuller bins weigh more (Cleveland, "Robust Locally Weighted Regression", 1979, without the
 * robustness).
 */
export const trend = (bins: ReadonlyArray<Bin>): ReadonlyArray<Point> => {
  const points = bins.map(({ from, to, mean, count }) => ({ task: (from + to) / 2, mean, count }))
  const first = points[0]?.task ?? 0
  const reach = ((points.at(-1)?.task ?? 0) - first) * BANDWIDTH
  return points.map(({ task }) => {
    let [weights, tasks, means] = [0, 0, 0]
    const near = points.flatMap((point) => {
      const distance = reach === 0 ? 0 : Math.abs(point.task - task) / reach
      if (distance >= 1) return []
      const weight = (1 - distance ** 3) ** 3 * point.count
      weights += weight
      tasks += weight * point.task
      means += weight * point.mean
      return [{ ...point, weight }]
    })
    const [middle, mean] = [tasks / weights, means / weights]
    let [across, along] = [0, 0]
    for (const point of near) {
      across += point.weight * (point.task - middle) * (point.mean - mean)
      along += point.weight * (point.task - middle) ** 2
    }
    return { task, value: along === 0 ? mean : mean + (across / along) * (task - middle) }
  })
}
