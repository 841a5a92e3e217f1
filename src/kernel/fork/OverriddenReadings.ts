/** Overrides sensor readings at the start of a fork. */

import { Effect } from "effect"
import type { Json } from "../../values/Json.ts"
import type { Instances } from "../instances/Instances.ts"

export interface OverriddenReadings {
  readonly of: (instances: Instances) => Instances
  /** Enables the overrides. Before that, sensors return true readings, so that restored environments can be checked. */
  readonly begin: Effect.Effect<void>
}

/** Overrides the first reading of some sensors. Later readings are true. */
export const make = (readings: { readonly [sensor: string]: Json }): OverriddenReadings => {
  const overrides = new Map<string, Json>()
  const begin = Effect.sync(() => {
    for (const [sensor, reading] of Object.entries(readings)) overrides.set(sensor, reading)
  })
  return { begin, of: (instances) => overriding(instances, overrides) }
}

const overriding = (instances: Instances, overrides: Map<string, Json>): Instances => ({
  get: (plugin, registry, task) =>
    Effect.map(instances.get(plugin, registry, task), (instance) => ({
      ...instance,
      process: {
        ...instance.process,
        read: (sensor, options) =>
          Effect.map(instance.process.read(sensor, options), (reading) => {
            const name = `${plugin}/${sensor}`
            const override = overrides.get(name)
            overrides.delete(name)
            return override === undefined ? reading : override
          }),
      },
    })),
  // Forces commands through `get`.
  running: () => undefined,
})
