/**
 * What a message says, as a text that is the same however a client wrote the message. Clients send a conversation back with other
 * orders of keys, spaces and escapes, with arguments that they wrote again, with ids of their own, and with marks for caches that move.
 */

import type { AnswerPart, Message, ToldPart } from "../../agents/models/Message.ts"
import { canonicalJson } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"

/** The meaning of a message. Of two messages with the same one, each could be the other, sent again. */
export const of = (message: Message): string => {
  if (message.role === "assistant") return `assistant ${JSON.stringify(said(message.content))}`
  // The ids of calls are left out, and their order is kept.
  if (message.role === "tool") {
    return `tool ${JSON.stringify(message.content.map(({ content, isError }) => [told(content), isError]))}`
  }
  return `${message.role} ${JSON.stringify(heard(message.content))}`
}

/** The meaning of a call, with the id that the model gave it: no other call of any conversation has the same, as a rule. */
export const ofCall = (part: Extract<AnswerPart, { readonly type: "call" }>): string =>
  `${part.callId} ${JSON.stringify(called(part))}`

/** What was said and called. Clients leave out what was thought, and what the provider's own tools did, or write it otherwise. */
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

/** What some clients make of reasoning, when they send an answer back. */
const THOUGHT = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/

const called = ({ tool, args }: Extract<AnswerPart, { readonly type: "call" }>): Json => ({
  tool,
  args: typeof args === "string" ? args : canonicalJson(args),
})

/** Content: texts that follow one another are one. */
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

/** The content of a result: a text, or blocks of text, or another value. */
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

/** A value without what clients change: ids, states and marks for caches. */
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
