/**
 * The fingerprint of a projection: a digest that keys its snapshots. It changes with the projection, its state's schema
 * and the event versions, which invalidates older snapshots.
 */

import { sha256 } from "../../values/Digest.ts"
import * as Structure from "../../values/schema/Structure.ts"

export interface Described {
  readonly name: string
  readonly version: number
  readonly state: Structure.AnySchema
}

/** Raise it when the stored form of states changes. */
const FORMAT = 4

/**
 * The digest of the projection's name and version, the schema of its state, and the versions in which the log decodes
 * its events (`Snapshots.upcastVersions`).
 */
export const of = ({ name, version, state }: Described, reading: string): string =>
  sha256(JSON.stringify([FORMAT, name, version, reading, structureOf(state)]))

const structures = new WeakMap<object, string>()

const structureOf = (schema: Structure.AnySchema): string => {
  const identity = Structure.identityOf(schema)
  const structure = structures.get(identity) ?? sha256(Structure.structureOf(schema))
  structures.set(identity, structure)
  return structure
}
