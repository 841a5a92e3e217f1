/** Help from a JSON Schema while a YAML document is written: which field the caret is in, what it is, and which fields there are beside it. */
import { type Json, type JsonObject, valueAt } from "../../../values/Json.ts"
import { isObject } from "../../../values/JsonObjects.ts"
import { pathAt } from "./yamlPlace.ts"

/** What is known at the caret. */
export interface Help {
  /** The field that the caret is in, such as `events/0/trigger`; empty at the top. */
  readonly path: string
  readonly description: string
  /** The fields that the object around the caret may have. */
  readonly fields: ReadonlyArray<{ readonly name: string; readonly description: string; readonly isRequired: boolean }>
}

/** Help for a place in a text. */
export const helpAt = (schema: JsonObject, text: string, offset: number): Help => {
  const path = pathAt(text, offset)
  const own = schemasAt(schema, path)
  const around = schemasAt(schema, path.slice(0, -1))
  // Where the field is an object or a list of objects, its own fields are of more use than those beside it.
  const objects = [own, own.flatMap((one) => itemsOf(schema, one)), around].find((some) => some.some(hasFields)) ?? []
  const fields = new Map(objects.flatMap((one) => fieldsOf(schema, one)).map((field) => [field.name, field]))
  return {
    path: path.join("/"),
    description: own.map(descriptionOf).find((found) => found !== "") ?? "",
    fields: [...fields.values()],
  }
}

/** The schemas that a value at a path may have, with references followed and alternatives beside each other. */
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

/** Most references and alternatives in one another. */
const MAX_DEPTH = 12

const alternatives = (root: JsonObject, schema: JsonObject, depth = 0): ReadonlyArray<JsonObject> => {
  if (depth > MAX_DEPTH) return []
  if (typeof schema.$ref === "string") {
    const target = valueAt(root, schema.$ref.replace(/^#\//, "").split("/"))
    const followed = isObject(target) ? alternatives(root, target, depth + 1) : []
    // What is said of the field itself is nearer than what is said of its type.
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

/** What alternatives share. */
const own = ({ description }: JsonObject): JsonObject => (description === undefined ? {} : { description })

const hasFields = ({ properties }: JsonObject): boolean => isObject(properties)

/** The fields that an object of a schema may have. */
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
