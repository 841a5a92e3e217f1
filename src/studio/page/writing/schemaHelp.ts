/** Help from a JSON Schema for a YAML document: the field at the caret, its description, and the fields next to it. */
import { type Json, type JsonObject, valueAt } from "../../../values/Json.ts"
import { isObject } from "../../../values/JsonObjects.ts"
import { pathAt } from "./yamlPlace.ts"

export interface Help {
  /** The field at the caret, such as `events/0/trigger`; empty at the top. */
  readonly path: string
  readonly description: string
  /** The possible fields of the object around the caret. */
  readonly fields: ReadonlyArray<{ readonly name: string; readonly description: string; readonly isRequired: boolean }>
}

export const helpAt = (schema: JsonObject, text: string, offset: number): Help => {
  const path = pathAt(text, offset)
  const own = schemasAt(schema, path)
  const around = schemasAt(schema, path.slice(0, -1))
  // For an object or a list of objects, its own fields help more than those next to it.
  const objects = [own, own.flatMap((one) => itemsOf(schema, one)), around].find((some) => some.some(hasFields)) ?? []
  const fields = new Map(objects.flatMap((one) => fieldsOf(schema, one)).map((field) => [field.name, field]))
  return {
    path: path.join("/"),
    description: own.map(descriptionOf).find((found) => found !== "") ?? "",
    fields: [...fields.values()],
  }
}

/** The possible schemas of the value at a path, with references resolved and alternatives listed. */
export const schemasAt = (root: JsonObject, path: ReadonlyArray<string>): ReadonlyArray<JsonObject> => {
  let schemas: ReadonlyArray<JsonObject> = alternatives(root, root)
  for (const key of path) {
    if (schemas.length === 0) break
    schemas = schemas.flatMap((schema) => {
      if (/^\d+$/.test(key) && isObject(schema.items)) return alternatives(root, schema.items)
      const named = valueAt(schema, ["properties", key])
      if (isObject(named)) return alternatives(root, named)
      return isObject(schema.additionalProperties) ? alternatives(root, schema.additionalProperties) : []
    })
  }
  return schemas
}

const itemsOf = (root: JsonObject, schema: JsonObject): ReadonlyArray<JsonObject> =>
  isObject(schema.items) ? alternatives(root, schema.items) : []

/** Maximum nesting of references and alternatives. */
const MAX_DEPTH = 12

const alternatives = (root: JsonObject, schema: JsonObject, depth = 0): ReadonlyArray<JsonObject> => {
  if (depth > MAX_DEPTH) return []
  if (typeof schema.$ref === "string") {
    const target = valueAt(root, schema.$ref.replace(/^#\//, "").split("/"))
    const followed = isObject(target) ? alternatives(root, target, depth + 1) : []
    // A field's own description beats that of its type.
    return typeof schema.description === "string"
      ? followed.map((one) => ({ ...one, description: schema.description ?? "" }))
      : followed
  }
  const several = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(several)) return [schema]
  return several.flatMap((one: Json) =>
    isObject(one) ? alternatives(root, { ...own(schema), ...one }, depth + 1) : [],
  )
}

const own = ({ description }: JsonObject): JsonObject => (description === undefined ? {} : { description })

const hasFields = ({ properties }: JsonObject): boolean => isObject(properties)

export const fieldsOf = (root: JsonObject, { properties, required }: JsonObject): Help["fields"] =>
  isObject(properties)
    ? Object.entries(properties).map(([name, schema]) => ({
        name,
        description: isObject(schema)
          ? (alternatives(root, schema)
              .map(descriptionOf)
              .find((text) => text !== "") ?? "")
          : "",
        isRequired: Array.isArray(required) && required.includes(name),
      }))
    : []

const descriptionOf = ({ description, enum: values, const: value }: JsonObject): string =>
  typeof description === "string"
    ? description
    : Array.isArray(values)
      ? values.map((one: Json) => JSON.stringify(one)).join(" or ")
      : value === undefined
        ? ""
        : JSON.stringify(value)
