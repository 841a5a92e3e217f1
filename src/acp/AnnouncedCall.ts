/** A tool call as the agent announces and updates it. Pure. */

import type { ToolCall, ToolOutcome } from "../hooks/HookEvent.ts"
import { recordable } from "../record/Recordable.ts"
import { defined } from "../values/defined.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import { asObject, isObject, textOf } from "../values/JsonObjects.ts"
import * as SafeRecord from "../values/SafeRecord.ts"

/** Its fields so far: an update replaces the fields that it has. */
export const merged = (before: JsonObject, update: JsonObject): JsonObject => {
  const { sessionUpdate: _, ...fields } = update
  return { ...before, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) }
}

/** Agents name no tool, so the call's kind takes its place. */
export const callOf = (fields: JsonObject, callId: string): ToolCall => ({
  tool: textOf(fields.kind) ?? "other",
  input: recordable<Json>(inputOf(fields), (omitted) => ({ omitted })),
  callId,
})

/** How it ended, if the agent has said. */
export const outcomeOf = (fields: JsonObject): ToolOutcome | undefined => {
  const { status, content = [], rawOutput } = fields
  if (status !== "completed" && status !== "failed") return undefined
  return { ok: status === "completed", content: rawOutput === undefined ? content : { content, rawOutput } }
}

const inputOf = (fields: JsonObject): JsonObject => {
  const { kind, rawInput, title, locations, content } = fields
  const given = isObject(rawInput) ? rawInput : defined({ input: rawInput })
  // Some agents show the input only as a diff, in content.
  const diffs = Array.isArray(content) ? content.filter((part) => isObject(part) && part.type === "diff") : []
  const command = kind === "execute" ? (lineOf(SafeRecord.get(given, "command")) ?? textOf(title)) : undefined
  const isPlace = Array.isArray(locations) && locations.length > 0
  return {
    ...defined({ title, locations: isPlace ? locations : undefined, diffs: diffs.length > 0 ? diffs : undefined }),
    ...given,
    ...defined({ command }),
  }
}

/** A shell's line. `["/bin/bash", "-lc", line]` is a line, too. */
const lineOf = (command: Json | undefined): string | undefined => {
  if (!Array.isArray(command)) return textOf(command)
  const words = command.map(String)
  const [, option, line] = words
  return words.length === 3 && /^-l?c$/.test(option ?? "") ? line : words.join(" ")
}

export const idOf = (fields: Json | undefined): string | undefined => textOf(asObject(fields).toolCallId)
