/** Reads a schema's syntax tree, for modules outside `values/`, which never read one. */

import { type Schema, SchemaAST } from "effect"

/** A schema of any type. */
export interface AnySchema {
  readonly ast: Schema.Schema.AnyNoContext["ast"]
}

/** The structure as JSON, with textual annotations only. */
export const structureOf = ({ ast }: AnySchema): string => JSON.stringify(ast, withoutCode)

/** An object that identifies the schema as long as it exists. */
export const identityOf = ({ ast }: AnySchema): object => ast

/** True for a struct without fields. */
export const isEmptyStruct = ({ ast }: AnySchema): boolean =>
  SchemaAST.isTypeLiteral(ast) && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

export const annotationOf = ({ ast }: AnySchema, name: symbol): unknown => ast.annotations[name]

/** The fields of a struct; none for any other schema. */
export const fieldsOf = ({ ast }: AnySchema): ReadonlyMap<string, AnySchema> =>
  SchemaAST.isTypeLiteral(ast)
    ? new Map(ast.propertySignatures.map(({ name, type }) => [String(name), { ast: type }]))
    : new Map()

/** The texts of a schema that lists all of its values; undefined if it has others. */
export const textsOf = ({ ast }: AnySchema): ReadonlyArray<string> | undefined => {
  if (SchemaAST.isLiteral(ast)) return typeof ast.literal === "string" ? [ast.literal] : undefined
  if (!SchemaAST.isUnion(ast)) return undefined
  const lists = ast.types.map((type) => textsOf({ ast: type }))
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? [])
}

/** Keeps textual annotations: they distinguish schemas of equal structure. */
const withoutCode = (key: string, value: unknown): unknown =>
  key === "annotations" && typeof value === "object" && value !== null
    ? Object.entries(value).filter(([, annotation]) => typeof annotation === "string")
    : value
