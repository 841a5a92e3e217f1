/** Facts about a task that Studio takes from its audit, so that every page shows the same numbers. */

import { Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import * as ModelUse from "../../../projections/audit/ModelUse.ts"
import * as Sections from "../../../projections/audit/Sections.ts"
import type { TimelineHistory } from "../../../projections/timetravel/TimelineHistory.ts"
import { totalsOf } from "../../overview/ModelSums.ts"
import type { ModelTotals } from "../../wire/Task.ts"

/** Facts of a task up to the head of the log. */
export interface TaskFacts {
  readonly durationMs: number | null
  readonly use: ModelTotals | null
}

/** The folded events of a task, which later reads continue. */
export class Folded {
  state: Sections.State = Sections.projection.initial
  position = 0
}

/** Reads the events after those folded so far. */
export const of = (past: TimelineHistory, taskId: string, folded: Folded): Effect.Effect<TaskFacts, LogError> =>
  Pages.forEach(past.readPage, { taskId, after: folded.position }, (page) => {
    for (const event of page) {
      // A concurrent request may have folded the same events.
      if (event.position <= folded.position) continue
      folded.state = Sections.projection.evolve(folded.state, event)
      folded.position = event.position
    }
  }).pipe(Effect.map(() => factsOf(folded.state)))

const factsOf = ({ course, model }: Sections.State): TaskFacts => {
  const use = ModelUse.section(model)
  return {
    durationMs: course?.durationMs ?? null,
    use: use === undefined ? null : totalsOf(use),
  }
}
