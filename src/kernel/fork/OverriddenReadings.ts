import { Effect } from "effect"
import type { Json } from "../../values/Json.ts"
import type { Instances } from "../instances/Instances.ts"

/** Sensors that say something else when they are first read. */
export interface OverriddenReadings {
  /** Instances with these sensors. */
  readonly of: (instances: Instances) => Instances
  /** From here on; before, while worlds are brought back and verified, sensors say what is so. */
  readonly begin: Effect.Effect<void>
}

/** Overrides the first readings of some sensors; after that they say what is so. */
export const make = (readings: { readonly [sensor: string]: Json }): OverriddenReadings => {
  const left = new Map<string, Json>()
  const begin = Effect.sync(() => {
    for (const [sensor, reading] of Object.entries(readings)) left.set(sensor, reading)
  })
  return { begin, of: (instances) => overriding(instances, left) }
}

const overriding = (instances: Instances, left: Map<string, Json>): Instances => ({
  get: (plugin, registry, task) =>
    Effect.map(instances.get(plugin, registry, task), (instance) => ({
      ...instance,
      process: {
        ...instance.process,
        read: (sensor, options) =>
          Effect.map(instance.process.read(sensor, options), (reading) => {
            const name = `${plugin}/${sensor}`
            const said = left.get(name)
            left.delete(name)
            return said === undefined ? reading : said
          }),
      },
    })),
})
