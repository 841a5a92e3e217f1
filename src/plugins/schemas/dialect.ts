/** The supported drafts of JSON Schema. */
import type { Ajv, Options } from "ajv"
import { Effect } from "effect"
import type { JsonObject } from "../../values/Json.ts"

/** A draft of JSON Schema. */
export interface Dialect {
  /** Makes a validator that ignores unknown keywords and formats. */
  readonly validator: (options: Options) => Ajv
}

/** Accepted values of `$schema`, for messages. */
export const DIALECTS =
  '"https://json-schema.org/draft/2020-12/schema" (the default) or "http://json-schema.org/draft-07/schema#"'

/** The draft that `$schema` names; 2020-12 without it. Undefined for an unsupported draft. */
export const dialectOf = ({ $schema }: JsonObject): Dialect | undefined => {
  if ($schema === undefined) return draft2020
  if (typeof $schema !== "string") return undefined
  return dialects.get($schema.replace(/^https?:\/\//, "").replace(/#$/, ""))
}

/** Only own properties count: `toString` is not a field. Validation never modifies, defaults or coerces values. */
const COMMON: Options = { strict: false, logger: false, ownProperties: true, verbose: true, addUsedSchema: false }

interface Ajvs {
  readonly draft07: typeof import("ajv")
  readonly draft2020: typeof import("ajv/dist/2020.js")
  readonly formats: typeof import("ajv-formats")
}

let loaded: Ajvs | undefined

/**
 * Loads Ajv; run it before the first check. Loading takes 20 ms, which a program that only reads a log saves. Dies if
 * Ajv is not installed.
 */
export const load: Effect.Effect<void> = Effect.suspend(() =>
  loaded === undefined
    ? Effect.promise(async () => {
        const modules = await Promise.all([import("ajv"), import("ajv/dist/2020.js"), import("ajv-formats")])
        // These are CommonJS modules: in a bundle they export only a default.
        const [draft07, draft2020, formats] = modules.map((module) => module.default)
        loaded = { draft07, draft2020, formats } as unknown as Ajvs
      })
    : Effect.void,
)

/** Throws before `load` has run. */
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
