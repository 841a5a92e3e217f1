/** Checks a manifest's JSON Schema before use: its draft, size, regular expressions and references. */
import type { Ajv, ErrorObject } from "ajv"
import { runWithTimeout, TookTooLong } from "../../platform/runWithTimeout.ts"
import { type Json, type JsonObject, pointerKeys, pointerToken, valueAt } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { COMPILE_MS, compile } from "./Check.ts"
import { DIALECTS, type Dialect, dialectOf } from "./dialect.ts"
import { type Subschema, subschemas } from "./subschemas.ts"
import { mismatches } from "./validationMessages.ts"

/** Maximum size of a schema, in characters of JSON. */
export const SCHEMA_LENGTH = 64 * 1024

/** A mistake in a schema. */
export interface SchemaMistake {
  /** A JSON Pointer (RFC 6901). */
  readonly path: string
  readonly expected: string
  readonly found: string
}

/**
 * Every mistake: an invalid schema, or a feature that plugins may not use. References must stay in the schema, because
 * nothing is fetched.
 */
export const checkSchema = (schema: JsonObject): ReadonlyArray<SchemaMistake> => {
  const length = JSON.stringify(schema).length
  if (length > SCHEMA_LENGTH) {
    return [{ path: "", expected: `a schema of at most ${SCHEMA_LENGTH} characters of JSON`, found: `${length}` }]
  }
  const dialect = dialectOf(schema)
  if (dialect === undefined) {
    return [{ path: "/$schema", expected: DIALECTS, found: JSON.stringify(schema.$schema) }]
  }
  const all = subschemas(schema)
  const mistakes = [
    ...metaSchemaMistakes(dialect, schema),
    ...all.flatMap(patternMistakes),
    ...all.flatMap(referenceMistakes),
  ]
  return mistakes.length > 0 ? mistakes : compileMistakes(schema)
}

/** One validator per draft, for its meta-schema: compiling that takes longer than everything else. */
const metaValidators = new WeakMap<Dialect, Ajv>()

const metaSchemaMistakes = (dialect: Dialect, schema: JsonObject): ReadonlyArray<SchemaMistake> => {
  const validator = metaValidators.get(dialect) ?? dialect.validator({ allErrors: true })
  metaValidators.set(dialect, validator)
  const { $schema: _, ...plain } = schema
  if (validator.validateSchema(plain) === true) return []
  const byPath = new Map<string, Array<ErrorObject>>()
  for (const error of validator.errors ?? []) {
    byPath.set(error.instancePath, [...(byPath.get(error.instancePath) ?? []), error])
  }
  return [...byPath].map(([path, errors]) => {
    const found = mismatches("", errors)
    const isType = path.endsWith("/type") && errors.some(({ keyword }) => keyword === "anyOf")
    const expected = isType ? TYPES : found.map(({ expected }) => expected).join("; ")
    return { path, expected, found: found[0]?.found ?? "something else" }
  })
}

/** The meta-schemas' own errors about `type` are hard to read. */
const TYPES = '"array", "boolean", "integer", "null", "number", "object" or "string", or a list of these'

const patternMistakes = ({ path, schema: { pattern, patternProperties } }: Subschema) => {
  const patterns = [
    { path: `${path}/pattern`, pattern },
    ...Object.keys(isObject(patternProperties) ? patternProperties : {}).map((name) => ({
      path: `${path}/patternProperties/${pointerToken(name)}`,
      pattern: name,
    })),
  ]
  return patterns.flatMap(({ path, pattern }): ReadonlyArray<SchemaMistake> => {
    if (typeof pattern !== "string") return []
    try {
      RegExp(pattern, "u")
      return []
    } catch (cause) {
      const found = cause instanceof Error ? cause.message : String(cause)
      return [{ path, expected: "a regular expression", found }]
    }
  })
}

const referenceMistakes = ({ path, schema }: Subschema) => [
  ...["$ref", "$dynamicRef"].flatMap((keyword): ReadonlyArray<SchemaMistake> => {
    const reference = schema[keyword]
    if (typeof reference !== "string" || reference.startsWith("#")) return []
    const expected = 'a reference into this schema, such as "#/$defs/item": nothing is fetched'
    return [{ path: `${path}/${keyword}`, expected, found: JSON.stringify(reference) }]
  }),
  ...(path === "" || schema.$id === undefined
    ? []
    : [{ path: `${path}/$id`, expected: "no $id inside a schema", found: JSON.stringify(schema.$id) }]),
  // With Ajv's extension `$async`, the validator would return a promise, too late for the call.
  ...(schema.$async === undefined
    ? []
    : [{ path: `${path}/$async`, expected: "no $async", found: JSON.stringify(schema.$async) }]),
]

const targetOf = (schema: JsonObject, reference: string): Json | undefined => {
  try {
    return valueAt(schema, pointerKeys(decodeURIComponent(reference.slice(1))))
  } catch {
    // An invalid URI names nothing.
    return undefined
  }
}

/** Mistakes that the meta-schema does not find, such as dangling references. */
const compileMistakes = (schema: JsonObject): ReadonlyArray<SchemaMistake> => {
  const dangling = subschemas(schema).flatMap(({ path, schema: { $ref } }): ReadonlyArray<SchemaMistake> => {
    if (typeof $ref !== "string" || !/^#(\/|$)/.test($ref)) return []
    return targetOf(schema, $ref) === undefined
      ? [{ path: `${path}/$ref`, expected: "a reference to a part of this schema", found: JSON.stringify($ref) }]
      : []
  })
  if (dangling.length > 0) return dangling
  try {
    runWithTimeout(() => compile(schema, false), COMPILE_MS)
    return []
  } catch (cause) {
    const found = cause instanceof TookTooLong ? `one that takes more than ${COMPILE_MS} ms` : String(cause)
    return [{ path: "", expected: "a JSON Schema that can be compiled", found }]
  }
}
