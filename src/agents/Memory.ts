/**
 * Memory policies select the part of a conversation that a model sees in its next turn. The log keeps the whole
 * conversation.
 */

import type { MemoryPolicy } from "../plugins/manifest/Manifest.ts"
import type { CompletePolicy, Remembered as RememberedOf } from "../projections/request/Memory.ts"
import type { Message } from "./models/Message.ts"

export { MemoryPolicy } from "../plugins/manifest/Manifest.ts"
export { type CompletePolicy, select, toSummarize } from "../projections/request/Memory.ts"

/** A conversation, as a policy sees it. */
export type Remembered = RememberedOf<Message>

const WINDOW_TURNS = 20

/** Default number of tokens above which a conversation is summarized. */
const MAX_TOKENS = 100_000

/** Default number of last turns that stay outside a summary. */
const KEEP_TURNS = 4

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
