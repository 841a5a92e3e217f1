/** The numbers in a task's readings over time, for charts. */

import type { Json } from "../../values/Json.ts"

/** A number in a sensor's readings, over the events of a task. */
export interface Trace {
  readonly sensor: string
  /** The path of the number in the reading, such as `position.x`; empty if the reading is the number. */
  readonly path: string
  /** Indexes of events, and the value from each on. */
  readonly points: ReadonlyArray<readonly [index: number, value: number]>
}

/** Maximum number of followed numbers, and depth of the search in a reading. */
const MAX_TRACES = 200
const MAX_DEPTH = 3

/** Maximum number of returned traces: those that changed most often. */
const MAX_RETURNED = 12

/** Maximum number of points per trace. A longer trace keeps every second, every fourth … point. */
const MAX_POINTS = 2_000

interface TraceState {
  readonly sensor: string
  readonly path: string
  points: Array<readonly [number, number]>
  every: number
  seen: number
  changes: number
}

/** Accumulates the numbers in readings: numeric values, and the lengths of lists. */
export class Readings {
  readonly #traces = new Map<string, TraceState>()

  add(sensor: string, index: number, reading: Json): void {
    for (const [path, value] of numbersIn(reading, "", MAX_DEPTH)) this.#add(sensor, path, index, value)
  }

  /** The traces, without numbers that never changed. */
  traces(): { readonly traces: ReadonlyArray<Trace>; readonly tracesLeftOut: number } {
    const changing = [...this.#traces.values()].filter(({ changes }) => changes > 0)
    const traces = changing
      .toSorted((a, b) => b.changes - a.changes)
      .slice(0, MAX_RETURNED)
      .map(({ sensor, path, points }) => ({ sensor, path, points }))
    return { traces, tracesLeftOut: changing.length - traces.length }
  }

  #add(sensor: string, path: string, index: number, value: number): void {
    const key = JSON.stringify([sensor, path])
    const known = this.#traces.get(key)
    if (known === undefined && this.#traces.size >= MAX_TRACES) return
    const trace = known ?? { sensor, path, points: [], every: 1, seen: 0, changes: 0 }
    this.#traces.set(key, trace)
    const last = trace.points.at(-1)
    if (last !== undefined && last[1] !== value) trace.changes += 1
    if (trace.seen++ % trace.every === 0) trace.points.push([index, value])
    if (trace.points.length <= MAX_POINTS) return
    trace.points = trace.points.filter((_, at) => at % 2 === 0)
    trace.every *= 2
  }
}

function* numbersIn(value: Json, path: string, depth: number): Generator<readonly [path: string, value: number]> {
  if (typeof value === "number") yield [path, value]
  else if (Array.isArray(value)) yield [path === "" ? "number of entries" : `${path}: number of entries`, value.length]
  else if (typeof value === "object" && value !== null && depth > 0) {
    for (const [key, below] of Object.entries(value)) {
      if (below !== undefined) yield* numbersIn(below, path === "" ? key : `${path}.${key}`, depth - 1)
    }
  }
}
