/** Answers of models whose source has each of them whole, with the calls in it. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { UNKNOWN } from "../../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../../values/Json.ts"
import type { CommandResult } from "../runs/Commands.ts"
import type { Run } from "../runs/Run.ts"
import { field, logJson, nameFrom, textOf } from "../runs/Untrusted.ts"

/** An answer. */
export interface Answer {
  readonly key: string
  readonly provider: string
  readonly model: string
  /** Text, reasoning and calls, as parts of messages. */
  readonly parts: ReadonlyArray<Json>
  /** Default: it is not known. */
  readonly usage?: ModelUsage | undefined
  /** What it cost by its source, in US dollars. */
  readonly usd?: number | undefined
  readonly askedAt: number | null
  readonly at: number | null
  readonly agentId?: string | undefined
}

/** Text as a part of an answer; none where it is empty. */
export const textPart = (text: string | undefined): ReadonlyArray<Json> =>
  text === undefined || text === "" ? [] : [{ type: "text", text }]

/** Reasoning as a part of an answer; none where it is empty. */
export const reasoningPart = (text: string | undefined): ReadonlyArray<Json> =>
  text === undefined || text === "" ? [] : [{ type: "reasoning", text }]

/** A call as a part of an answer. */
export const callPart = (callId: string, tool: string, args: unknown): Json => ({
  type: "call",
  callId: nameFrom(callId),
  tool: nameFrom(tool),
  args: logJson(args ?? {}).json,
})

/** Writes an answer: the turn of the model, the words where it called nothing, and the calls. */
export const answered = (run: Run, { usage = UNKNOWN, ...answer }: Answer): void => {
  const { key, parts, at, agentId } = answer
  run.model.turn({ ...answer, usage })
  const cause = `answered:${key}`
  const calls = parts.filter((part) => field(part, "type") === "call")
  const text = parts
    .flatMap((part) => (field(part, "type") === "text" ? (textOf(part, "text") ?? []) : []))
    .join("\n\n")
  if (calls.length === 0 && text !== "") run.spoke(key, text, { at, cause, agentId })
  for (const call of calls) {
    const callId = textOf(call, "callId") ?? key
    run.commands.called(callId, textOf(call, "tool") ?? "unknown", field(call, "args"), { at, cause, agentId })
  }
}

/** A call has its result, wherever the call stands in the file. One whose call is not there is kept as it is. */
export const settled = (
  run: Run,
  callId: string,
  result: CommandResult,
  kept: { readonly key: string; readonly record: unknown },
): void => {
  const keep = () => run.keep(kept.key, "result", kept.record, { at: result.at })
  run.commands.whenCalled(callId, () => run.commands.result(callId, result), keep)
}
