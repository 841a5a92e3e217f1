/**
 * Memory policies select the part of a conversation that a model sees in its next turn. The log keeps the whole
 * conversation.
 */

import type { MemoryPolicy } from "../plugins/manifest/Manifest.ts"
import type { Message } from "./models/Message.ts"

export { MemoryPolicy } from "../plugins/manifest/Manifest.ts"

const WINDOW_TURNS = 20

/** Default number of tokens above which a conversation is summarized. */
const MAX_TOKENS = 100_000

/** Default number of last turns that stay outside a summary. */
const KEEP_TURNS = 4

export type CompletePolicy =
  | { readonly name: "full" }
  | { readonly name: "sliding-window"; readonly turns: number }
  | { readonly name: "summary"; readonly maxTokens: number; readonly keepTurns: number }

export const complete = (policy: MemoryPolicy): CompletePolicy => {
  if (typeof policy === "string") return DEFAULTS[policy]
  switch (policy.name) {
    case "full":
      return policy
    case "sliding-window":
      return { ...DEFAULTS["sliding-window"], ...policy }
    case "summary":
      return { ...DEFAULTS.summary, ...policy }
  }
}

const DEFAULTS = {
  full: { name: "full" },
  "sliding-window": { name: "sliding-window", turns: WINDOW_TURNS },
  summary: { name: "summary", maxTokens: MAX_TOKENS, keepTurns: KEEP_TURNS },
} as const

/** A conversation, as a policy sees it. */
export interface Remembered {
  readonly messages: ReadonlyArray<Message>
  /** The latest summary, and the number of messages from the start that it replaces, including the opening. */
  readonly summary: { readonly messages: number; readonly text: string } | null
  /** The tokens of the last request and its answer; 0 before the first. */
  readonly tokens: number
}

export const openingOf = (messages: ReadonlyArray<Message>): number => {
  const first = messages.findIndex(({ role }) => role === "assistant")
  return first === -1 ? messages.length : first
}

/**
 * The number of messages, from the start, to summarize before the next turn, or undefined. It never separates a call
 * from its result.
 */
export const toSummarize = (
  policy: CompletePolicy,
  { messages, summary, tokens }: Remembered,
  isTooLong = false,
): number | undefined => {
  if (policy.name !== "summary" || (tokens <= policy.maxTokens && !isTooLong)) return undefined
  const until = lastTurns(messages, policy.keepTurns)
  return until > Math.max(openingOf(messages), summary?.messages ?? 0) ? until : undefined
}

export const select = (policy: CompletePolicy, { messages, summary }: Remembered): ReadonlyArray<Message> => {
  const opening = messages.slice(0, openingOf(messages))
  switch (policy.name) {
    case "full":
      return messages
    case "sliding-window":
      return [...opening, ...messages.slice(Math.max(opening.length, lastTurns(messages, policy.turns)))]
    case "summary":
      return summary === null
        ? messages
        : [...opening, summaryMessage(summary.text), ...messages.slice(summary.messages)]
  }
}

/** The index at which the last turns begin. A turn begins with the model's answer. */
const lastTurns = (messages: ReadonlyArray<Message>, turns: number): number => {
  const answers = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []))
  return answers.at(-turns) ?? 0
}

const summaryMessage = (text: string): Message => ({
  role: "user",
  content: [{ type: "text", text: `Summary of what happened since:\n\n${text}` }],
})
