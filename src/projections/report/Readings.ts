import type { Json } from "../../values/Json.ts"

/** How a number in a sensor's readings went along a task. */
export interface Trace {
  readonly sensor: string
  /** Where in the reading the number is: `position.x`; empty where the reading itself is it. */
  readonly path: string
  /** The numbers of the task's events, and the value from there on. */
  readonly points: ReadonlyArray<readonly [index: number, value: number]>
}

/** Numbers that are followed, and how deep in a reading they are looked for. */
const MAX_TRACES = 200
const MAX_DEPTH = 3

/** Traces that are given: those that changed most often. */
const MOST = 12

/** Points of a trace that are kept; of a longer one every second, every fourth … */
const MAX_POINTS = 2_000

interface Kept {
  readonly sensor: string
  readonly path: string
  points: Array<readonly [number, number]>
  every: number
  seen: number
  changes: number
}

/** The numbers in readings: those that stand there, and how long lists are. */
export class Readings {
  readonly #kept = new Map<string, Kept>()

  take(sensor: string, index: number, reading: Json): void {
    for (const [path, value] of numbersIn(reading, "", MAX_DEPTH)) this.#add(sensor, path, index, value)
  }

  /** Numbers that never changed are no trace. */
  traces(): { readonly traces: ReadonlyArray<Trace>; readonly tracesLeftOut: number } {
    const changing = [...this.#kept.values()].filter(({ changes }) => changes > 0)
    const traces = changing
      .toSorted((a, b) => b.changes - a.changes)
      .slice(0, MOST)
      .map(({ sensor, path, points }) => ({ sensor, path, points }))
    return { traces, tracesLeftOut: changing.length - traces.length }
  }

  #add(sensor: string, path: string, index: number, value: number): void {
    const key = JSON.stringify([sensor, path])
    const known = this.#kept.get(key)
    if (known === undefined && this.#kept.size >= MAX_TRACES) return
    const trace = known ?? { sensor, path, points: [], every: 1, seen: 0, changes: 0 }
    this.#kept.set(key, trace)
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
