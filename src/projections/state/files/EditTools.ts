/** Which file a call of an editing tool says that it changes. */

import type { Json } from "../../../values/Json.ts"
import { isObject } from "../../../values/JsonObjects.ts"

/** Tools of coding agents whose success says that a file changed, by the last part of the actuator's name. */
const EDITORS: ReadonlySet<string> = new Set([
  // Claude Code, Copilot, opencode
  ...["Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "create", "insert", "write"],
  // Gemini CLI, Qwen Code, OpenHands, SWE-agent
  ...["write_file", "replace", "file_editor", "str_replace_editor"],
])

/** The members of arguments that hold the file's path. */
const PATHS = ["file_path", "filePath", "notebook_path", "path"] as const

/** What such a tool does with a file when it changes nothing. */
const READING: ReadonlySet<Json> = new Set(["view"])

/** Maximum length of a path. Systems allow less. */
const MAX_PATH = 4_096

/** The file below a root, relative to it; undefined for other tools, and for files elsewhere. */
export const editedFile = (actuator: string, args: Json, root: string): string | undefined => {
  if (!EDITORS.has(actuator.slice(actuator.lastIndexOf("/") + 1)) || !isObject(args)) return undefined
  if (args.command !== undefined && READING.has(args.command)) return undefined
  const named = PATHS.map((key) => args[key]).find((path) => typeof path === "string")
  if (typeof named !== "string" || named.length > MAX_PATH) return undefined
  const file = named.startsWith(`${root}/`) ? named.slice(root.length + 1) : named.replace(/^\.\//, "")
  return file === "" || file.startsWith("/") || file.split("/").includes("..") ? undefined : file
}
