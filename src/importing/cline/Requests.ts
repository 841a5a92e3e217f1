/** The requests of a task of Cline or Roo Code, as the person was shown them: with tokens and costs, of which the answers have none. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Runs } from "../runs/Runs.ts"
import { at, countOf, field, isObject, numberOf, parsed, textOf } from "../runs/Untrusted.ts"

/** A request to the model. */
export interface Request {
  readonly at: number | null
  readonly usage: ModelUsage | undefined
  readonly usd: number | undefined
}

export class Requests {
  readonly #runs: Runs
  #left: ReadonlyArray<Request>

  /** @param isRoo whether Roo Code wrote them, whose tokens of the input have those of the cache in them */
  constructor(runs: Runs, shown: ReadonlyArray<unknown>, isRoo: boolean) {
    this.#runs = runs
    this.#left = shown
      .filter((one) => textOf(one, "say") === "api_req_started")
      .map((one) => requestOf(runs, one, isRoo))
  }

  /** The request that a message answers: the last one that was shown before it, else the next one. */
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

  /** There are no more answers. */
  end(): void {
    this.#unanswered(this.#left)
  }

  /** Requests without an answer are not in the log: what they used is not in its sums. */
  #unanswered(requests: ReadonlyArray<Request>): void {
    for (const { usage, usd } of requests)
      if (usd !== undefined || (usage !== undefined && usage.inputTokens + usage.outputTokens > 0))
        this.#runs.remark("requests that have no answer, and used tokens: these are not counted")
  }
}

/** The tokens that a message has itself, since version 3.50 of Cline. */
const usageIn = (message: unknown): ModelUsage | undefined => {
  const tokens = at(message, "metrics", "tokens")
  if (!isObject(tokens)) return undefined
  const cachedTokens = countOf(tokens, "cached")
  return {
    inputTokens: countOf(tokens, "prompt"),
    outputTokens: countOf(tokens, "completion"),
    ...(cachedTokens === 0 ? {} : { cachedTokens }),
  }
}

const requestOf = (runs: Runs, shown: unknown, isRoo: boolean): Request => {
  const said = parsed(textOf(shown, "text") ?? "")
  const [input, cachedTokens, cacheWriteTokens] = ["tokensIn", "cacheReads", "cacheWrites"].map((name) =>
    countOf(said, name),
  ) as [number, number, number]
  const protocol = textOf(said, "apiProtocol")
  const isWhole = (isRoo || protocol === "openai") && input >= cachedTokens + cacheWriteTokens
  const usage = {
    inputTokens: input + (isWhole ? 0 : cachedTokens + cacheWriteTokens),
    outputTokens: countOf(said, "tokensOut"),
    cachedTokens,
    cacheWriteTokens,
  }
  const isCounted = numberOf(said, "tokensIn") !== undefined
  return { at: runs.timeOf(field(shown, "ts")), usage: isCounted ? usage : undefined, usd: numberOf(said, "cost") }
}
