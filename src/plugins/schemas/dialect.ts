import { Ajv, type Options } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as formats from "ajv-formats"
import type { JsonObject } from "../../values/Json.ts"

/** A draft of JSON Schema. */
export interface Dialect {
  /** A new validator of this draft. Unknown keywords and formats are no mistakes: they say nothing. */
  readonly validator: (options: Options) => Ajv
}

/** What a schema may name as its `$schema`, in words. */
export const DIALECTS =
  '"https://json-schema.org/draft/2020-12/schema" (which is also meant without a $schema) or "http://json-schema.org/draft-07/schema#"'

/** The draft that a schema is written in: as its `$schema` says, else 2020-12. Undefined where it names another one. */
export const dialectOf = ({ $schema }: JsonObject): Dialect | undefined => {
  if ($schema === undefined) return draft2020
  if (typeof $schema !== "string") return undefined
  return known.get($schema.replace(/^https?:\/\//, "").replace(/#$/, ""))
}

/** Own properties only, so that `toString` is no field; nothing is changed, filled in or taken for another type. */
const COMMON: Options = { strict: false, logger: false, ownProperties: true, verbose: true, addUsedSchema: false }

const addFormats = formats.default.default

const draft2020: Dialect = { validator: (options) => addFormats(new Ajv2020({ ...COMMON, ...options })) }
const draft07: Dialect = { validator: (options) => addFormats(new Ajv({ ...COMMON, ...options })) }

const known: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", draft2020],
  ["json-schema.org/draft-07/schema", draft07],
])
