/** What records of Claude Code mean: which of them repeat others, and which results and answers are none. */

import type { ModelFailureKind } from "../../events/vocabulary/Deciding.ts"
import { named } from "../runs/ModelName.ts"
import { field, textOf } from "../runs/Untrusted.ts"
import { blocksOf } from "./Blocks.ts"

/** Records that say nothing which other records do not. */
export const REPEATED = new Map([
  ["progress", "what a tool or hook said while it ran; its result is there"],
  ["file-history-snapshot", "the program's own backup; edits are in the calls"],
  ["queue-operation", "a prompt that waited; it is there when it is given"],
  ["last-prompt", "it repeats a prompt"],
])

/** What Claude Code writes as a call's result if it may not be made: it did not run. */
const DENIED =
  /^(?:The agent was denied permission|Permission to use .* has been denied|Permission for this .* denied|PreToolUse:\S* hook (?:blocking )?error)/

/** What it writes if the person did not let it be: the same if the person refused it, and if the tool was at work. */
const STOPPED = /^The user doesn't want to (?:proceed|take this action)/

/** With it stand the words of a person who was asked, so that the tool was not at work. */
const ANSWERED = /the user said:\s*\S/i

/** What it writes in place of the results that a killed process did not write. */
const MADE_UP = /^\[Tool call interrupted: /

/** What an error that stands for a call's result says of the call. */
export type Stopped = "denied" | "refused-or-interrupted" | "interrupted"

/** Whether a result is no tool's, and what it says then. */
export const stoppedBy = (value: unknown, content: unknown): Stopped | undefined => {
  const kind = textOf(value, "toolDenialKind")
  const text = typeof content === "string" ? content : ""
  if (kind === "interrupted" || MADE_UP.test(text)) return "interrupted"
  if (kind === "permission-rule" || DENIED.test(text)) return "denied"
  if (kind !== "user-rejected" && !STOPPED.test(text)) return undefined
  return ANSWERED.test(text) ? "denied" : "refused-or-interrupted"
}

/** Why it is not known what came of a call that has a result. */
export const WHY_UNKNOWN = {
  "refused-or-interrupted": "it was refused, or interrupted while it ran: the source writes the same for both",
  interrupted: "the program was killed before it wrote the result; its text in the source is made up",
}

/** Whether an answer is none of a model: the program put it there, such as after a crash. */
export const isMadeUp = (value: unknown): boolean => textOf(field(value, "message"), "model") === "<synthetic>"

/** The text of a message. */
export const contentTexts = (message: unknown): string =>
  blocksOf(message)
    .flatMap((block) => textOf(block, "text") ?? [])
    .join("\n")

/** Why a request was not answered, by what is shown in the answer's place. */
export const failureKind = (reason: string): ModelFailureKind => {
  if (/\b401\b|authenticat|API key/i.test(reason)) return "unauthorized"
  if (/\b429\b|rate.?limit|usage limit/i.test(reason)) return "rate-limited"
  if (/\b5(?:29|0\d)\b|overloaded/i.test(reason)) return "overloaded"
  if (/too long|context/i.test(reason)) return "context-too-long"
  if (/\b400\b|invalid/i.test(reason)) return "invalid-request"
  return /time.?out/i.test(reason) ? "timed-out" : "unreachable"
}

/** Why an answer ends that goes no further. */
export const ENDED: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "max_tokens", "refusal"])

/** The provider of a model: its name tells of Anthropic's; a name with a slash is a proxy's. Of others it is not known. */
export const modelNamed = (model: string): { readonly provider: string; readonly model: string } =>
  /^claude-/.test(model) ? { provider: "anthropic", model } : named(model)
