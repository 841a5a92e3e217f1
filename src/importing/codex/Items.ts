/** Reads the items of Codex's rollouts (those of OpenAI's Responses API). */

import type { Json } from "../../values/Json.ts"
import { at, field, isObject, listOf, logJson, parsed, textOf } from "../runs/Untrusted.ts"

export const textIn = (item: unknown, name: string): string => {
  const content = field(item, name)
  if (typeof content === "string") return content
  return listOf(item, name)
    .flatMap((part) => textOf(part, "text") ?? [])
    .join("\n")
}

export const contentParts = (item: unknown): ReadonlyArray<Json> =>
  listOf(item, "content").flatMap((part): ReadonlyArray<Json> => {
    const text = textOf(part, "text")
    if (text !== undefined) return [{ type: "text", text }]
    const [, mediaType, data] = /^data:([\w.+/-]+);base64,(.+)$/s.exec(textOf(part, "image_url") ?? "") ?? []
    return mediaType === undefined || data === undefined ? [] : [{ type: "file", mediaType, data }]
  })

/** A call's tool and arguments. Invalid JSON stays text. */
export const callOf = (item: unknown): { readonly tool: string; readonly args: Json; readonly isText: boolean } => {
  const type = textOf(item, "type")
  if (type === "local_shell_call")
    return { tool: "local_shell", args: logJson(field(item, "action") ?? {}).json, isText: false }
  if (type === "web_search_call")
    return { tool: "web_search", args: logJson(field(item, "action") ?? {}).json, isText: false }
  const tool = textOf(item, "name") ?? "unknown"
  if (type === "custom_tool_call")
    return { tool, args: { input: logJson(field(item, "input") ?? "").json }, isText: false }
  const text = field(item, "arguments")
  if (typeof text !== "string") return { tool, args: logJson(text ?? {}).json, isText: false }
  const args = text === "" ? {} : parsed(text)
  return args === undefined
    ? { tool, args: logJson(text).json, isText: true }
    : { tool, args: logJson(args).json, isText: false }
}

/** A call's result, and whether it succeeded as far as it shows. */
export const resultOf = (item: unknown): { readonly content: unknown; readonly ok: boolean } => {
  const output = field(item, "output")
  if (Array.isArray(output)) {
    const texts = output.map((part) => textOf(part, "text"))
    const content = texts.every((text) => text !== undefined) ? texts.join("\n") : output
    return { content, ok: typeof content !== "string" || isSuccess(content) }
  }
  if (isObject(output)) {
    const content = field(output, "content") ?? output
    return { content, ok: field(output, "success") !== false && (typeof content !== "string" || isSuccess(content)) }
  }
  if (typeof output !== "string") return { content: output ?? null, ok: true }
  const structured = output.startsWith("{") ? parsed(output) : undefined
  const exitCode = field(field(structured, "metadata"), "exit_code")
  if (typeof exitCode === "number") return { content: structured, ok: exitCode === 0 }
  return { content: output, ok: isSuccess(output) }
}

/** Whether the head of a result reports no failure. */
const isSuccess = (text: string): boolean => {
  const head = text.slice(0, 400)
  const [, code] = /^(?:Exit code: |Process exited with code )(-?\d+)/m.exec(head) ?? []
  return code === undefined
    ? !/^(?:execution error|failed to parse function arguments|unsupported call)/i.test(head)
    : code === "0"
}

/** Whether a person or hook refused the call. */
export const isRefusal = (content: unknown): content is string =>
  typeof content === "string" &&
  /^(?:exec command rejected by user|patch rejected by user|rejected by user|Command blocked by \w+ hook|Rejected\()/i.test(
    content,
  )

/** Whether the call was interrupted or the program ended during it; its effects are unknown. */
export const isInterrupted = (content: unknown): content is string =>
  typeof content === "string" && /^aborted(?:$| by user)/i.test(content)

export const patchOf = (tool: string, args: unknown): string | undefined => {
  const texts = [
    field(args, "input"),
    field(args, "patch"),
    args,
    ...listOf(args, "command"),
    field(args, "command"),
    field(args, "cmd"),
  ]
  if (tool !== "apply_patch" && !["shell", "local_shell", "exec_command", "container.exec"].includes(tool))
    return undefined
  const text = texts.find((one): one is string => typeof one === "string" && one.includes("*** Begin Patch"))
  const [, patch] = /\*\*\* Begin Patch\n([\s\S]*?)(?:\n\*\*\* End Patch|$)/.exec(text ?? "") ?? []
  return patch
}

/** User messages that Codex itself writes. */
export const OF_THE_PROGRAM =
  /^<(?:environment_context|user_instructions|user_shell_command|turn_aborted|permissions|INSTRUCTIONS|skill|subagent_notification)|^# AGENTS\.md instructions/

/** Whether a person typed the message. Since 0.170, Codex states the origin of each part, which takes precedence. */
export const isTyped = (item: unknown, text: string): boolean => {
  const origins = listOf(field(item, "internal_chat_message_metadata_passthrough"), "content_item_metadata").flatMap(
    (part) => textOf(at(part, "provenance"), "type") ?? [],
  )
  if (textOf(item, "role") !== "user" || text === "") return false
  return origins.length > 0 ? origins.includes("user") : !OF_THE_PROGRAM.test(text)
}

export const isPrompt = (line: unknown): boolean => goalIn(line) !== undefined

export const isAnswer = (line: unknown): boolean => {
  const item = isObject(field(line, "payload")) ? field(line, "payload") : line
  return (
    field(item, "role") === "assistant" || /^(?:reasoning|\w+_call|agent_message)$/.test(textOf(item, "type") ?? "")
  )
}

/** The person's text in a line, if it can be the goal. */
export const goalIn = (value: unknown): string | undefined => {
  const payload = isObject(field(value, "payload")) ? field(value, "payload") : value
  if (field(payload, "type") === "message") {
    const said = textIn(payload, "content")
    return isTyped(payload, said) ? said : undefined
  }
  const text = field(payload, "type") === "user_message" ? textOf(payload, "message") : undefined
  return text === undefined || OF_THE_PROGRAM.test(text) ? undefined : text
}
