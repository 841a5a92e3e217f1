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

/**
 * The fields of values that are structs without further keys, or absent, each with the schemas that it may have; undefined
 * if a value may be anything else.
 */
export const closedFieldsOf = ({ ast }: AnySchema): ReadonlyMap<string, ReadonlyArray<AnySchema>> | undefined => {
  if (SchemaAST.isRefinement(ast)) return closedFieldsOf({ ast: ast.from })
  if (SchemaAST.isTypeLiteral(ast)) {
    if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return undefined
    return new Map(ast.propertySignatures.map(({ name, type }) => [String(name), [{ ast: type }]]))
  }
  if (!SchemaAST.isUnion(ast)) return undefined
  const fields = new Map<string, ReadonlyArray<AnySchema>>()
  for (const type of ast.types.filter((member) => !isAbsence(member))) {
    const own = closedFieldsOf({ ast: type })
    if (own === undefined) return undefined
    for (const [name, schemas] of own) fields.set(name, [...(fields.get(name) ?? []), ...schemas])
  }
  return fields.size === 0 ? undefined : fields
}

const isAbsence = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUndefinedKeyword(ast) || (SchemaAST.isLiteral(ast) && ast.literal === null)

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
