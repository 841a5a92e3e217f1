/** Compiles a schema to a predicate several times as fast as `Schema.is`, for checks at every event. */

import { Option, Predicate, Schema, SchemaAST } from "effect"

/**
 * Returns the same predicate as `Schema.is`. Structs, records, lists, unions, literals, refinements and plain types
 * become closures; other schemas fall back to `Schema.is`. It generates no code.
 */
export const is = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => value is A) => {
  const fits = predicateOf(SchemaAST.typeAST(schema.ast))
  return (value): value is A => fits(value)
}

type Fits = (value: unknown) => boolean

const predicateOf = (ast: SchemaAST.AST): Fits => {
  // The schema has parse options, for example against excess fields.
  if (Option.isSome(SchemaAST.getParseOptionsAnnotation(ast))) return asEffectSays(ast)
  switch (ast._tag) {
    case "StringKeyword":
      return Predicate.isString
    case "NumberKeyword":
      return Predicate.isNumber
    case "BooleanKeyword":
      return Predicate.isBoolean
    case "UnknownKeyword":
    case "AnyKeyword":
      return () => true
    case "Literal":
      return (value) => value === ast.literal
    case "Union":
      return oneOf(ast.types)
    case "Refinement":
      return refined(ast)
    case "Suspend":
      return suspended(ast)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 ? listOf(ast) : asEffectSays(ast)
    case "TypeLiteral":
      if (ast.indexSignatures.length === 0 && ast.propertySignatures.length > 0) return struct(ast)
      return ast.propertySignatures.length === 0 && ast.indexSignatures.length === 1 ? record(ast) : asEffectSays(ast)
    default:
      return asEffectSays(ast)
  }
}

const asEffectSays = (ast: SchemaAST.AST): Fits => Schema.is(Schema.make(ast))

const oneOf = (types: ReadonlyArray<SchemaAST.AST>): Fits => {
  const members = types.map(predicateOf)
  return (value) => {
    for (const fits of members) if (fits(value)) return true
    return false
  }
}

const refined = (ast: SchemaAST.Refinement): Fits => {
  const fits = predicateOf(ast.from)
  return (value) => fits(value) && Option.isNone(ast.filter(value, EXACT, ast))
}

const EXACT = { exact: true } as const

/** Compiles at first use, because the schema contains itself. */
const suspended = (ast: SchemaAST.Suspend): Fits => {
  let compiled: Fits | undefined
  return (value) => {
    compiled ??= predicateOf(SchemaAST.typeAST(ast.f()))
    return compiled(value)
  }
}

const listOf = ({ rest: [item] }: SchemaAST.TupleType): Fits => {
  const fits = item === undefined ? () => true : predicateOf(item.type)
  return (value) => {
    if (!Array.isArray(value)) return false
    // `every` would skip holes.
    for (let index = 0; index < value.length; index++) if (!fits(value[index])) return false
    return true
  }
}

const struct = ({ propertySignatures }: SchemaAST.TypeLiteral): Fits => {
  const properties = propertySignatures.map(({ name, type, isOptional }) => ({
    name,
    isOptional,
    fits: predicateOf(type),
  }))
  return (value) => {
    if (!Predicate.isRecord(value)) return false
    for (const { name, isOptional, fits } of properties) {
      if (Object.hasOwn(value, name) ? !fits(value[name]) : !isOptional) return false
    }
    return true
  }
}

const record = (ast: SchemaAST.TypeLiteral): Fits => {
  const [signature] = ast.indexSignatures
  if (signature === undefined || SchemaAST.isSymbolKeyword(signature.parameter)) return asEffectSays(ast)
  const [isKey, fits] = [predicateOf(signature.parameter), predicateOf(signature.type)]
  return (value) => {
    if (!Predicate.isRecord(value)) return false
    // Schemas ignore excess keys that do not match the signature.
    for (const key of Object.keys(value)) if (isKey(key) && !fits(value[key])) return false
    return true
  }
}
