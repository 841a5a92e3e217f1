/** Builds the messages of a conversation from those of a provider, one after the other. */

import type { AnswerPart, Message, ToldPart, ToolResult } from "../agents/models/Message.ts"
import { textOf } from "../values/JsonObjects.ts"
import * as Parts from "./parts.ts"

/** A conversation that grows. */
export interface Conversing {
  /** A system prompt: before all messages it is the conversation's own, and later a message. */
  readonly system: (text: string) => void
  readonly user: (content: ReadonlyArray<ToldPart>) => void
  readonly assistant: (parts: ReadonlyArray<AnswerPart>) => void
  /** An item that does not say whose it is. */
  readonly unknown: (item: ToldPart) => void
  /** The result of a call. Results that follow one another are one message. One without an id is that of the oldest call of its tool. */
  readonly result: (
    callId: unknown,
    content: unknown,
    options?: { readonly isError?: boolean; readonly tool?: string | undefined },
  ) => void
  /** An id for a call that has none: no other call of the conversation gets the same one. */
  readonly callId: () => string
  readonly whole: () => { readonly system: string; readonly messages: ReadonlyArray<Message> }
}

/** A conversation of which nothing was said. */
export const make = (): Conversing => {
  const systems: Array<string> = []
  const messages: Array<Message> = []
  const tools = new Map<string, string>()
  /** The calls that have no result yet. */
  const open = new Map<string, string>()
  let results: Array<ToolResult> | undefined
  let unnamed = 0
  const add = (message: Message) => {
    results = undefined
    messages.push(message)
  }
  const openCallOf = (tool: string | undefined): string | undefined =>
    [...open].find(([, called]) => called === tool)?.[0]
  return {
    system: (text) => {
      if (messages.length === 0) systems.push(text)
      else add({ role: "system", content: [{ type: "text", text }] })
    },
    user: (content) => add({ role: "user", content }),
    unknown: (item) => add({ role: "unknown", content: [item] }),
    assistant: (content) => {
      for (const part of content) {
        if (part.type !== "call") continue
        tools.set(part.callId, part.tool)
        open.set(part.callId, part.tool)
      }
      const last = messages.at(-1)
      // Some formats have an item for each part of an answer.
      if (last?.role === "assistant")
        messages[messages.length - 1] = { ...last, content: [...last.content, ...content] }
      else add({ role: "assistant", content })
    },
    result: (callId, content, { isError = false, tool } = {}) => {
      if (results === undefined) {
        const begun: Array<ToolResult> = []
        add({ role: "tool", content: begun })
        results = begun
      }
      const id = textOf(callId) ?? openCallOf(tool) ?? textOf(tool) ?? "unnamed"
      open.delete(id)
      results.push(Parts.toolResult(id, tool ?? tools.get(id) ?? "", content, isError))
    },
    callId: () => `call_${++unnamed}`,
    whole: () => ({ system: systems.filter((text) => text !== "").join("\n\n"), messages }),
  }
}
