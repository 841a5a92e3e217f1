/** A command as an editor shows it: title, kind, files and changes. Pure. */

import * as path from "node:path"
import * as Edits from "../../projections/conversation/Edits.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, textOf } from "../../values/JsonObjects.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"

export interface Command {
  readonly commandId: string
  /** `plugin/actuator`. */
  readonly toolName: string
  readonly args: Json
}

/** Words of an actuator's name, and the kind that each means. The first that fits counts. */
const KINDS: ReadonlyArray<readonly [words: RegExp, kind: string]> = [
  [/\b(delete|remove|unlink|rm)\b/, "delete"],
  [/\b(move|rename|mv)\b/, "move"],
  [/\b(write|edit|patch|replace|append|create|insert|update)\b/, "edit"],
  [/\b(search|find|grep|glob|query)\b/, "search"],
  [/\b(fetch|download|http|browse)\b/, "fetch"],
  [/\b(read|cat|open|view|list|ls|get|show)\b/, "read"],
  [/\b(run|exec|execute|shell|bash|command|spawn)\b/, "execute"],
  [/\b(think|plan)\b/, "think"],
]

/** A tool's kind, by the words of its name: editors choose an icon by it, and no rule reads it. */
export const kindOf = (toolName: string): string => {
  const [, actuator = toolName] = /\/(.*)$/s.exec(toolName) ?? []
  const words = actuator.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_\-.]+/g, " ")
  return KINDS.find(([fits]) => fits.test(words.toLowerCase()))?.[1] ?? "other"
}

const MAX_TITLE = 120

/** The tool, and the argument that says most. */
export const titleOf = ({ toolName, args }: Pick<Command, "toolName" | "args">): string => {
  const { command, path: file, url, query, pattern, args: more } = asObject(args)
  const line = [command, ...(typeof command === "string" && Array.isArray(more) ? more : [])]
  const told = textOf(line.filter((word) => typeof word === "string").join(" ")) ?? file ?? url ?? query ?? pattern
  const title = typeof told === "string" ? `${toolName}: ${told.replace(/\s+/g, " ")}` : toolName
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title
}

/** The fields of a tool call that its arguments determine. */
export const viewOf = (command: Pick<Command, "toolName" | "args">, cwd: string): JsonObject => {
  const file = fileOf(command.args, cwd)
  const diff = diffOf(command.args, cwd)
  return {
    title: titleOf(command),
    name: command.toolName,
    kind: kindOf(command.toolName),
    rawInput: command.args,
    ...(file === undefined ? {} : { locations: [{ path: file }] }),
    ...(diff === undefined ? {} : { content: [diff] }),
  }
}

const fileOf = (args: Json, cwd: string): string | undefined => {
  const file = Edits.pathIn(args)
  return file === undefined || canParseUrl(file) ? undefined : path.resolve(cwd, file)
}

/**
 * The change that a command makes to a file, as far as its arguments say it: a path and the new text, perhaps with the
 * text that it replaces. Undefined for other commands.
 */
const diffOf = (args: Json, cwd: string): JsonObject | undefined => {
  const file = fileOf(args, cwd)
  const edit = Edits.editIn(args)
  if (file === undefined || edit === undefined) return undefined
  return { type: "diff", path: file, oldText: edit.before, newText: edit.after }
}
