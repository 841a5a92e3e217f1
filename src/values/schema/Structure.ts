/** What a schema looks like, read from its syntax tree: no module outside `values/` reads one. */

import { type Schema, SchemaAST } from "effect"

/** A schema of anything. */
export interface AnySchema {
  readonly ast: Schema.Schema.AnyNoContext["ast"]
}

/** A schema's structure as JSON. Annotations that are no texts, such as functions, are left out. */
export const structureOf = ({ ast }: AnySchema): string => JSON.stringify(ast, withoutCode)

/** What tells a schema from others, and is the same object as long as the schema is. */
export const identityOf = ({ ast }: AnySchema): object => ast

/** Whether a schema is a struct without fields. */
export const isEmptyStruct = ({ ast }: AnySchema): boolean =>
  SchemaAST.isTypeLiteral(ast) && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

/** An annotation of a schema. */
export const annotationOf = ({ ast }: AnySchema, name: symbol): unknown => ast.annotations[name]

/** Textual annotations are kept: they distinguish schemas of equal structure. */
const withoutCode = (key: string, value: unknown): unknown =>
  key === "annotations" && typeof value === "object" && value !== null
    ? Object.entries(value).filter(([, annotation]) => typeof annotation === "string")
    : value
