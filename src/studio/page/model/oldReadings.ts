/** Stale readings: values that the agent knew while the world had already changed. */
import { type Json, type JsonObject, pointerKeys, pointerToken, valueAt } from "../../../values/Json.ts"
import type { CourseMoment } from "./CourseHistory.ts"

/** The world's current value. */
export interface OldReading {
  readonly world: Json
  /** The event that wrote it. */
  readonly since: number
}

/**
 * The stale readings of a scope, by pointer. A value of a reading is stale if the plugin's world has another value of
 * the same name, written later. That both are the same quantity is a guess by their name, so the page shows both.
 */
export const oldReadings = ({ after, chunk, index }: CourseMoment, root: string): ReadonlyMap<string, OldReading> => {
  const found = new Map<string, OldReading>()
  const scope = valueAt(after, pointerKeys(root))
  const [readings, environment] = [member(scope, "readings"), member(scope, "environment")]
  for (const [sensor, reading] of Object.entries(readings)) {
    const [plugin = ""] = sensor.split("/")
    const world = member(environment, plugin)
    for (const [name, value] of Object.entries(member(readings, sensor))) {
      if (!Object.hasOwn(world, name) || typeof reading !== "object") continue
      const actual = world[name] ?? null
      if (JSON.stringify(actual) === JSON.stringify(value)) continue
      const pointer = `${root}/readings/${pointerToken(sensor)}/${pointerToken(name)}`
      const [read, written] = [
        chunk.writerOf(pointer, index),
        chunk.writerOf(`${root}/environment/${pointerToken(plugin)}/${pointerToken(name)}`, index),
      ]
      if (read !== undefined && written !== undefined && written > read)
        found.set(pointer, { world: actual, since: written })
    }
  }
  return found
}

const member = (of: Json | undefined, key: string): JsonObject => {
  const value = typeof of === "object" && of !== null && Object.hasOwn(of, key) ? (of as JsonObject)[key] : undefined
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
