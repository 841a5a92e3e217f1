/** The supported drafts of JSON Schema, and how a schema selects one. */
import { Ajv, type Options } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as formats from "ajv-formats"
import type { JsonObject } from "../../values/Json.ts"

/** A supported draft of JSON Schema. */
export interface Dialect {
  /** Makes a validator for this draft. It ignores unknown keywords and formats. */
  readonly validator: (options: Options) => Ajv
}

/** The accepted values of `$schema`, for messages. */
export const DIALECTS =
  '"https://json-schema.org/draft/2020-12/schema" (which is also meant without a $schema) or "http://json-schema.org/draft-07/schema#"'

/** The draft of a schema: the one that `$schema` names, else 2020-12. Undefined if `$schema` names another one. */
export const dialectOf = ({ $schema }: JsonObject): Dialect | undefined => {
  if ($schema === undefined) return draft2020
  if (typeof $schema !== "string") return undefined
  return known.get($schema.replace(/^https?:\/\//, "").replace(/#$/, ""))
}

/**
 * Common options of validators. Only own properties count, so `toString` is not a field. Validation does not modify,
 * default or coerce values.
 */
const COMMON: Options = { strict: false, logger: false, ownProperties: true, verbose: true, addUsedSchema: false }

const addFormats = formats.default.default

const draft2020: Dialect = { validator: (options) => addFormats(new Ajv2020({ ...COMMON, ...options })) }
const draft07: Dialect = { validator: (options) => addFormats(new Ajv({ ...COMMON, ...options })) }

const known: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", draft2020],
  ["json-schema.org/draft-07/schema", draft07],
])
