/** Copies options before decoding, so that getters and proxies cannot change a value after its validation. */

import type { SchemaAST as AST } from "effect"
import { findNonJson } from "./Json.ts"
import { describeValue, isPlain, type SchemaIssue } from "./OptionIssues.ts"

/** Annotates an object in which `undefined` as a value is a mistake instead of an omission. */
export const KeepsUndefined = Symbol.for("hindcast/KeepsUndefined")

export interface Copied {
  readonly value: unknown
  readonly issues: ReadonlyArray<SchemaIssue>
}

/**
 * Copies a value as deep as its schema describes, reading each property once. Omits keys with the value `undefined`,
 * and keeps services and functions by reference. It reports class instances, because a schema reads only own properties
 * and would call inherited ones missing.
 */
export const copyOf = (ast: AST.AST, value: unknown): Copied => {
  const issues: Array<SchemaIssue> = []
  return { value: copy(ast, value, [], issues), issues }
}

type Keys = ReadonlyArray<PropertyKey>

const copy = (ast: AST.AST, value: unknown, keys: Keys, issues: Array<SchemaIssue>): unknown => {
  switch (ast._tag) {
    case "Suspend":
      return copy(ast.f(), value, keys, issues)
    case "Refinement":
    case "Transformation":
      return copy(ast.from, value, keys, issues)
    case "Declaration":
    case "UnknownKeyword":
      return isJson(value) ? structuredClone(value) : value
    case "Union": {
      const fitting = ast.types.filter((type) => describesInside(type, value))
      const [only] = fitting
      return only !== undefined && fitting.length === 1 ? copy(only, value, keys, issues) : value
    }
    case "TupleType":
      return Array.isArray(value) ? copyOfList(ast, value, keys, issues) : value
    case "TypeLiteral":
      return isObject(value) ? copyOfObject(ast, value, keys, issues) : value
    default:
      return value
  }
}

const copyOfList = (ast: AST.TupleType, list: ReadonlyArray<unknown>, keys: Keys, issues: Array<SchemaIssue>) =>
  Array.from(list, (item, index) => {
    const type = ast.elements[index]?.type ?? ast.rest[0]?.type
    return type === undefined ? item : copy(type, item, [...keys, index], issues)
  })

const copyOfObject = (ast: AST.TypeLiteral, object: object, keys: Keys, issues: Array<SchemaIssue>) => {
  if (!isPlain(object)) {
    const expected = "an object of keys and values"
    issues.push({ keys, expected, found: describeValue(object), tolerable: false })
    return object
  }
  const keepsUndefined = ast.annotations[KeepsUndefined] === true
  // From entries, so that a key named `__proto__` stays a key.
  return Object.fromEntries(
    Reflect.ownKeys(object).flatMap((key) => {
      const value: unknown = Reflect.get(object, key)
      if (value === undefined && !keepsUndefined) return []
      const known = ast.propertySignatures.find(({ name }) => name === key)?.type
      const type = known ?? ast.indexSignatures[0]?.type
      if (key === "__proto__" && known === undefined && type !== undefined) {
        // Decoding a record would lose this key.
        issues.push({ keys: [...keys, key], expected: "another name", found: JSON.stringify(key), tolerable: false })
      }
      return [[key, type === undefined ? value : copy(type, value, [...keys, key], issues)] as const]
    }),
  )
}

/** True if the schema describes the inside of this value: a tuple for a list, a struct for an object. */
const describesInside = (ast: AST.AST, value: unknown): boolean => {
  switch (ast._tag) {
    case "Suspend":
      return describesInside(ast.f(), value)
    case "Refinement":
    case "Transformation":
      return describesInside(ast.from, value)
    case "TupleType":
      return Array.isArray(value)
    case "TypeLiteral":
      return isObject(value)
    default:
      return false
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isJson = (value: unknown): boolean =>
  typeof value === "object" && value !== null && findNonJson(value) === undefined
