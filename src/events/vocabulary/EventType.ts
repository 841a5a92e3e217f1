/**
 * Defines event types (a name, a versioned payload schema, personal fields, fields with positions), and schemas that
 * many payloads share.
 */

import { Either, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import type { StandardSchema } from "../../values/schema/StandardSchema.ts"
import * as Standard from "../../values/schema/StandardSchema.ts"
import { EARLIEST, LATEST } from "../../values/Time.ts"

/** An event type: a name in the past tense and a versioned payload schema. */
export interface EventType<
  Name extends string = string,
  Payload extends Schema.Schema.AnyNoContext = Schema.Schema.AnyNoContext,
> {
  readonly name: Name
  readonly version: number
  /** Its encoded form equals its decoded form: payloads are never transformed. */
  readonly payload: Payload
  /** True if an append with such an event must reach the disk (fsync) before it is acknowledged. */
  readonly synced: boolean
  /**
   * Fields that may hold personal data, with replacements: the values to read once the subject's key is destroyed. A
   * field's schema must accept its replacement. Fields are encrypted if an append names a subject.
   */
  readonly personal: JsonObject
  /** Fields with positions of other events: a position, a list, or a range (`{ from, to }`). */
  readonly positions: ReadonlyArray<string>
}

/** The replacement of a text whose key was destroyed. */
export const SHREDDED = "[shredded]"

/** Defines an event type. The description says when the event is written, and its meaning. */
export const eventType = <const Name extends string, Fields extends Schema.Struct.Fields>(
  name: Name,
  description: string,
  fields: Fields,
  options: {
    readonly version?: number
    readonly synced?: boolean
    readonly positions?: ReadonlyArray<keyof Fields & string>
    readonly personal?: {
      readonly [Field in keyof Fields]?: Schema.Struct.Type<Fields>[Field & keyof Schema.Struct.Type<Fields>]
    }
  } = {},
) => ({
  name,
  version: options.version ?? 1,
  payload: Schema.Struct(fields).annotations({ identifier: name, description }),
  synced: options.synced ?? false,
  positions: options.positions ?? [],
  // Values of payload fields are JSON.
  personal: (options.personal ?? {}) as JsonObject,
})

/**
 * Defines an event type whose payload a Standard Schema describes, such as one of zod. A payload is recorded as it was
 * given: it must be valid, and nothing that the schema transforms or adds is recorded.
 */
export const fromSchema = <const Name extends string, Input extends object>(
  name: Name,
  description: string,
  schema: StandardSchema<Input, unknown>,
  options: {
    readonly version?: number
    readonly synced?: boolean
    readonly positions?: ReadonlyArray<keyof Input & string>
    readonly personal?: { readonly [Field in keyof Input]?: Input[Field] }
  } = {},
) => ({
  name,
  version: options.version ?? 1,
  payload: payloadOf<Input>(schema).annotations({
    ...{ identifier: name, description },
    jsonSchema: Either.getOrThrowWith(Standard.jsonSchemaOf(schema, "input"), (found) => {
      return new Error(`Event type "${name}": expected a schema that can be written as JSON Schema, found ${found}`)
    }),
  }),
  synced: options.synced ?? false,
  positions: options.positions ?? [],
  // Values of payload fields are JSON.
  personal: (options.personal ?? {}) as JsonObject,
})

const payloadOf = <Input>(schema: StandardSchema): Schema.Schema<Input> =>
  JsonObject.pipe(
    Schema.filter((payload) =>
      Standard.issuesNow(schema, payload).map(({ message, path = [] }) => ({
        message,
        path: path.map(Standard.keyOf),
      })),
    ),
    // Payloads are JSON, of the type that the schema takes.
  ) as unknown as Schema.Schema<Input>

/** A field that may be absent, but never `undefined`, which is not JSON. */
export const optional = <Field extends Schema.Schema.All>(field: Field) => Schema.optionalWith(field, { exact: true })

/** Explains a null result: the call took effect. */
export const unrecorded = optional(
  Schema.Struct({ reason: Schema.String }).annotations({
    description: "Why the result, null here, could not be recorded although the call was executed",
  }),
)

/** A duration in milliseconds, fractions allowed; at most from `EARLIEST` to `LATEST`. */
export const Milliseconds = Schema.NonNegative.pipe(
  Schema.lessThanOrEqualTo(LATEST - EARLIEST),
  Schema.annotations({ identifier: "Milliseconds", description: "Duration in ms" }),
)

/** A SHA-256 digest, 64 hexadecimal digits. */
export const Sha256 = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{64}$/),
  Schema.annotations({ identifier: "Sha256", description: "SHA-256, 64 hexadecimal digits" }),
)

/** The name of an agent in a task with several. */
export const AgentId = Schema.NonEmptyString.annotations({
  identifier: "AgentId",
  description: "The agent's name in a task with several; absent in a task with one",
})

/** A component's full name: `plugin/component`. */
export const ComponentName = Schema.NonEmptyString.annotations({
  identifier: "ComponentName",
  description: "`plugin/component`",
})

/** Of Node's or a library's error, such as `ECONNREFUSED`. */
const errorCode = optional(Schema.Union(Schema.String, Schema.Finite))

/** A recorded error: a short code for programs, a message for people. */
export const Failure = Schema.Struct({
  code: Schema.NonEmptyString,
  message: Schema.String,
  thrown: optional(
    Schema.Struct({
      code: errorCode,
      status: optional(Schema.Finite),
      causes: optional(
        Schema.Array(Schema.Struct({ name: Schema.String, message: Schema.String, code: errorCode })).annotations({
          description: "The errors behind it, the nearest first",
        }),
      ),
    }).annotations({
      description: "What a recorded program reads of the error besides its name, `code`, and its message",
    }),
  ),
}).annotations({ identifier: "Failure" })

export interface Failure extends Schema.Schema.Type<typeof Failure> {}
