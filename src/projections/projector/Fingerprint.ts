/**
 * The fingerprint of a projection: a digest that keys its snapshots. A change of the projection, of its state's schema
 * or of the event versions changes the fingerprint, so that older snapshots are ignored.
 */

import type { SchemaAST } from "effect"
import { sha256 } from "../../values/Digest.ts"

/** What a fingerprint depends on. */
export interface Described {
  readonly name: string
  readonly version: number
  readonly state: { readonly ast: SchemaAST.AST }
}

/** Raise it when the stored form of states changes. */
const FORMAT = 4

/**
 * The digest of the projection's name and version, the schema of its state, and the versions in which the log decodes
 * its events (`Snapshots.upcastVersions`).
 */
export const of = ({ name, version, state }: Described, reading: string): string =>
  sha256(JSON.stringify([FORMAT, name, version, reading, structureOf(state.ast)]))

const structures = new WeakMap<SchemaAST.AST, string>()

const structureOf = (schema: SchemaAST.AST): string => {
  const structure = structures.get(schema) ?? sha256(JSON.stringify(schema, withoutCode))
  structures.set(schema, structure)
  return structure
}

/**
 * Annotations can be any value, functions included. Only the textual ones are hashed: they distinguish schemas of equal
 * structure.
 */
const withoutCode = (key: string, value: unknown): unknown =>
  key === "annotations" && typeof value === "object" && value !== null
    ? Object.entries(value).filter(([, annotation]) => typeof annotation === "string")
    : value
