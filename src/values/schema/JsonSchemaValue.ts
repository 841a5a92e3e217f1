/** The TypeScript type of the values that a JSON Schema describes, where the compiler knows the schema's literal. */

import type { Json, JsonObject } from "../Json.ts"

/**
 * The value that `Of` describes. `Plain` stands for what the type cannot say: a schema that is only known as JSON, or
 * that has keywords such as `$ref` and `allOf`.
 */
export type JsonSchemaValue<Of, Plain = Json> =
  HasAny<Of, Untyped> extends true
    ? Plain
    : Of extends { readonly const: infer Value }
      ? Value
      : Of extends { readonly enum: ReadonlyArray<infer Value> }
        ? Value
        : Of extends { readonly anyOf: ReadonlyArray<infer Each> } | { readonly oneOf: ReadonlyArray<infer Each> }
          ? EachValue<Each>
          : Of extends { readonly type: infer Type }
            ? TypedValue<Of, Type, Plain>
            : Plain

/** Keywords whose effect on the type is not computed. */
type Untyped = "$ref" | "allOf" | "if" | "prefixItems"

/** A record with an index signature may have any key, so that its type says nothing. */
type HasAny<Of, Keys extends string> = string extends keyof Of
  ? true
  : Extract<keyof Of, Keys> extends never
    ? false
    : true

/** The values of several alternative schemas. */
type EachValue<Of> = Of extends unknown ? JsonSchemaValue<Of> : never

/** The value of a schema with a `type`, which may be a list. */
type TypedValue<Of, Type, Plain> =
  Type extends ReadonlyArray<infer Each> ? NamedValue<Of, Each, Plain> : NamedValue<Of, Type, Plain>

/** The value of one named type. */
type NamedValue<Of, Type, Plain> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? ReadonlyArray<Of extends { readonly items: infer Items extends object } ? JsonSchemaValue<Items> : Json>
          : Type extends "object"
            ? ObjectValue<Of>
            : Plain

/** An object with the declared properties. */
type ObjectValue<Of> = Of extends { readonly properties: infer Properties extends object }
  ? Flat<
      {
        readonly [Key in keyof Properties as Key extends RequiredOf<Of> ? Key : never]: JsonSchemaValue<Properties[Key]>
      } & {
        readonly [Key in keyof Properties as Key extends RequiredOf<Of> ? never : Key]?: JsonSchemaValue<
          Properties[Key]
        >
      }
    >
  : JsonObject

/** One object in place of an intersection, as people read it in an editor. */
type Flat<Of> = { readonly [Key in keyof Of]: Of[Key] }

/** The names of the required properties. */
type RequiredOf<Of> = Of extends { readonly required: ReadonlyArray<infer Key> } ? Key : never
