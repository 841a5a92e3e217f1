import type { Ajv, Options } from "ajv"
import { Effect } from "effect"
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
  return dialects.get($schema.replace(/^https?:\/\//, "").replace(/#$/, ""))
}

/** Own properties only, so that `toString` is no field; nothing is changed, filled in or taken for another type. */
const COMMON: Options = { strict: false, logger: false, ownProperties: true, verbose: true, addUsedSchema: false }

interface Ajvs {
  readonly draft07: typeof import("ajv")
  readonly draft2020: typeof import("ajv/dist/2020.js")
  readonly formats: typeof import("ajv-formats")
}

let loaded: Ajvs | undefined

/**
 * Loads Ajv. It takes 20 ms, and a program that only reads a log checks nothing, so it is not loaded with this module. Run this
 * before the first check. An installation without Ajv is a defect.
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

/** Ajv, once it was loaded. Throws before. */
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
