/** Enumerates the subschemas of a JSON Schema. */
import type { Json, JsonObject } from "../../values/Json.ts"
import { pointerToken } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"

/** A schema within a schema. */
export interface Subschema {
  /** A JSON Pointer (RFC 6901) from the whole schema. */
  readonly path: string
  readonly schema: JsonObject
}

/** All subschemas, the schema itself first. Values of `const` and `enum` do not count. */
export const subschemas = (schema: JsonObject): ReadonlyArray<Subschema> => {
  const found: Array<Subschema> = [{ path: "", schema }]
  for (const { path, schema } of found) {
    for (const [keyword, value] of Object.entries(schema)) {
      const inside = `${path}/${pointerToken(keyword)}`
      if (ONE.has(keyword)) add(found, inside, value)
      if (LISTS.has(keyword) && isList(value)) value.forEach((item, index) => add(found, `${inside}/${index}`, item))
      if (MAPS.has(keyword) && isObject(value)) {
        for (const [name, item] of Object.entries(value)) add(found, `${inside}/${pointerToken(name)}`, item)
      }
    }
  }
  return found
}

const add = (found: Array<Subschema>, path: string, value: Json) => {
  if (isObject(value)) found.push({ path, schema: value })
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Keywords that hold a schema, in draft-07 or 2020-12. */
const ONE: ReadonlySet<string> = new Set([
  ...["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
  ...["contentSchema", "unevaluatedItems", "unevaluatedProperties"],
])

/** Keywords that hold a list of schemas. */
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"])

/** Keywords that hold an object of schemas. */
const MAPS: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"],
])
