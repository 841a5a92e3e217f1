/** Formats values and paths for messages. */

/** Describes a value briefly, without the content of objects and lists. */
export const describe = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  if (typeof value === "object" && value !== null) return "an object"
  if (typeof value === "string")
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value)
  return typeof value === "function" ? "a function" : String(value)
}

/** Escapes a key for a JSON Pointer (RFC 6901). */
export const token = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")
