/** Maps a record that a mapping declares a model's answer. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../../values/Json.ts"
import type { MappedRun } from "../runs/Run.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { logJson, nameFrom, statedCount } from "../runs/Untrusted.ts"
import { jsonIn, type Readers, textFrom } from "./MappedValues.ts"

/** Records an answer and its calls. Returns the last call's id. */
export const answer = (
  run: MappedRun,
  readers: Readers,
  read: (name: string) => unknown,
  key: string,
  at: number | null,
): string | undefined => {
  const list = read("calls.in")
  const calls = (Array.isArray(list) ? list : []).flatMap((item: unknown, index) => {
    if (typeof item !== "object" || item === null) return []
    const id = textFrom(readers["calls.id"]?.(item)) ?? `${key}:${index}`
    return [
      {
        id,
        tool: textFrom(readers["calls.tool"]?.(item)) ?? "unknown",
        args: jsonIn(readers["calls.args"]?.(item)) ?? {},
      },
    ]
  })
  const [text, reasoning] = [textFrom(read("text")), textFrom(read("reasoning"))]
  const parts: ReadonlyArray<Json> = [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, tool, args }) => ({
      type: "call",
      callId: nameFrom(id),
      tool: nameFrom(tool),
      args: logJson(args).json,
    })),
  ]
  run.model.turn({
    key,
    parts,
    usage: usageFrom(read),
    askedAt: timeOf(read("askedAt")),
    at,
    provider: textFrom(read("provider")) ?? "unknown",
    model: textFrom(read("model")) ?? "unknown",
  })
  if (text !== undefined && calls.length === 0) run.spoke(key, text, { at, cause: `answered:${key}` })
  for (const { id, tool, args } of calls) {
    run.commands.called(id, tool, args, { at, cause: `answered:${key}` })
  }
  return calls.at(-1)?.id
}

/** Counts that the record lacks are unknown. */
const usageFrom = (read: (name: string) => unknown): ModelUsage => {
  const count = (name: string): number | undefined => {
    return statedCount({ count: read(name) }, "count")
  }
  const counts = {
    ...{ inputTokens: count("inputTokens"), outputTokens: count("outputTokens") },
    ...{ cachedTokens: count("cachedTokens") || undefined, cacheWriteTokens: count("cacheWriteTokens") },
  }
  return ProviderUsage.wholeOrUnknown(counts)
}
