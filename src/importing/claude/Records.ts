/** Classifies records of Claude Code: repetitions, results that no tool gave, and answers that no model gave. */

import type { ModelFailureKind } from "../../events/vocabulary/Deciding.ts"
import { named } from "../runs/ModelName.ts"
import { field, textOf } from "../runs/Untrusted.ts"
import { blocksOf } from "./Blocks.ts"

export const REPEATED = new Map([
  ["progress", "what a tool or hook said while it ran; its result is there"],
  ["file-history-snapshot", "the program's own backup; edits are in the calls"],
  ["queue-operation", "a prompt that waited; it is there when it is given"],
  ["last-prompt", "it repeats a prompt"],
])

/** Results of calls that were denied and did not run. */
const DENIED =
  /^(?:The agent was denied permission|Permission to use .* has been denied|Permission for this .* denied|PreToolUse:\S* hook (?:blocking )?error)/

/** Result of a call that a person stopped; the text is the same whether they refused it or interrupted it. */
const STOPPED = /^The user doesn't want to (?:proceed|take this action)/

/** If the person's words follow, they were asked and the tool had not started. */
const ANSWERED = /the user said:\s*\S/i

/** Claude Code writes this for results that a killed process did not write. */
const MADE_UP = /^\[Tool call interrupted: /

export type Stopped = "denied" | "refused-or-interrupted" | "interrupted"

/** How a call was stopped, if its result comes from no tool. */
export const stoppedBy = (value: unknown, content: unknown): Stopped | undefined => {
  const kind = textOf(value, "toolDenialKind")
  const text = typeof content === "string" ? content : ""
  if (kind === "interrupted" || MADE_UP.test(text)) return "interrupted"
  if (kind === "permission-rule" || DENIED.test(text)) return "denied"
  if (kind !== "user-rejected" && !STOPPED.test(text)) return undefined
  return ANSWERED.test(text) ? "denied" : "refused-or-interrupted"
}

export const WHY_UNKNOWN = {
  "refused-or-interrupted": "it was refused, or interrupted while it ran: the source writes the same for both",
  interrupted: "the program was killed before it wrote the result; its text in the source is made up",
}

/** Whether the program, not a model, wrote an answer, for example after a crash. */
export const isMadeUp = (value: unknown): boolean => textOf(field(value, "message"), "model") === "<synthetic>"

export const contentTexts = (message: unknown): string =>
  blocksOf(message)
    .flatMap((block) => textOf(block, "text") ?? [])
    .join("\n")

/** The kind of a failed request, from the text shown in place of an answer. */
export const failureKind = (reason: string): ModelFailureKind => {
  if (/\b401\b|authenticat|API key/i.test(reason)) return "unauthorized"
  if (/\b429\b|rate.?limit|usage limit/i.test(reason)) return "rate-limited"
  if (/\b5(?:29|0\d)\b|overloaded/i.test(reason)) return "overloaded"
  if (/too long|context/i.test(reason)) return "context-too-long"
  if (/\b400\b|invalid/i.test(reason)) return "invalid-request"
  return /time.?out/i.test(reason) ? "timed-out" : "unreachable"
}

/** Stop reasons after which an answer does not continue. */
export const ENDED: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "max_tokens", "refusal"])

/** Anthropic's models are known by name; a slash marks a proxy's name. Otherwise the provider is unknown. */
export const modelNamed = (model: string): { readonly provider: string; readonly model: string } =>
  /^claude-/.test(model) ? { provider: "anthropic", model } : named(model)
