/**
 * Validates values against one JSON Schema with Ajv. Schemas come from untrusted plugins, so compilation and validation
 * have time-outs.
 */
import type { ValidateFunction } from "ajv"
import { runWithTimeout, TookTooLong } from "../../platform/runWithTimeout.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { dialectOf } from "./dialect.ts"
import { subschemas } from "./subschemas.ts"
import { mismatches, sentence } from "./validationMessages.ts"

/** Time-out of compiling a schema, in milliseconds. */
export const COMPILE_MS = 1_000

/** Time-out of validating one value, in milliseconds. It applies to schemas that may be slow. */
export const CHECK_MS = 250

/** Number of timed-out values after which a schema is given up: every further value is refused immediately. */
const GIVEN_UP_AFTER = 3

/** Maximum number of mismatches in one message. */
const TOLD = 8

/**
 * Maximum size of a value, in characters of JSON, for which all mismatches are reported. For a larger value only the
 * first one is.
 */
const WHOLE = 8 * 1024

/** Maximum number of validator errors that are turned into messages. */
const CONSIDERED = 1_000

/**
 * Maximum size of a schema, in characters of JSON, that is validated without a time-out, if it has none of the keywords
 * in `SLOW`.
 */
const SHORT = 4 * 1024

/**
 * Keywords whose validation time can grow faster than the value: regular expressions, pairwise comparison, recursion.
 */
const SLOW: ReadonlyArray<string> = [
  ...["pattern", "patternProperties", "format", "uniqueItems", "$ref", "$dynamicRef"],
]

/** A validator for one schema. */
export interface Check {
  /**
   * Describes how a value differs from the schema, with the path of each mismatch, or returns undefined if it matches.
   * `root` is the name of the value in the message.
   */
  readonly disagreement: (root: string, value: Json) => string | undefined
}

/**
 * The validator of a schema. It is compiled at the first value and shared by all schemas with equal JSON. Slow
 * validation is aborted. A schema that cannot be used refuses every value.
 */
export const of = (schema: JsonObject): Check => {
  const known = made.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  const check = checks.get(text) ?? make(schema, text.length)
  made.set(schema, check)
  checks.set(text, check)
  // A map is ordered by insertion, so the first key is the oldest.
  for (const oldest of checks.keys()) {
    if (checks.size <= KEPT) break
    checks.delete(oldest)
  }
  return check
}

/** Validators by schema object, so that the schema is not serialised for each value. */
const made = new WeakMap<JsonObject, Check>()

/** Validators by their schema's JSON. At most `KEPT` are kept. */
const checks = new Map<string, Check>()
const KEPT = 1_000

const make = (schema: JsonObject, length: number): Check => {
  const isQuick = length <= SHORT && !subschemas(schema).some(({ schema }) => SLOW.some((word) => word in schema))
  const within = isQuick ? <A>(run: () => A) => run() : <A>(run: () => A) => runWithTimeout(run, CHECK_MS)
  const whether = lazily(() => compile(schema, false))
  const wherever = lazily(() => compile(schema, true))
  let tookTooLong = 0

  const look = (root: string, value: Json): string | undefined => {
    const first = whether()
    if (within(() => first(value))) return undefined
    const errors = first.errors ?? []
    const everything = JSON.stringify(value).length > WHOLE ? undefined : errorsWithin(wherever(), value)
    return told(root, everything ?? errors)
  }
  return {
    disagreement: (root, value) => {
      if (tookTooLong >= GIVEN_UP_AFTER) return `${root}: its schema was given up, for it took too long to check`
      try {
        return look(root, value)
      } catch (cause) {
        if (!(cause instanceof TookTooLong))
          return `${root}: its schema in the manifest cannot be used: ${String(cause)}`
        tookTooLong++
        return `${root}: expected a value that can be checked within ${CHECK_MS} ms; simplify the manifest's schema for it`
      }
    },
  }
}

/** All errors of a value, or undefined if finding them takes too long. */
const errorsWithin = (validate: ValidateFunction, value: Json) => {
  try {
    runWithTimeout(() => validate(value), CHECK_MS)
    return validate.errors ?? undefined
  } catch (cause) {
    if (cause instanceof TookTooLong) return undefined
    throw cause
  }
}

const told = (root: string, errors: NonNullable<ValidateFunction["errors"]>): string => {
  const found = mismatches(root, errors.slice(0, CONSIDERED)).map(sentence)
  const more = found.length - TOLD
  return [...found.slice(0, TOLD), ...(more > 0 ? [`and ${more} more`] : [])].join("; ")
}

const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Compiles a schema that passed `checkSchema`, or throws. Each schema gets its own Ajv instance, so that ids in one
 * schema have no meaning in another.
 */
export const compile = (schema: JsonObject, allErrors: boolean): ValidateFunction => {
  const dialect = dialectOf(schema)
  if (dialect === undefined) throw new Error(`unknown $schema ${JSON.stringify(schema.$schema)}`)
  const { $schema: _schema, $id: _id, $async: _async, ...plain } = schema
  return dialect.validator({ allErrors, meta: false, validateSchema: false }).compile(plain)
}
