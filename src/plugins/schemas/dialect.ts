/** The supported drafts of JSON Schema, and how a schema selects one. */
import type { Ajv, Options } from "ajv"
import { Effect } from "effect"
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
  return dialects.get($schema.replace(/^https?:\/\//, "").replace(/#$/, ""))
}

/**
 * Common options of validators. Only own properties count, so `toString` is not a field. Validation does not modify,
 * default or coerce values.
 */
const COMMON: Options = { strict: false, logger: false, ownProperties: true, verbose: true, addUsedSchema: false }

interface Ajvs {
  readonly draft07: typeof import("ajv")
  readonly draft2020: typeof import("ajv/dist/2020.js")
  readonly formats: typeof import("ajv-formats")
}

let loaded: Ajvs | undefined

/**
 * Loads Ajv. Run it before the first check. Ajv is not loaded with this module, because loading takes 20 ms and a program that
 * only reads a log does not need it. If Ajv is not installed, this dies.
 */
export const load: Effect.Effect<void> = Effect.suspend(() =>
  loaded === undefined
    ? Effect.promise(async () => {
        const modules = await Promise.all([import("ajv"), import("ajv/dist/2020.js"), import("ajv-formats")])
        // They are CommonJS. In a bundle such a module has no named exports: all that it exports is the default.
        const [draft07, draft2020, formats] = modules.map((module) => module.default)
        loaded = { draft07, draft2020, formats } as unknown as Ajvs
      })
    : Effect.void,
)

/** The loaded Ajv modules. Throws if `load` has not run. */
export const ajvs = (): Ajvs => {
  if (loaded === undefined) throw new Error("expected `load` to be run before the first check, found that it was not")
  return loaded
}

const draft2020: Dialect = {
  validator: (options) => withFormats(new (ajvs().draft2020.Ajv2020)({ ...COMMON, ...options })),
}
const draft07: Dialect = { validator: (options) => withFormats(new (ajvs().draft07.Ajv)({ ...COMMON, ...options })) }

const withFormats = (validator: Ajv): Ajv => ajvs().formats.default(validator)

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", draft2020],
  ["json-schema.org/draft-07/schema", draft07],
])
