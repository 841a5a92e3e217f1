/**
 * What Claude Code says that a process cost, by model (`cost-state`). It may be more than the calls of the session's file cost: agents in
 * files of their own and calls that are in no file are counted too. So it stands for the calls of the file only where the tokens are theirs.
 */

import type { StatedUse } from "../runs/Run.ts"
import { countOf, field, isObject, numberOf } from "../runs/Untrusted.ts"
import { modelNamed } from "./Records.ts"

interface Used {
  readonly usd: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export class StatedCosts {
  /** The last one of each process, by when it was started. */
  readonly #processes = new Map<number, unknown>()

  take(record: unknown): void {
    this.#processes.set(numberOf(record, "startTime") ?? 0, record)
  }

  /** The costs, if they are those of the calls of the file; `used` are the tokens of these. */
  of(
    used: ReadonlyMap<string, { readonly inputTokens: number; readonly outputTokens: number }>,
  ): StatedUse | undefined {
    const models = new Map<string, Used>()
    for (const record of this.#processes.values()) {
      if (field(record, "hasUnknownModelCost") === true) return undefined
      for (const [name, use] of Object.entries(objectIn(record, "modelUsage"))) add(models, name, use)
    }
    const called = [...used].filter(([, { inputTokens, outputTokens }]) => inputTokens + outputTokens > 0)
    const isTheirs =
      models.size > 0 &&
      models.size === called.length &&
      called.every(([name, { inputTokens, outputTokens }]) => {
        const one = models.get(name)
        return one?.inputTokens === inputTokens && one.outputTokens === outputTokens
      })
    if (!isTheirs) return undefined
    const usd = [...models.values()].reduce((sum, one) => sum + one.usd, 0)
    return { usd, models: Object.fromEntries([...models].map(([name, one]) => [name, { usd: one.usd }])) }
  }
}

const objectIn = (value: unknown, key: string): Readonly<Record<string, unknown>> => {
  const found = field(value, key)
  return isObject(found) ? found : {}
}

const add = (models: Map<string, Used>, named: string, use: unknown): void => {
  const { provider, model } = modelNamed(named)
  const before = models.get(`${provider}/${model}`) ?? { usd: 0, inputTokens: 0, outputTokens: 0 }
  const input = ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"]
  models.set(`${provider}/${model}`, {
    usd: before.usd + Math.max(0, numberOf(use, "costUSD") ?? 0),
    inputTokens: input.reduce((sum, key) => sum + countOf(use, key), before.inputTokens),
    outputTokens: before.outputTokens + countOf(use, "outputTokens"),
  })
}
