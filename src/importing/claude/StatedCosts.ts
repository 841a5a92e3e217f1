/**
 * Costs that Claude Code states for a process, by model (`cost-state`). They also cover sub-agents' files and calls in
 * no file, so they apply to this file's calls only if the token counts agree.
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
  /** The last record of each process, by its start time. */
  readonly #processes = new Map<number, unknown>()

  take(record: unknown): void {
    this.#processes.set(numberOf(record, "startTime") ?? 0, record)
  }

  /** Returns the costs if their tokens equal `used`, the tokens of the file's calls. */
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
