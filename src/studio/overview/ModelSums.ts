/**
 * The model use of every task, as its audit counts it: the same fold over the same events, without the audit's other
 * sections.
 */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import * as ModelUse from "../../projections/audit/ModelUse.ts"
import * as Sections from "../../projections/audit/Sections.ts"
import { recordProjection } from "../../projections/fold/RecordProjection.ts"
import * as LateAccount from "../../projections/state/LateAccount.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { ModelTotals, TaskModels } from "../wire/Task.ts"

const Sums = Schema.Struct({
  model: ModelUse.projection.state,
  isOpen: Schema.Boolean,
  mayFollow: Schema.Boolean,
})

type Sums = typeof Sums.Type

/** `ActuatorCommanded` is missing: it changes only the steps of a model, which are not in the totals. */
const TYPES: ReadonlyArray<CoreName> = [
  ...(["TaskOpened", "TaskClosed", "ModelCalled", "ModelResponded", "ModelFailed", "SourceStated"] as const),
]

export const projection = {
  ...recordProjection<Sums>({
    name: "StudioModelSums",
    version: 1,
    state: Schema.Record({ key: Schema.String, value: Sums }),
    apply: (tasks, event) => {
      const { taskId } = event
      if (taskId === null || !TYPES.some((type) => type === event.type)) return
      if (tasks.get(taskId) === undefined) {
        if (is(event, "TaskOpened")) tasks.set(taskId, opened(LateAccount.mayFollow(event.payload)))
      } else tasks.change(taskId, (before) => after(before, event))
    },
  }),
  types: TYPES,
}

const opened = (mayFollow: boolean): Sums => ({ model: ModelUse.projection.initial, isOpen: true, mayFollow })

const after = (before: Sums, event: Event): Sums => {
  if (!Sections.takes(before, event)) return before
  if (is(event, "TaskClosed")) return { ...before, isOpen: false }
  const model = ModelUse.projection.evolve(before.model, event)
  return model === before.model ? before : { ...before, model }
}

export const of = (sums: SafeRecord.SafeRecord<Sums>, taskId: string): TaskModels => {
  const found = SafeRecord.get(sums, taskId)
  const use = found === undefined ? undefined : ModelUse.section(found.model)
  return use === undefined ? NO_MODELS : { use: totalsOf(use), models: Object.keys(use.byModel).sort() }
}

/** The model use of several tasks together; null if none called a model. */
export const together = (sums: SafeRecord.SafeRecord<Sums>, taskIds: ReadonlyArray<string>): ModelTotals | null => {
  const parts = taskIds.flatMap((taskId) => {
    const found = SafeRecord.get(sums, taskId)
    return (found === undefined ? undefined : ModelUse.section(found.model)) ?? []
  })
  return parts.length === 0 ? null : totalsOf(ModelUse.total(parts))
}

const NO_MODELS: TaskModels = { use: null, models: [] }

/** The totals of an audit's section on the wire. */
export const totalsOf = ({ calls, inputTokens, outputTokens, unmetered, cost }: ModelUse.UseOfModel): ModelTotals => ({
  calls,
  inputTokens,
  outputTokens,
  unmetered,
  cost: { usd: cost.usd, atLeast: cost.atLeast },
})
