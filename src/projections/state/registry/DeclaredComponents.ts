/** Reads the components and metadata that a plugin's manifest declares. */

import type { JsonObject } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import { isArray } from "../../patch/JsonPatch.ts"

/** A component as declared, with defaults filled in. */
export interface Declared {
  readonly kind: "sensor" | "actuator"
  readonly priority: number
  readonly metadata: JsonObject
}

/**
 * The sensors and actuators of a manifest, by name. An event's manifest is unvalidated JSON: skips malformed entries,
 * and of two components with one name keeps the first.
 */
export const declaredComponents = (manifest: JsonObject): SafeRecord.SafeRecord<Declared> => {
  const peas = asObject(SafeRecord.get(manifest, "peas"))
  return [...declared(peas, "sensors", "sensor"), ...declared(peas, "actuators", "actuator")].reduce<
    SafeRecord.SafeRecord<Declared>
  >((found, [name, component]) => (Object.hasOwn(found, name) ? found : SafeRecord.set(found, name, component)), {})
}

/** The metadata of the plugin as a whole. */
export const declaredMetadata = (manifest: JsonObject): JsonObject => asObject(SafeRecord.get(manifest, "metadata"))

const declared = (peas: JsonObject, list: string, kind: Declared["kind"]): ReadonlyArray<[string, Declared]> => {
  const entries = SafeRecord.get(peas, list)
  if (!isArray(entries)) return []
  return entries.map(asObject).flatMap((entry) => {
    const name = SafeRecord.get(entry, "name")
    const priority = SafeRecord.get(entry, "priority")
    if (typeof name !== "string") return []
    return [
      [
        name,
        {
          kind,
          priority: typeof priority === "number" ? priority : 0,
          metadata: asObject(SafeRecord.get(entry, "metadata")),
        },
      ] as [string, Declared],
    ]
  })
}
