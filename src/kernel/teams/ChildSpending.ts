/**
 * Use of a child task and the tasks below it, by the rule of an agent's own budget: each answer counts, and each
 * failure that names its use. A call that the end of a kernel cut off counts once it is asked again.
 */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { ModelCost, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { ChildUse } from "../../events/vocabulary/Tasks.ts"
import { is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import { isOfCritic } from "../../projections/state/ModelCallEnd.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"
import { isMetered } from "../tasks/ModelCalls.ts"

type Used = NonNullable<ChildUse["used"]>

const TYPES = ["ModelResponded", "ModelFailed", "ActuatorCommanded"]

export const of = (log: EventLog.Service, taskId: string): Effect.Effect<Used, LogError> =>
  Effect.gen(function* () {
    const below = TaskTree.descendantsOf(yield* TaskList.standings(log), { taskId })
    let used: Used = { steps: 0, commands: 0, tokens: 0, usd: 0 }
    for (const member of [taskId, ...below.map(({ taskId }) => taskId)]) {
      yield* Pages.forEach(log.readPage, { taskId: member, types: TYPES }, (page) => {
        for (const event of page) used = after(used, event)
      })
    }
    return used
  })

const after = (used: Used, event: Event): Used => {
  if (isStep(event)) return { ...used, commands: used.commands + 1 }
  if (isOfCritic(event)) return used
  if (is(event, "ModelResponded")) {
    return spent({ ...used, steps: used.steps + 1 }, event.payload, isMetered(event.payload.usage))
  }
  const { usage } = is(event, "ModelFailed") ? event.payload : {}
  return is(event, "ModelFailed") && usage !== undefined ? spent(used, { ...event.payload, usage }, true) : used
}

const spent = (
  used: Used,
  { usage, cost }: { readonly usage: ModelUsage; readonly cost?: ModelCost },
  metered: boolean,
): Used => ({
  ...used,
  tokens: used.tokens === null || !metered ? null : used.tokens + usage.inputTokens + usage.outputTokens,
  usd: used.usd === null || cost === undefined ? null : used.usd + cost.usd,
})
