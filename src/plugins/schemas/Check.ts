import type { ValidateFunction } from "ajv"
import { runWithTimeout, TookTooLong } from "../../platform/runWithTimeout.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { ajvs, dialectOf } from "./dialect.ts"
import { subschemas } from "./subschemas.ts"
import { mismatches, sentence } from "./validationMessages.ts"

/** How long compiling a schema may take, in milliseconds. */
export const COMPILE_MS = 1_000

/** How long checking one value may take, in milliseconds, where the schema is one that may take long. */
export const CHECK_MS = 250

/** After so many values that took too long, a schema is given up: whatever comes is refused at once. */
const GIVEN_UP_AFTER = 3

/** Most disagreements that are told of one value. */
const TOLD = 8

/** Longest value, in characters of JSON, in which all disagreements are looked for; in a longer one, the first counts. */
const WHOLE = 8 * 1024

/** Most errors of the validator that are put into words. */
const CONSIDERED = 1_000

/** Longest schema that is trusted to be quick, in characters of JSON, if it has none of the keywords below. */
const SHORT = 4 * 1024

/** Keywords with which time can grow faster than the value: regular expressions, comparing all with all, recursion. */
const SLOW: ReadonlyArray<string> = [
  ...["pattern", "patternProperties", "format", "uniqueItems", "$ref", "$dynamicRef"],
]

/** Checks values against one schema. */
export interface Check {
  /** How a value disagrees with the schema, each place named, or undefined where it does not. `root` is its name. */
  readonly disagreement: (root: string, value: Json) => string | undefined
}

/**
 * The check of a schema. It is compiled at the first value, and once for all schemas that say the same. Who wrote the
 * schema is not trusted: what may take long is stopped, and a schema that cannot be used refuses every value.
 */
export const of = (schema: JsonObject): Check => {
  const known = made.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  const check = checks.get(text) ?? make(schema, text.length)
  made.set(schema, check)
  checks.set(text, check)
  // A map keeps its order: the first is the oldest.
  for (const oldest of checks.keys()) {
    if (checks.size <= KEPT) break
    checks.delete(oldest)
  }
  return check
}

/** By the schema itself, so that its text is not written at each value. */
const made = new WeakMap<JsonObject, Check>()

/** Checks that are kept, by their schema's text. */
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
      // That the validator cannot be loaded is no fault of the schema's.
      ajvs()
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

/** All errors, or undefined where they are too many to be found in time. */
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

/** Compiles a schema that was vetted, or throws. A validator of its own: names in one schema mean nothing in another. */
export const compile = (schema: JsonObject, allErrors: boolean): ValidateFunction => {
  const dialect = dialectOf(schema)
  if (dialect === undefined) throw new Error(`unknown $schema ${JSON.stringify(schema.$schema)}`)
  const { $schema: _schema, $id: _id, $async: _async, ...plain } = schema
  return dialect.validator({ allErrors, meta: false, validateSchema: false }).compile(plain)
}
