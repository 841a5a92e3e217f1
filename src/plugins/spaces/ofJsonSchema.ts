/** Spaces of values that a JSON Schema describes. */

import type { Bound, BoxSpace, Json, JsonObject, Nested, Space } from "../author.ts"
import { isSpace } from "./flaws.ts"

/** Maximum length of a text without a limit of its own. */
export const LONGEST_TEXT = 1_048_576

/** Maximum depth of a schema, with the schemas that it refers to. */
const MAX_DEPTH = 8

/** Maximum number of parts of a space: schemas that refer to others many times have far more than their text. */
const MAX_PARTS = 200_000

/** Maximum number of values of a space that lists them. */
const MAX_DISCRETE = 2_147_483_648

/**
 * The smallest space with all values of a schema, or undefined if no space has them: values that may be null, objects
 * with any keys, or alternatives. `root` holds the definitions to which the schema refers (`#/$defs/name`).
 *
 * A whole number with both bounds is `Discrete`, numbers of fixed lists are one `Box`, and lists of any length a
 * `Sequence`. Formats and patterns make a space no smaller. A schema of more than 200,000 parts has no space.
 */
export const ofJsonSchema = (schema: Json | undefined, root: JsonObject = {}): Space | undefined => {
  const found = spaceOf(schema, { root, left: MAX_PARTS }, MAX_DEPTH)
  return found !== undefined && partsOf(found, new Map()) <= MAX_PARTS && isSpace(found) ? found : undefined
}

/** The definitions, and the number of parts that may still come. */
interface Reading {
  readonly root: JsonObject
  left: number
}

/** The number of parts of a space whose parts may be one object in several places. */
const partsOf = (space: Space, known: Map<Space, number>): number => {
  const before = known.get(space)
  if (before !== undefined) return before
  const sum = (parts: ReadonlyArray<Space>) => parts.reduce((total, part) => total + partsOf(part, known), 1)
  const parts = (() => {
    if (space.type === "Tuple") return sum(space.subspaces)
    if (space.type === "Dict") return sum(Object.values(space.subspaces))
    if (space.type === "Sequence") return sum([space.feature_space])
    const isListed = space.type === "Box" && (Array.isArray(space.low) || Array.isArray(space.high))
    return isListed ? space.shape.reduce((product, length) => product * length, 1) : 1
  })()
  known.set(space, parts)
  return parts
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

const spaceOf = (given: Json | undefined, reading: Reading, depth: number): Space | undefined => {
  reading.left -= 1
  if (!isObject(given) || depth === 0 || reading.left < 0) return undefined
  const reference = own(given, "$ref")
  if (reference !== undefined) return spaceOf(referred(reference, reading.root), reading, depth - 1)
  const { type } = given
  switch (type) {
    case "boolean":
      return { type: "Box", dtype: "bool", shape: [], low: false, high: true }
    case "integer":
      return integers(given)
    case "number":
      return box("float64", given)
    case "string":
      return { type: "Text", min_length: countIn(given, "minLength") ?? 0, max_length: longest(given) }
    case "array":
      return list(given, reading, depth)
    case "object":
      return dict(given, reading, depth)
    default:
      return undefined
  }
}

const referred = (reference: Json, root: JsonObject): Json | undefined => {
  const name = typeof reference === "string" ? /^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec(reference)?.[1] : undefined
  if (name === undefined) return undefined
  const definitions = own(root, "$defs") ?? own(root, "definitions")
  return isObject(definitions) ? own(definitions, name) : undefined
}

const numberIn = (schema: JsonObject, key: string): number | undefined => {
  const found = own(schema, key)
  return typeof found === "number" && Number.isFinite(found) ? found : undefined
}

const countIn = (schema: JsonObject, key: string): number | undefined => {
  const found = numberIn(schema, key)
  return Number.isSafeInteger(found) && Number(found) >= 0 ? found : undefined
}

const longest = (schema: JsonObject): number =>
  Math.max(1, Math.min(countIn(schema, "maxLength") ?? LONGEST_TEXT, LONGEST_TEXT))

const integers = (schema: JsonObject): Space => {
  const above = numberIn(schema, "exclusiveMinimum")
  const below = numberIn(schema, "exclusiveMaximum")
  const low = Math.ceil(numberIn(schema, "minimum") ?? (above === undefined ? -Infinity : Math.floor(above) + 1))
  const high = Math.floor(numberIn(schema, "maximum") ?? (below === undefined ? Infinity : Math.ceil(below) - 1))
  const n = high - low + 1
  const listed = n >= 1 && n <= MAX_DISCRETE && Number.isSafeInteger(low)
  if (listed) return { type: "Discrete", n, ...(low === 0 ? {} : { start: low }) }
  return { type: "Box", dtype: "int64", shape: [], low: bound(low), high: bound(high) }
}

const box = (dtype: string, schema: JsonObject): BoxSpace => ({
  type: "Box",
  dtype,
  shape: [],
  low: bound(numberIn(schema, "minimum") ?? numberIn(schema, "exclusiveMinimum") ?? -Infinity),
  high: bound(numberIn(schema, "maximum") ?? numberIn(schema, "exclusiveMaximum") ?? Infinity),
})

/** As JSON holds it. */
const bound = (value: number): Bound => (Number.isFinite(value) ? value : value > 0 ? "Infinity" : "-Infinity")

const list = (schema: JsonObject, reading: Reading, depth: number): Space | undefined => {
  const first = own(schema, "prefixItems")
  const [least = 0, most] = [countIn(schema, "minItems"), countIn(schema, "maxItems")]
  if (Array.isArray(first)) {
    const isFixed = first.length > 0 && least === first.length && most === first.length
    return isFixed ? together(first.map((part) => spaceOf(part, reading, depth - 1))) : undefined
  }
  const feature = spaceOf(own(schema, "items"), reading, depth - 1)
  if (feature === undefined) return undefined
  if (least !== most) return { type: "Sequence", feature_space: feature }
  reading.left -= least
  return least === 0 || least > 65_536 || reading.left < 0
    ? undefined
    : together(Array.from({ length: least }, () => feature))
}

/** One Box if all parts are of the same kind and shape, otherwise a Tuple. */
const together = (parts: ReadonlyArray<Space | undefined>): Space | undefined => {
  const known = parts.filter((part) => part !== undefined)
  const [first] = known
  if (first === undefined || known.length < parts.length) return undefined
  const boxes = known.flatMap((part) => (part.type === "Box" ? [part] : []))
  const [one] = boxes
  const isBox =
    one !== undefined &&
    boxes.length === known.length &&
    boxes.every(({ dtype, shape }) => dtype === one.dtype && JSON.stringify(shape) === JSON.stringify(one.shape))
  if (!isBox) return { type: "Tuple", subspaces: known }
  const shape = [boxes.length, ...one.shape]
  return {
    ...{ type: "Box", dtype: one.dtype, shape },
    ...{ low: joined(boxes.map(({ low }) => low)), high: joined(boxes.map(({ high }) => high)) },
  }
}

/** One bound if all are equal; bounds of nested lists have the lists' shape. */
const joined = (bounds: ReadonlyArray<Nested<Bound | boolean>>): Nested<Bound | boolean> => {
  const [first = 0] = bounds
  return !Array.isArray(first) && bounds.every((bound) => bound === first) ? first : bounds
}

const dict = (schema: JsonObject, reading: Reading, depth: number): Space | undefined => {
  const properties = own(schema, "properties")
  const required = own(schema, "required")
  if (!isObject(properties) || (own(schema, "additionalProperties") ?? false) !== false) return undefined
  const parts = Object.entries(properties).map(([key, part]) => [key, spaceOf(part, reading, depth - 1)] as const)
  const known = parts.flatMap(([key, part]) => (part === undefined ? [] : [[key, part] as const]))
  const isWhole = known.length === parts.length && known.length > 0 && Array.isArray(required)
  return isWhole && known.every(([key]) => required.includes(key))
    ? { type: "Dict", subspaces: Object.fromEntries(known) }
    : undefined
}
