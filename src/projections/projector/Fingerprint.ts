import type { SchemaAST } from "effect"
import { sha256 } from "../../values/Json.ts"
import type { Projection } from "../fold/Projection.ts"

/** Raise it when the stored form of states changes. */
const FORMAT = 4

/**
 * The digest of everything that decides which states a projection folds to: its name and version, the schema of its
 * states, and the versions in which the log gives its events (`Snapshots.reading`). What another one folded is not looked at.
 */
export const of = <S>({ name, version, state }: Projection<S>, reading: string): string =>
  sha256(JSON.stringify([FORMAT, name, version, reading, structureOf(state.ast)]))

const structures = new WeakMap<SchemaAST.AST, string>()

const structureOf = (schema: SchemaAST.AST): string => {
  const structure = structures.get(schema) ?? sha256(JSON.stringify(schema, withoutCode))
  structures.set(schema, structure)
  return structure
}

/** Annotations may be anything, functions too; those that are text tell apart what has the same structure. */
const withoutCode = (key: string, value: unknown): unknown =>
  key === "annotations" && typeof value === "object" && value !== null
    ? Object.entries(value).filter(([, annotation]) => typeof annotation === "string")
    : value
