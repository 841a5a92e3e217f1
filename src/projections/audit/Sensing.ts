/** The sensing section of a task's audit: counts and latencies of its readings, in total and per sensor. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"
import * as Samples from "./Samples.ts"

const counts = {
  reads: Schema.NonNegativeInt.annotations({ description: "Readings taken" }),
  pushed: Schema.NonNegativeInt.annotations({
    description: "Readings that the sensor pushed. They have no latency, because nobody waited for them",
  }),
  failures: Schema.NonNegativeInt.annotations({ description: "Times a sensor was asked and gave no reading" }),
  skipped: Schema.NonNegativeInt.annotations({ description: "Times a sensor was due and was not asked" }),
}

/** The readings of a task. */
export const Sensing = Schema.Struct({
  ...counts,
  byComponent: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      ...counts,
      latencyMs: Schema.NullOr(Samples.Latency).annotations({ description: "Latency of the requested readings" }),
    }),
  }).annotations({ description: "The same counts per sensor, by `plugin/sensor`" }),
}).annotations({ identifier: "Sensing" })

type Sensing = typeof Sensing.Type

const Sensor = Schema.Struct({ ...counts, samples: Samples.Samples })
type Sensor = typeof Sensor.Type
const State = Schema.Record({ key: Schema.String, value: Sensor })

const noReads: Sensor = { reads: 0, pushed: 0, failures: 0, skipped: 0, samples: Samples.none }

export const projection: Projection<typeof State.Type> = {
  name: "TaskAudit.Sensing",
  version: 2,
  state: State,
  initial: {},
  evolve: evolveBy<typeof State.Type>({
    SensorRead: (state, { sensor, latencyMs }, event) =>
      count(state, sensor, (before) =>
        wasPushed(event, latencyMs)
          ? { ...before, reads: before.reads + 1, pushed: before.pushed + 1 }
          : { ...before, reads: before.reads + 1, samples: withLatency(before.samples, latencyMs) },
      ),
    SensorFailed: (state, { sensor }) =>
      count(state, sensor, (before) => ({ ...before, failures: before.failures + 1 })),
    SensorSkipped: (state, { sensor }) =>
      count(state, sensor, (before) => ({ ...before, skipped: before.skipped + 1 })),
  }),
}

/** A reading within a `StepsRecorded` of an import has no latency. */
const withLatency = (samples: Samples.Samples, latencyMs: number | undefined): Samples.Samples =>
  latencyMs === undefined ? samples : Samples.add(samples, latencyMs)

/** The actor of a pushed reading is its plugin, and its latency 0; a requested one has the kernel as its actor. */
const wasPushed = ({ actor }: Event, latencyMs: number): boolean => latencyMs === 0 && actor.startsWith("plugin:")

const count = (state: typeof State.Type, sensor: string, update: (before: Sensor) => Sensor): typeof State.Type =>
  SafeRecord.set(state, sensor, update(SafeRecord.get(state, sensor) ?? noReads))

export const section = (state: typeof State.Type): Sensing => {
  const sensors = Object.entries(state)
  const total = (of: keyof typeof counts) => sensors.reduce((sum, [, sensor]) => sum + sensor[of], 0)
  return {
    reads: total("reads"),
    pushed: total("pushed"),
    failures: total("failures"),
    skipped: total("skipped"),
    byComponent: Object.fromEntries(
      sensors.map(([name, { samples, ...counted }]) => [name, { ...counted, latencyMs: Samples.latency(samples) }]),
    ),
  }
}
