/**
 * Normalizes a message to a text that does not depend on how a client wrote it. Clients resend conversations with other
 * key orders, spaces, escapes and ids, with rewritten arguments, and with cache marks that move.
 */

import type { AnswerPart, Message, ToldPart } from "../../agents/models/Message.ts"
import { canonicalJson } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"

/** The normalized message. Two messages with equal text may be the same message, resent. */
export const of = (message: Message): string => {
  if (message.role === "assistant") return `assistant ${JSON.stringify(said(message.content))}`
  // Call ids are dropped; their order stays.
  if (message.role === "tool") {
    return `tool ${JSON.stringify(message.content.map(({ content, isError }) => [told(content), isError]))}`
  }
  return `${message.role} ${JSON.stringify(heard(message.content))}`
}

/** The normalized call with the model's id of it, practically unique across conversations. */
export const ofCall = (part: Extract<AnswerPart, { readonly type: "call" }>): string =>
  `${part.callId} ${JSON.stringify(called(part))}`

/** Text and calls only: clients drop or rewrite reasoning and hosted calls. */
const said = (parts: ReadonlyArray<AnswerPart>): ReadonlyArray<Json> => {
  let text = ""
  const calls: Array<Json> = []
  for (const part of parts) {
    if (part.type === "text") text += part.text
    else if (part.type === "call") calls.push(called(part))
  }
  const spoken = text.replace(THOUGHT, "").trim()
  return spoken === "" ? calls : [spoken, ...calls]
}

/** How some clients write reasoning when they send an answer back. */
const THOUGHT = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/

const called = ({ tool, args }: Extract<AnswerPart, { readonly type: "call" }>): Json => ({
  tool,
  args: typeof args === "string" ? args : canonicalJson(args),
})

const heard = (parts: ReadonlyArray<ToldPart>): ReadonlyArray<Json> => {
  const content: Array<Json> = []
  let text = ""
  const flush = () => {
    if (text.trim() !== "") content.push(text.trim())
    text = ""
  }
  for (const part of parts) {
    if (part.type === "text") {
      text += part.text
      continue
    }
    flush()
    content.push(part.type === "file" ? { file: part.data, type: part.mediaType } : canonicalJson(plain(part.item)))
  }
  flush()
  return content
}

const told = (content: Json): string => {
  if (typeof content === "string") return content.trim()
  if (Array.isArray(content) && content.every(isText)) {
    return content
      .map(({ text }) => text)
      .join("")
      .trim()
  }
  return canonicalJson(plain(content))
}

const isText = (block: Json): block is { readonly type: "text"; readonly text: string } =>
  isObject(block) && block.type === "text" && typeof block.text === "string"

/** Drops the fields that clients change: ids, states and cache marks. */
const plain = (value: Json): Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !CHANGING.has(name))
      .map(([name, field]) => [name, plain(field)]),
  )
}

const CHANGING: ReadonlySet<string> = new Set(["id", "status", "cache_control", "call_id", "tool_use_id"])
