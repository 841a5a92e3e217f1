/** The part of a log report about language models: calls, tokens and cost of each. */

import * as ModelUse from "../audit/ModelUse.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import { BoundedMap } from "./BoundedMap.ts"

/** One model, over all tasks. */
export interface ModelReport {
  /** `provider/model` */
  readonly model: string
  /** Tasks in which it was called. */
  readonly tasks: number
  readonly use: ModelUse.UseOfModel
}

/** Maximum number of models with their own entry; the others share one. */
const MAX_MODELS = 50

/** Maximum number of price tables per model. */
const MAX_PRICES = 10

export class Models {
  readonly #models = new BoundedMap(MAX_MODELS, (model) => ({ model, tasks: 0, use: ModelUse.none }))

  add({ model }: TaskAudit): void {
    for (const [name, use] of Object.entries(model?.byModel ?? {})) {
      const entry = this.#models.get(name)
      entry.tasks += 1
      const total = ModelUse.total([entry.use, use])
      entry.use = { ...total, cost: { ...total.cost, prices: total.cost.prices.slice(0, MAX_PRICES) } }
    }
  }

  /** The total, and the models by descending number of calls. */
  report(): ModelUse.UseOfModel & { readonly models: ReadonlyArray<ModelReport> } {
    const models = this.#models.values().map((entry) => ({ ...entry }))
    return {
      ...ModelUse.total(models.map(({ use }) => use)),
      models: models.sort((a, b) => b.use.calls - a.use.calls || (a.model < b.model ? -1 : 1)),
    }
  }
}
