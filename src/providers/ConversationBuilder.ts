/** Builds a conversation from a provider's messages, one at a time. */

import type { AnswerPart, Message, ToldPart, ToolResult } from "../agents/models/Message.ts"
import { textOf } from "../values/JsonObjects.ts"
import * as Parts from "./parts.ts"

export interface ConversationBuilder {
  /** Before the first message, adds to the system prompt; later, adds a message. */
  readonly system: (text: string) => void
  readonly user: (content: ReadonlyArray<ToldPart>) => void
  readonly assistant: (parts: ReadonlyArray<AnswerPart>) => void
  /** Adds an item that names no role. */
  readonly unknown: (item: ToldPart) => void
  /**
   * Adds a tool result. Successive results form one message. A result without an id belongs to the oldest open call of
   * its tool.
   */
  readonly result: (
    callId: unknown,
    content: unknown,
    options?: { readonly isError?: boolean; readonly tool?: string | undefined },
  ) => void
  /** Returns an unused id for a call that has none. */
  readonly callId: () => string
  readonly whole: () => { readonly system: string; readonly messages: ReadonlyArray<Message> }
}

export const make = (): ConversationBuilder => {
  const systems: Array<string> = []
  const messages: Array<Message> = []
  const tools = new Map<string, string>()
  /** Calls without a result, by id. */
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
      // Some formats have one item for each part of an answer.
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
