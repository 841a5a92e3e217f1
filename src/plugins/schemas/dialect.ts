import { createRequire } from "node:module"
import type { Ajv, Options } from "ajv"
import type { JsonObject } from "../../events/Json.ts"

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
  return dialects.get($schema.replace(/^https?:\/\//, "").replace(/#$/, ""))
}

/** Own properties only, so that `toString` is no field; nothing is changed, filled in or taken for another type. */
const COMMON: Options = { strict: false, logger: false, ownProperties: true, verbose: true, addUsedSchema: false }

const require = createRequire(import.meta.url)

interface Ajvs {
  readonly draft07: typeof import("ajv")
  readonly draft2020: typeof import("ajv/dist/2020.js")
  readonly formats: typeof import("ajv-formats")
}

/**
 * Ajv, which is loaded when the first value is checked: a program that only reads a log checks none. It is CommonJS, so that it can be
 * loaded in a function that is no effect. Throws where it is not installed.
 */
export const ajvs = (): Ajvs => {
  known ??= { draft07: require("ajv"), draft2020: require("ajv/dist/2020.js"), formats: require("ajv-formats") }
  return known
}

let known: Ajvs | undefined

const draft2020: Dialect = {
  validator: (options) => withFormats(new (ajvs().draft2020.Ajv2020)({ ...COMMON, ...options })),
}
const draft07: Dialect = { validator: (options) => withFormats(new (ajvs().draft07.Ajv)({ ...COMMON, ...options })) }

const withFormats = (validator: Ajv): Ajv => ajvs().formats.default(validator)

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", draft2020],
  ["json-schema.org/draft-07/schema", draft07],
])
