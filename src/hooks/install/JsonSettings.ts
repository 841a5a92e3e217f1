/** Changes the hooks in settings in JSON, and nothing else in them. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Refused } from "./Installer.ts"

/** The settings with other `hooks`. The same text if nothing changes; `base` begins settings that are empty. */
export const changed = (
  text: string,
  change: (hooks: JsonObject) => JsonObject,
  base: JsonObject = {},
): string | Refused => {
  const settings = parsed(text, base)
  if ("refused" in settings) return settings.refused
  const { value } = settings
  const before = SafeRecord.get(value, "hooks")
  if (before !== undefined && !isObject(before))
    return { expected: "an object as `hooks`", found: JSON.stringify(before).slice(0, 80) }
  const hooks = change(before ?? {})
  if (JSON.stringify(hooks) === JSON.stringify(before ?? {})) return text
  const { hooks: _, ...others } = value
  const next = Object.keys(hooks).length === 0 ? others : { ...others, hooks }
  return `${JSON.stringify(next, undefined, 2)}\n`
}

const parsed = (text: string, base: JsonObject): { readonly value: JsonObject } | { readonly refused: Refused } => {
  if (text.trim() === "") return { value: base }
  try {
    const value: Json = JSON.parse(text)
    return isObject(value)
      ? { value }
      : { refused: { expected: "an object", found: JSON.stringify(value).slice(0, 80) } }
  } catch (error) {
    // Most clients silently ignore such a file as a whole.
    return { refused: { expected: "JSON", found: error instanceof Error ? error.message : "something else" } }
  }
}
