/**
 * Schemas of other libraries, by the interfaces on which they agreed: Standard Schema (`validate`) and Standard JSON
 * Schema (`jsonSchema`), https://standardschema.dev. zod 4.2, arktype 2.1.28 and valibot 1.2 (by `toStandardJsonSchema`) have both.
 */

import { Effect, Either, Schema } from "effect"
import { JsonObject } from "../Json.ts"

/** A schema that validates a value, and may transform it from `Input` to `Output`. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    /** Exists at compile time only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** How the schema is written as JSON Schema. Throws if it cannot be. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => { readonly [keyword: string]: unknown }
      readonly output: (options: { readonly target: "draft-2020-12" }) => { readonly [keyword: string]: unknown }
    }
  }
}

/** A validated value, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

/** A mistake, with the keys from the outside in. */
export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** The value before validation. */
export type InputOf<Of extends StandardSchema> = NonNullable<Of["~standard"]["types"]>["input"]

/** The validated value. */
export type OutputOf<Of extends StandardSchema> = NonNullable<Of["~standard"]["types"]>["output"]

/** True for schemas of libraries other than Effect, whose own also have the interface. Some are functions. */
export const isStandardSchema = (value: unknown): value is StandardSchema => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || Schema.isSchema(value))
    return false
  const standard: unknown = Reflect.get(value, "~standard")
  return typeof standard === "object" && standard !== null && typeof Reflect.get(standard, "validate") === "function"
}

/** The JSON Schema (draft 2020-12) of the value before or after validation, or why there is none. */
export const jsonSchemaOf = (schema: StandardSchema, side: "input" | "output"): Either.Either<JsonObject, string> => {
  const { vendor, jsonSchema } = schema["~standard"]
  if (jsonSchema === undefined)
    return Either.left(`a schema of ${vendor} that has no JSON Schema. ${adviceFor(vendor)}`)
  return Either.try({
    try: () => decodeJson(JSON.parse(JSON.stringify(jsonSchema[side]({ target: "draft-2020-12" })))),
    catch: (cause) => `a schema of ${vendor}: ${cause instanceof Error ? cause.message : String(cause)}`,
  })
}

const decodeJson = Schema.decodeUnknownSync(JsonObject)

const adviceFor = (vendor: string): string => {
  if (vendor === "zod") return "Update zod to 4.2 or later"
  if (vendor === "valibot") return "Wrap it: toStandardJsonSchema(schema), of @valibot/to-json-schema"
  return "Use a release of it that implements Standard JSON Schema, or give a JSON Schema"
}

/** Validates a value. Fails with a description of its mistakes. */
export const validate = (schema: StandardSchema, value: unknown): Effect.Effect<unknown, string> =>
  Effect.flatMap(Effect.tryPromise({ try: async () => schema["~standard"].validate(value), catch: thrown }), (result) =>
    outcomeOf(result),
  )

/** Validates a value at once. Throws `TypeError` if the schema validates asynchronously. */
export const validateNow = (schema: StandardSchema, value: unknown): Either.Either<unknown, string> => {
  const result = resultNow(schema, value)
  if (result === undefined) throw new TypeError(`Expected ${SYNCHRONOUS}, found one that returns a promise`)
  return outcomeOf(result)
}

/** The mistakes of a value, found at once. A schema that validates asynchronously is one. */
export const issuesNow = (schema: StandardSchema, value: unknown): ReadonlyArray<StandardIssue> => {
  const result = resultNow(schema, value)
  return result === undefined
    ? [{ message: `expected ${SYNCHRONOUS}, found one that returns a promise` }]
    : (result.issues ?? [])
}

const SYNCHRONOUS = "a schema that validates synchronously"

/** Undefined for a promise. zod returns one after its check threw an error, too. */
const resultNow = (schema: StandardSchema, value: unknown): StandardResult<unknown> | undefined => {
  try {
    const result = schema["~standard"].validate(value)
    if (!("then" in result)) return result
    // Nobody waits for it, and its rejection must not end the program.
    Promise.resolve(result).catch(() => {})
    return undefined
  } catch (cause) {
    return { issues: [{ message: thrown(cause) }] }
  }
}

const thrown = (cause: unknown): string =>
  `the schema threw ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`

const outcomeOf = (result: StandardResult<unknown>): Either.Either<unknown, string> =>
  result.issues === undefined ? Either.right(result.value) : Either.left(result.issues.map(describe).join("; "))

const describe = ({ message, path = [] }: StandardIssue): string => {
  const keys = path.map((key) => String(keyOf(key)))
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`
}

/** A key in the path of a mistake. */
export const keyOf = (key: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof key === "object" ? key.key : key
