/** Records answers and results of sources that have each answer whole. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { UNKNOWN } from "../../kernel/pricing/ProviderUsage.ts"
import * as LongIntegers from "../../providers/LongIntegers.ts"
import type { Json } from "../../values/Json.ts"
import type { CommandResult } from "../runs/Commands.ts"
import type { MappedRun } from "../runs/Run.ts"
import { field, logJson, nameFrom, textOf } from "../runs/Untrusted.ts"

export interface Answer {
  readonly key: string
  readonly provider: string
  readonly model: string
  readonly parts: ReadonlyArray<Json>
  /** Default: unknown. */
  readonly usage?: ModelUsage | undefined
  /** In US dollars, as the source states it. */
  readonly usd?: number | undefined
  readonly askedAt: number | null
  readonly at: number | null
  readonly agentId?: string | undefined
}

export const textPart = (text: string | undefined): ReadonlyArray<Json> =>
  text === undefined || text === "" ? [] : [{ type: "text", text }]

export const reasoningPart = (text: string | undefined): ReadonlyArray<Json> =>
  text === undefined || text === "" ? [] : [{ type: "reasoning", text }]

export const callPart = (callId: string, tool: string, args: unknown): Json => ({
  type: "call",
  callId: nameFrom(callId),
  tool: nameFrom(tool),
  args: logJson(args ?? {}).json,
})

/** Records a turn, its calls, and its text if it has no calls. */
export const answered = (run: MappedRun, { usage = UNKNOWN, ...answer }: Answer): void => {
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
    const args = LongIntegers.argumentsOf({ args: field(call, "args"), text: textOf(call, "text") })
    run.commands.called(callId, textOf(call, "tool") ?? "unknown", args, { at, cause, agentId })
  }
}

/**
 * Records a call's result, whether the call comes before or after it in the file. Keeps the record if there is no such
 * call.
 */
export const settled = (
  run: MappedRun,
  callId: string,
  result: CommandResult,
  kept: { readonly key: string; readonly record: unknown },
): void => {
  const keep = () => run.keep(kept.key, "result", kept.record, { at: result.at })
  run.commands.whenCalled(callId, () => run.commands.result(callId, result), keep)
}
