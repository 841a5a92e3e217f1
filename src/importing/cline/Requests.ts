/** The requests in the person's view of a Cline or Roo Code task, which has the tokens and costs that answers lack. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { at, countOf, field, isObject, numberOf, parsed, statedCount, textOf } from "../runs/Untrusted.ts"

export interface Request {
  readonly at: number | null
  readonly usage: ModelUsage | undefined
  readonly usd: number | undefined
}

export class Requests {
  readonly #runs: MappedRuns
  #left: ReadonlyArray<Request>

  /** @param isRoo whether Roo Code wrote them; its input tokens include cached ones */
  constructor(runs: MappedRuns, shown: ReadonlyArray<unknown>, isRoo: boolean) {
    this.#runs = runs
    this.#left = shown
      .filter((one) => textOf(one, "say") === "api_req_started")
      .map((one) => requestOf(runs, one, isRoo))
  }

  /** The request of an answer: the last one shown before it, otherwise the next one. */
  of(message: unknown, answeredAt: number | null): Request | undefined {
    const before = answeredAt === null ? 0 : this.#left.findLastIndex((one) => one.at !== null && one.at <= answeredAt)
    const request = this.#left[Math.max(0, before)]
    this.#unanswered(this.#left.slice(0, Math.max(0, before)))
    this.#left = this.#left.slice(Math.max(0, before) + 1)
    const own = usageIn(message)
    return own === undefined
      ? request
      : { at: request?.at ?? null, usage: own, usd: numberOf(field(message, "metrics"), "cost") }
  }

  end(): void {
    this.#unanswered(this.#left)
  }

  /** Unanswered requests are not in the log, so their tokens are missing from its sums. */
  #unanswered(requests: ReadonlyArray<Request>): void {
    for (const { usage, usd } of requests)
      if (usd !== undefined || (usage !== undefined && usage.inputTokens + usage.outputTokens > 0))
        this.#runs.remark("requests that have no answer, and used tokens: these are not counted")
  }
}

/** A message's own tokens, in Cline 3.50 and later. */
const usageIn = (message: unknown): ModelUsage | undefined => {
  const tokens = at(message, "metrics", "tokens")
  if (!isObject(tokens)) return undefined
  return ProviderUsage.whole({
    inputTokens: statedCount(tokens, "prompt"),
    outputTokens: statedCount(tokens, "completion"),
    cachedTokens: statedCount(tokens, "cached") || undefined,
  })
}

const requestOf = (runs: MappedRuns, shown: unknown, isRoo: boolean): Request => {
  const said = parsed(textOf(shown, "text") ?? "")
  const input = countOf(said, "tokensIn")
  const [cachedTokens, cacheWriteTokens] = [statedCount(said, "cacheReads"), statedCount(said, "cacheWrites")]
  const cached = (cachedTokens ?? 0) + (cacheWriteTokens ?? 0)
  const protocol = textOf(said, "apiProtocol")
  const isWhole = (isRoo || protocol === "openai") && input >= cached
  const usage = {
    inputTokens: input + (isWhole ? 0 : cached),
    outputTokens: statedCount(said, "tokensOut"),
    cachedTokens,
    cacheWriteTokens,
  }
  const isCounted = numberOf(said, "tokensIn") !== undefined
  const whole = isCounted ? ProviderUsage.whole(usage) : undefined
  return { at: runs.timeOf(field(shown, "ts")), usage: whole, usd: numberOf(said, "cost") }
}
