/** Items of OpenAI's Responses API: model output, and results that a program sends back. */

import type { AnswerPart, CallPart } from "../../agents/models/Message.ts"
import { defined } from "../../values/defined.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"

/** Whether models produce items of this type, so that one in a request came from a model. */
export const isOfModel = (item: unknown): boolean => {
  const type = typeOf(item)
  return (
    has(CALLS, type) ||
    has(HOSTED, type) ||
    has(OTHERS, type) ||
    type === "image_generation_call" ||
    type === "tool_search_call"
  )
}

/** The result of a call, from the program or from the provider; undefined for other items. */
export const resultIn = (
  item: unknown,
): { readonly callId: unknown; readonly content: unknown; readonly isError: boolean } | undefined => {
  const type = typeOf(item)
  if (type === "mcp_approval_response") {
    const { approve, reason } = fieldsOf(item)
    const content = { approve, ...(reason === undefined || reason === null ? {} : { reason }) }
    return { callId: fieldOf(item, "approval_request_id"), content, isError: false }
  }
  if (!RESULTS.has(type) && !type.endsWith("_call_output")) return undefined
  return {
    callId: fieldOf(item, "call_id") ?? fieldOf(item, "id"),
    content: fieldOf(item, "output") ?? fieldOf(item, "result") ?? fieldOf(item, "tools") ?? null,
    isError: fieldOf(item, "status") === "failed",
  }
}

const RESULTS: ReadonlySet<string> = new Set(["tool_search_output", "program_output"])

/** The parts of a model's items, in order. A call whose result is in the same list ran at the provider. */
export const partsOf = (items: ReadonlyArray<unknown>, callId: () => string): ReadonlyArray<AnswerPart> => {
  const results = new Map(items.map(resultIn).flatMap((result) => (result ? [[result.callId, result] as const] : [])))
  const calls = new Set(items.filter((item) => resultIn(item) === undefined).map((item) => fieldOf(item, "call_id")))
  return items.flatMap((item): ReadonlyArray<AnswerPart> => {
    const end = resultIn(item)
    if (end !== undefined && calls.has(end.callId)) return []
    // Its call is in an earlier answer.
    if (end !== undefined) {
      const tool = typeOf(item).replace(/(_call)?_output$/, "")
      return [Parts.hostedPart(end.callId, tool, {}, { result: end.content, isError: end.isError })]
    }
    const parts = partsOfItem(item, callId)
    const result = results.get(fieldOf(item, "call_id"))
    if (result === undefined) return parts
    const { content, isError } = result
    return parts.map((part) =>
      part.type === "call" || part.type === "hosted"
        ? Parts.hostedPart(part.callId, part.tool, part.args, { result: content, isError })
        : part,
    )
  })
}

/** The refusal in a message; empty if there is none. */
export const refusalIn = (item: unknown): string =>
  Parts.listOf(fieldOf(item, "content"))
    .map((part) => Parts.anyText(fieldOf(part, "refusal")) ?? "")
    .join("")

const partsOfItem = (item: unknown, callId: () => string): ReadonlyArray<AnswerPart> => {
  const type = typeOf(item)
  if (type === "tool_search_call") {
    return fieldOf(item, "execution") === "client"
      ? [call(item, callId, "tool_search", "arguments")]
      : [hosted(item, type)]
  }
  if (type === "custom_tool_call" && OF_XAI.has(fieldOf(item, "name")) && fieldOf(item, "status") === "completed") {
    return [Parts.hostedPart(fieldOf(item, "call_id"), fieldOf(item, "name"), fieldOf(item, "input"))]
  }
  if (has(CALLS, type)) return [CALLS[type]?.(item, callId) ?? Parts.unreadPart(item)]
  if (has(HOSTED, type)) return [hosted(item, type)]
  if (has(OTHERS, type)) return OTHERS[type]?.(item) ?? []
  if (type === "image_generation_call") {
    const { result, output_format, revised_prompt } = fieldsOf(item)
    const args = revised_prompt === undefined || revised_prompt === null ? {} : { prompt: revised_prompt }
    const image = Parts.filePart(`image/${textOf(output_format) ?? "png"}`, result, item)
    return [
      Parts.hostedPart(fieldOf(item, "id"), "image_generation", args, {
        isError: fieldOf(item, "status") === "failed",
      }),
      ...(image.type === "file" ? [image] : []),
    ]
  }
  return [Parts.unreadPart(item)]
}

const has = (table: object, type: string): boolean => Object.hasOwn(table, type)

const typeOf = (item: unknown): string =>
  Parts.anyText(fieldOf(item, "type")) ?? (fieldOf(item, "role") === undefined ? "" : "message")

const fieldsOf = (item: unknown) =>
  (typeof item === "object" && item !== null ? { ...item } : {}) as Record<string, unknown>

const call = (item: unknown, callId: () => string, tool: unknown, args: string): CallPart =>
  Parts.callPart(textOf(fieldOf(item, "call_id")) ?? textOf(fieldOf(item, "id")) ?? callId(), tool, fieldOf(item, args))

/** Calls that the program runs. */
const CALLS: { readonly [type: string]: (item: unknown, callId: () => string) => CallPart } = {
  function_call: (item, callId) =>
    Parts.callPart(textOf(fieldOf(item, "call_id")) ?? callId(), fieldOf(item, "name"), fieldOf(item, "arguments")),
  custom_tool_call: (item, callId) =>
    Parts.textCallPart(textOf(fieldOf(item, "call_id")) ?? callId(), fieldOf(item, "name"), fieldOf(item, "input")),
  computer_call: (item, callId) => {
    const { action, actions, pending_safety_checks: checks } = fieldsOf(item)
    const args = {
      ...(actions === undefined ? { action } : { actions }),
      ...(isEmpty(checks) ? {} : { pending_safety_checks: checks }),
    }
    return Parts.callPart(textOf(fieldOf(item, "call_id")) ?? callId(), "computer", args)
  },
  local_shell_call: (item, callId) => call(item, callId, "local_shell", "action"),
  shell_call: (item, callId) => call(item, callId, "shell", "action"),
  apply_patch_call: (item, callId) => call(item, callId, "apply_patch", "operation"),
  mcp_approval_request: (item, callId) => {
    const { id, server_label, name, arguments: args } = fieldsOf(item)
    return Parts.callPart(textOf(id) ?? callId(), "mcp_approval_request", {
      server_label,
      name,
      arguments: args ?? null,
    })
  },
}

const isEmpty = (list: unknown): boolean => Parts.listOf(list).length === 0

/** Hosted tools, with the fields for their arguments and their result. */
const HOSTED: { readonly [type: string]: { readonly args: ReadonlyArray<string>; readonly result?: string } } = {
  web_search_call: { args: ["action"] },
  file_search_call: { args: ["queries"], result: "results" },
  code_interpreter_call: { args: ["code", "container_id"], result: "outputs" },
  mcp_call: { args: ["arguments"], result: "output" },
  mcp_list_tools: { args: ["server_label"], result: "tools" },
  // A program written by the model, which calls the tools of the requesting program.
  program: { args: ["code"] },
  // xAI's tools.
  x_search_call: { args: ["arguments"] },
  code_execution_call: { args: ["arguments"] },
  view_image_call: { args: ["arguments"] },
  view_x_video_call: { args: ["arguments"] },
  tool_search_call: { args: ["arguments"] },
}

const hosted = (item: unknown, type: string): AnswerPart => {
  const { args, result } = HOSTED[type] ?? { args: [] }
  const fields = fieldsOf(item)
  const given = args.filter((name) => fields[name] !== undefined && fields[name] !== null)
  const asked = given.length === 1 && given[0] === "arguments" ? fields.arguments : pick(fields, given)
  const label = textOf(fields.server_label)
  const named = [label, textOf(fields.name)].filter(Boolean).join(".")
  const tool = type !== "mcp_list_tools" && named !== "" ? named : type.replace(/_call$/, "")
  const error = fields.error === null ? undefined : fields.error
  return Parts.hostedPart(textOf(fields.call_id) ?? fields.id, tool, asked, {
    result: error ?? (result === undefined ? undefined : fields[result]),
    isError: error !== undefined || fields.status === "failed",
  })
}

/** Custom tools that xAI calls and runs itself. */
const OF_XAI: ReadonlySet<unknown> = new Set([
  ...["web_search", "web_search_with_snippets", "browse_page", "view_image", "view_x_video"],
  ...["x_user_search", "x_keyword_search", "x_semantic_search", "x_thread_fetch"],
])

const pick = (fields: Record<string, unknown>, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, fields[name]]))

const OTHERS: { readonly [type: string]: (item: unknown) => ReadonlyArray<AnswerPart> } = {
  message: (item) => {
    const content = fieldOf(item, "content")
    return typeof content === "string" ? Parts.textParts(content) : joinedTexts(Parts.listOf(content))
  },
  reasoning: (item) => {
    const text = Parts.textIn(fieldOf(item, "summary")) || Parts.textIn(fieldOf(item, "content"))
    const [id, encrypted] = [textOf(fieldOf(item, "id")), textOf(fieldOf(item, "encrypted_content"))]
    // Encrypted reasoning goes back unchanged.
    const metadata =
      encrypted === undefined
        ? undefined
        : { openai: { ...defined({ itemId: id }), reasoningEncryptedContent: encrypted } }
    return Parts.reasoningParts(text, metadata)
  },
  compaction: (item) => [Parts.itemPart("compaction", item)],
}

const joinedTexts = (content: ReadonlyArray<unknown>): ReadonlyArray<AnswerPart> => {
  const parts: Array<AnswerPart> = []
  for (const part of content) {
    const text = Parts.anyText(fieldOf(part, "text"))
    if (text !== undefined) for (const read of Parts.textParts(text)) Parts.join(parts, read)
    else if (fieldOf(part, "type") !== "refusal") parts.push(Parts.unreadPart(part))
  }
  return parts
}
