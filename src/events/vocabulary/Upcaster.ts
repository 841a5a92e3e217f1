/** Upcasters bring payloads of earlier schema versions to the current one when they are read. */

import type { JsonObject } from "../../values/Json.ts"
import type { EventType } from "./EventType.ts"

/**
 * Upcasts a payload of one type to the next schema version: plain JSON in and out. It must be pure and total, because
 * it runs whenever an old event is read.
 */
export interface Upcaster {
  readonly type: string
  /** The version that it accepts; it returns the next one. */
  readonly from: number
  /** Returns the payload in the next version. */
  readonly upcast: (payload: JsonObject) => JsonObject
}

/**
 * Upcasts a payload to the current version of its type. Returns payloads of the current version, or of an unknown type,
 * unchanged.
 */
export type Upcast = (type: string, schemaVersion: number, payload: JsonObject) => JsonObject

/**
 * Chains upcasters into one step from any earlier version to the current one. Throws if there is a gap, two upcasters
 * for one step, or one that leads to no version: defects of the program, which the error lists.
 */
export const chain = (types: ReadonlyMap<string, EventType>, upcasters: ReadonlyArray<Upcaster>): Upcast => {
  const problems = problemsIn(types, upcasters)
  if (problems.length > 0) throw new Error(`The upcasters do not fit the vocabulary:\n  - ${problems.join("\n  - ")}`)
  const steps = new Map(upcasters.map(({ type, from, upcast }) => [stepOf(type, from), upcast]))
  return (type, schemaVersion, payload) => {
    let upcast = payload
    const present = types.get(type)?.version ?? schemaVersion
    for (let version = schemaVersion; version < present; version++) {
      const step = steps.get(stepOf(type, version))
      if (step === undefined) throw new Error(`no upcaster takes ${type} from version ${version}`)
      upcast = step(upcast)
    }
    return upcast
  }
}

const stepOf = (type: string, from: number): string => `${type}\0${from}`

const problemsIn = (
  types: ReadonlyMap<string, EventType>,
  upcasters: ReadonlyArray<Upcaster>,
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const seen = new Set<string>()
  for (const { type, from } of upcasters) {
    const present = types.get(type)?.version
    const step = `from version ${from} to ${from + 1}`
    if (seen.has(stepOf(type, from))) problems.push(`${type} has two upcasters ${step}; expected one`)
    seen.add(stepOf(type, from))
    if (present === undefined) problems.push(`${type} is not in the vocabulary, yet has an upcaster ${step}`)
    else if (!Number.isInteger(from) || from < 1 || from >= present) {
      problems.push(`${type} is at version ${present}, yet has an upcaster ${step}`)
    }
  }
  for (const { name, version } of types.values()) {
    for (let from = 1; from < version; from++) {
      if (!seen.has(stepOf(name, from))) problems.push(`${name} has no upcaster from version ${from} to ${from + 1}`)
    }
  }
  return problems
}
