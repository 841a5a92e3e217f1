/** Finds the changes of a file that the arguments of a call state, by the names that tools commonly use. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject, textOf } from "../../values/JsonObjects.ts"

const PATHS = ["path", "file_path", "filePath", "file", "filename"]

const OLD = ["old_string", "oldText", "old_text", "old", "old_str"]

const NEW = ["new_string", "newText", "new_text", "new", "new_str", "content", "contents", "text", "file_text"]

export interface Edit {
  /** As the arguments state it. */
  readonly path: string
  /** The text that it replaces; null if the arguments have only the new text. */
  readonly before: string | null
  readonly after: string
}

/** The path of the file that a call is about, if its arguments state one. */
export const pathIn = (args: Json): string | undefined => textOf(firstText(asObject(args), PATHS))

/** The edit that a call states: a path and the new text, perhaps with the text that it replaces. */
export const editIn = (args: Json): Edit | undefined => {
  const path = pathIn(args)
  const after = firstText(asObject(args), NEW)
  return path === undefined || after === undefined
    ? undefined
    : { path, before: firstText(asObject(args), OLD) ?? null, after }
}

/** All edits that a call states: its own, or those of a list named `edits`. */
export const editsIn = (args: Json): ReadonlyArray<Edit> => {
  const one = editIn(args)
  if (one !== undefined) return [one]
  const { edits } = asObject(args)
  const path = pathIn(args)
  return (Array.isArray(edits) ? edits : [])
    .filter(isObject)
    .flatMap((edit) => editIn(path === undefined ? edit : { path, ...edit }) ?? [])
}

const firstText = (args: JsonObject, names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) if (Object.hasOwn(args, name) && typeof args[name] === "string") return args[name]
  return undefined
}
