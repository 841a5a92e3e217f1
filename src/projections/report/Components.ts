/** The part of a log report about actuators and sensors. */

import type { TaskAudit } from "../audit/TaskAudit.ts"
import { BoundedMap } from "./BoundedMap.ts"
import { Quantiles, type Spread } from "./Quantiles.ts"
import { type Bin, Series } from "./Series.ts"

/** The commands of an actuator, over all tasks. */
export interface ActuatorReport {
  readonly actuator: string
  readonly commanded: number
  readonly succeeded: number
  readonly failed: number
  readonly denied: number
  readonly expired: number
  readonly unknown: number
  /** The spread of the tasks' median latencies, in ms. */
  readonly latencyMs: Spread | null
  /** The longest latency, in ms. */
  readonly longestMs: number | null
}

/** The readings of a sensor, over all tasks. */
export interface SensorReport {
  readonly sensor: string
  readonly reads: number
  readonly failures: number
  readonly skipped: number
  readonly tasks: number
  /** The spread of the tasks' median latencies, in ms. */
  readonly latencyMs: Spread | null
  readonly longestMs: number | null
  /** The tasks' median latencies along the tasks. */
  readonly latencies: ReadonlyArray<Bin>
  /** The share of failed or skipped reads along the tasks. */
  readonly missing: ReadonlyArray<Bin>
}

/** Maximum number of actuators, and of sensors, with their own entry; the others share one. */
const MAX_COMPONENTS = 100

/** Bins of a series along the tasks. */
const TRACE_BINS = 60

export class Components {
  readonly #actuators = new BoundedMap(MAX_COMPONENTS, (actuator) => ({
    actuator,
    commanded: 0,
    succeeded: 0,
    failed: 0,
    denied: 0,
    expired: 0,
    unknown: 0,
    medians: new Quantiles(),
    longestMs: null as number | null,
  }))
  readonly #sensors = new BoundedMap(MAX_COMPONENTS, (sensor) => ({
    sensor,
    reads: 0,
    failures: 0,
    skipped: 0,
    tasks: 0,
    medians: new Quantiles(),
    longestMs: null as number | null,
    latencies: new Series(),
    missing: new Series(),
  }))

  add(task: number, { acting, sensing }: TaskAudit): void {
    for (const [name, counts] of Object.entries(acting.byComponent)) {
      const actuator = this.#actuators.get(name)
      for (const key of ENDINGS) actuator[key] += counts[key]
      if (counts.latencyMs === null) continue
      actuator.medians.add(counts.latencyMs.p50)
      actuator.longestMs = Math.max(actuator.longestMs ?? 0, counts.latencyMs.max)
    }
    for (const [name, { reads, failures, skipped, latencyMs }] of Object.entries(sensing.byComponent)) {
      const sensor = this.#sensors.get(name)
      sensor.tasks += 1
      sensor.reads += reads
      sensor.failures += failures
      sensor.skipped += skipped
      const due = reads + failures + skipped
      if (due > 0) sensor.missing.add(task, (failures + skipped) / due)
      if (latencyMs === null) continue
      sensor.medians.add(latencyMs.p50)
      sensor.latencies.add(task, latencyMs.p50)
      sensor.longestMs = Math.max(sensor.longestMs ?? 0, latencyMs.max)
    }
  }

  /** By descending number of commands. */
  actuators(): ReadonlyArray<ActuatorReport> {
    return this.#actuators
      .values()
      .map(({ medians, ...actuator }) => ({ ...actuator, latencyMs: medians.spread() }))
      .sort((a, b) => b.commanded - a.commanded)
  }

  /** By descending number of reads, including failed and skipped ones. */
  sensors(): ReadonlyArray<SensorReport> {
    return this.#sensors
      .values()
      .map(({ medians, latencies, missing, ...sensor }) => ({
        ...sensor,
        latencyMs: medians.spread(),
        latencies: latencies.bins(TRACE_BINS),
        missing: missing.bins(TRACE_BINS),
      }))
      .sort((a, b) => b.reads + b.failures + b.skipped - (a.reads + a.failures + a.skipped))
  }
}

const ENDINGS = ["commanded", "succeeded", "failed", "denied", "expired", "unknown"] as const
