/** Previews the verdicts of a `Scoring.rescore` by rules, without a score set. It appends nothing. */

import { Effect } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import type { ProjectorService } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as Critics from "../critics/Critics.ts"
import type { Verdict } from "../critics/Verdict.ts"
import type { Rubric, RubricInvalid } from "../rules/Rubric.ts"
import * as KnownMeasures from "./KnownMeasures.ts"
import * as ScoringPlan from "./ScoringPlan.ts"
import * as ScoringScan from "./ScoringScan.ts"
import * as TaskSelection from "./TaskSelection.ts"

/** Critics append nothing here: only the reading errors of `AppendError` occur. */
export type PreviewError = RubricInvalid | TaskNotFound | AppendError | LogError

/** The verdicts that a scoring by rules alone would record. */
export const verdicts = (
  log: EventLog.Service,
  projector: ProjectorService,
  rubric: Rubric,
  taskId: string,
): Effect.Effect<ReadonlyArray<Verdict>, PreviewError> =>
  Effect.gen(function* () {
    const sets = yield* projector.current(ScoreSets.projection)
    yield* KnownMeasures.check(rubric, yield* projector.current(PluginRegistry.projection), sets)
    const { position } = yield* log.head
    const tasks = yield* TaskSelection.tasks(log, position)
    // Without a filter, a named task is selected or does not exist.
    const chosen = yield* TaskSelection.of(log, tasks, { tasks: [taskId] }).pipe(
      Effect.catchTags({ SelectionInvalid: Effect.die, NoTaskSelected: Effect.die }),
    )
    const criticSet = yield* Critics.withoutPlugins(log).chooseDefault(rubric)
    // Rules record nothing, so they need no score set.
    const critic = yield* criticSet.open({ scoreSetId: "", startedBy: "" })
    const parts = ScoringPlan.oneByOne(ScoringPlan.inOrder(tasks, chosen, position), chosen)
    const judged: Array<Verdict> = []
    yield* ScoringScan.run({
      log,
      critic,
      parts,
      onCompleted: (ended) =>
        Effect.forEach(ended, ({ judging }) => Effect.map(judging.decide, (decided) => judged.push(...decided)), {
          discard: true,
        }),
      onPositions: () => Effect.void,
    })
    return judged
  }).pipe(Effect.scoped)
