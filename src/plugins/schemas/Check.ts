/**
 * Validates values against one JSON Schema with Ajv. Plugins, which are untrusted, supply the schemas: compiling and
 * validating have time-outs.
 */
import type { ValidateFunction } from "ajv"
import { runWithTimeout, TookTooLong } from "../../platform/runWithTimeout.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { ajvs, dialectOf } from "./dialect.ts"
import { subschemas } from "./subschemas.ts"
import { formatMismatch, mismatches } from "./validationMessages.ts"

/** Time-out of compiling, in milliseconds. */
export const COMPILE_MS = 1_000

/** Time-out of validating one value against a possibly slow schema, in milliseconds. */
export const CHECK_MS = 250

/** After this many time-outs, the schema refuses every value immediately. */
const MAX_TIMEOUTS = 3

/** Maximum number of mismatches in a message. */
const MAX_MISMATCHES = 8

/**
 * Maximum size of a value, in characters of JSON, whose mismatches are all reported. A larger value reports the first.
 */
const MAX_FULL_CHECK_LENGTH = 8 * 1024

/** Maximum number of validator errors that become messages. */
const MAX_ERRORS = 1_000

/**
 * Maximum size of a schema, in characters of JSON, that runs without a time-out, unless it has one of `SLOW_KEYWORDS`.
 */
const MAX_QUICK_LENGTH = 4 * 1024

/** Keywords whose time can grow faster than the value: regular expressions, pairwise comparison, recursion. */
const SLOW_KEYWORDS: ReadonlyArray<string> = [
  ...["pattern", "patternProperties", "format", "uniqueItems", "$ref", "$dynamicRef"],
]

/** Validates values against one schema. */
export interface SchemaValidator {
  /**
   * Describes each mismatch with its path, or returns undefined if the value matches. Messages call the value `root`.
   */
  readonly validationError: (root: string, value: Json) => string | undefined
}

/**
 * Compiles the schema at the first value, and once for all schemas with equal JSON. An unusable schema refuses every
 * value.
 */
export const validatorOf = (schema: JsonObject): SchemaValidator => {
  const known = checksBySchema.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  const check = checksByText.get(text) ?? make(schema, text.length)
  checksBySchema.set(schema, check)
  checksByText.set(text, check)
  // A map keeps insertion order: the first key is the oldest.
  for (const oldest of checksByText.keys()) {
    if (checksByText.size <= CACHE_SIZE) break
    checksByText.delete(oldest)
  }
  return check
}

/** By object, to avoid serialising the schema for each value. */
const checksBySchema = new WeakMap<JsonObject, SchemaValidator>()

/** By the schema's JSON; holds at most `CACHE_SIZE`. */
const checksByText = new Map<string, SchemaValidator>()
const CACHE_SIZE = 1_000

const make = (schema: JsonObject, length: number): SchemaValidator => {
  const isQuick =
    length <= MAX_QUICK_LENGTH &&
    !subschemas(schema).some(({ schema }) => SLOW_KEYWORDS.some((keyword) => keyword in schema))
  const withTimeout = isQuick ? <A>(run: () => A) => run() : <A>(run: () => A) => runWithTimeout(run, CHECK_MS)
  const firstErrorValidator = lazily(() => compile(schema, false))
  const allErrorsValidator = lazily(() => compile(schema, true))
  let timeouts = 0

  const errorOf = (root: string, value: Json): string | undefined => {
    const validate = firstErrorValidator()
    if (withTimeout(() => validate(value))) return undefined
    const errors = validate.errors ?? []
    const allErrors =
      JSON.stringify(value).length > MAX_FULL_CHECK_LENGTH ? undefined : allErrorsOf(allErrorsValidator(), value)
    return messageOf(root, allErrors ?? errors)
  }
  return {
    validationError: (root, value) => {
      if (timeouts >= MAX_TIMEOUTS) return `${root}: its schema takes too long to check; simplify it in the manifest`
      // A missing Ajv is not the schema's fault.
      ajvs()
      try {
        return errorOf(root, value)
      } catch (cause) {
        if (!(cause instanceof TookTooLong))
          return `${root}: its schema in the manifest cannot be used: ${String(cause)}`
        timeouts++
        return `${root}: expected a value that can be checked within ${CHECK_MS} ms; simplify the manifest's schema for it`
      }
    },
  }
}

/** Undefined if finding all errors takes too long. */
const allErrorsOf = (validate: ValidateFunction, value: Json) => {
  try {
    runWithTimeout(() => validate(value), CHECK_MS)
    return validate.errors ?? undefined
  } catch (cause) {
    if (cause instanceof TookTooLong) return undefined
    throw cause
  }
}

const messageOf = (root: string, errors: NonNullable<ValidateFunction["errors"]>): string => {
  const found = mismatches(root, errors.slice(0, MAX_ERRORS)).map(formatMismatch)
  const more = found.length - MAX_MISMATCHES
  return [...found.slice(0, MAX_MISMATCHES), ...(more > 0 ? [`and ${more} more`] : [])].join("; ")
}

const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Compiles a schema that passed `checkSchema`, or throws. Each schema has an Ajv of its own, so that ids do not leak
 * between schemas.
 */
export const compile = (schema: JsonObject, allErrors: boolean): ValidateFunction => {
  const dialect = dialectOf(schema)
  if (dialect === undefined) throw new Error(`unknown $schema ${JSON.stringify(schema.$schema)}`)
  const { $schema: _schema, $id: _id, $async: _async, ...plain } = schema
  return dialect.validator({ allErrors, meta: false, validateSchema: false }).compile(plain)
}
