import { type Json, type JsonObject, valueAt } from "../../values/Json.ts"
import * as Check from "./Check.ts"
import { checkSchema, type SchemaMistake } from "./checkSchema.ts"

/**
 * The JSON Schemas that a manifest gives its components, enforced: what an actuator takes (`args`) and answers (`result`),
 * and what a sensor reads (`reading`). Draft 2020-12, or draft-07 where `$schema` says so. `format` is asserted;
 * unknown keywords and formats say nothing. Nothing is fetched, and no value or schema holds up the host for long:
 * see `schemas/`.
 */

/** Loads what checks are made with. Run it before the first of them. */
export { load } from "./dialect.ts"

/** What of a component a schema speaks of. */
export type Part = "args" | "reading" | "result"

/**
 * How a value disagrees with what the manifest says of it: `args.item: expected string, found 3`. Undefined where it
 * agrees, and where the manifest says nothing. The schema is compiled when it is first needed, and once for whatever
 * manifest says the same.
 */
export const disagreement = (part: Part, schema: JsonObject | undefined, value: Json): string | undefined =>
  schema === undefined ? undefined : Check.of(schema).disagreement(part, value)

/** What is wrong with the schemas in a manifest's document, which may have other mistakes; paths into that document. */
export const mistakes = (document: Json): ReadonlyArray<SchemaMistake> =>
  PLACES.flatMap(([list, part]) => {
    const components = valueAt(document, ["peas", list])
    if (!Array.isArray(components)) return []
    return components.flatMap((_, index) => {
      const schema = valueAt(document, ["peas", list, String(index), part])
      if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return []
      return checkSchema(schema as JsonObject).map(({ path, ...mistake }) => ({
        ...mistake,
        path: `/peas/${list}/${index}/${part}${path}`,
      }))
    })
  })

const PLACES: ReadonlyArray<readonly [list: string, part: Part]> = [
  ["sensors", "reading"],
  ["actuators", "args"],
  ["actuators", "result"],
]
