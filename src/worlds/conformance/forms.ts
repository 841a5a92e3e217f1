/** The forms of values and masks, by their spaces. */

import type { Space } from "../../plugins/author.ts"
import { isSpace } from "../../plugins/spaces/Space.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"

/**
 * Compares the forms of two values of a space: types, keys and lengths, but not numbers and strings. Ignores spaces
 * whose values may have several forms. Returns the difference in words, or undefined.
 */
export const formDiffers = (before: Json, after: Json, space: unknown, path = ""): string | undefined => {
  const known = isSpace(space) ? space : undefined
  if (known?.type === "Sequence" || known?.type === "Graph" || known?.type === "OneOf") return undefined
  const [was, is] = [formOf(before), formOf(after)]
  if (was !== is) return `${path === "" ? "" : `${path}: `}expected ${was}, found ${is}`
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return undefined
  const parts = known?.type === "Tuple" || known?.type === "Dict" ? new Map(Object.entries(known.subspaces)) : undefined
  for (const [key, part] of Object.entries(before)) {
    const other = new Map(Object.entries(after)).get(key)
    const why = other === undefined ? undefined : formDiffers(part, other, parts?.get(key), `${path}/${key}`)
    if (why !== undefined) return why
  }
  return undefined
}

const formOf = (value: Json): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isObject(value)) return `an object with ${Object.keys(value).toSorted().join(", ")}`
  return value === null ? "null" : `a ${typeof value}`
}

/** Whether a mask leaves some action legal, as far as it consists of flags. */
export const hasLegal = (mask: Json, space: unknown): boolean => {
  if (mask === null) return true
  const known = isSpace(space) ? space : undefined
  switch (known?.type) {
    // A MultiBinary mask always leaves 0, 1 or both.
    case "MultiBinary":
      return true
    case "Sequence": {
      const [lengths, values] = Array.isArray(mask) ? mask : []
      return [lengths].flat().includes(0) || hasLegal(values ?? null, known.feature_space)
    }
    case "Graph":
      return !Array.isArray(mask) || hasLegal(mask[0] ?? null, known.node_space)
    case "OneOf":
      return partsOf(mask, known).some((isLegal) => isLegal)
    case "Tuple":
    case "Dict":
      return partsOf(mask, known).every((isLegal) => isLegal)
    default:
      if (Array.isArray(mask) && mask.every((flag) => typeof flag === "number")) return mask.some((flag) => flag !== 0)
      return typeof mask !== "object" || Object.values(mask).every((part) => hasLegal(part, undefined))
  }
}

/** Whether each part's mask leaves some action legal. */
const partsOf = (
  mask: Json,
  { subspaces }: Extract<Space, { readonly type: "OneOf" | "Tuple" | "Dict" }>,
): ReadonlyArray<boolean> => {
  const masks = new Map(typeof mask === "object" && mask !== null ? Object.entries(mask) : [])
  return Object.entries(subspaces).map(([key, part]) => hasLegal(masks.get(key) ?? null, part))
}
