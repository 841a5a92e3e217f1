/** Compares the story's two ends: event by event, and by their scores under a rubric. */
import { Effect } from "effect"
import { EventLog, MAIN } from "../../../events/log/EventLog.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import type { Forked } from "../../../kernel/fork/Fork.ts"
import * as Rubric from "../../../kernel/rules/Rubric.ts"
import * as Scoring from "../../../kernel/scoring/Scoring.ts"
import * as TaskAudit from "../../../projections/audit/TaskAudit.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import { inPackage } from "../../command/PackageFiles.ts"
import * as AuditPage from "../../pages/audit/AuditPage.ts"
import * as ScoreChange from "../../pages/scores/ScoreChange.ts"
import * as AlignmentPage from "../../pages/time/AlignmentPage.ts"
import * as Table from "../../terminal/Table.ts"
import { nameOf } from "../Audits.ts"
import type { Narrator } from "../Narrator.ts"

/** The rubric of the second scoring. */
export const RUBRIC = inPackage("examples", "rubrics", "mending.yaml")

/** Most lines of the alignment. */
const MOST_LINES = 14

/** Aligns the task with its fork. */
export const align = ({ show, style }: Narrator, { taskId, timeline }: Forked) =>
  Effect.gen(function* () {
    const [a, b] = [{ taskId }, { taskId, timeline }]
    const aligned = yield* (yield* TimeTravel).align(a, b)
    yield* show(AlignmentPage.lines(style, { a, b, ...aligned }, MOST_LINES))
    const { same, changed, onlyInA, onlyInB, shared } = aligned
    return { shared, same, changed, onlyInA, onlyInB }
  })

/** Scores the task and its fork again. Nothing is run for it, and the first scores stay. */
export const rescore = ({ show, style }: Narrator, { taskId, timeline }: Forked) =>
  Effect.gen(function* () {
    const rubric = yield* Rubric.load(RUBRIC)
    const scored = yield* Effect.forEach([MAIN, timeline], (name) =>
      on(
        name,
        Effect.gen(function* () {
          const { scoreSetId, label } = yield* (yield* Scoring.Scoring).rescore({ rubric, tasks: [taskId] })
          const audit = yield* TaskAudit.load(taskId)
          return {
            ...{ timeline: name, model: nameOf(audit), scoreSetId, label },
            change: ScoreChange.of(audit, scoreSetId),
          }
        }).pipe(Effect.provide(Scoring.layer)),
      ),
    )
    const net = (score: ScoreChange.ScoreChange["before"]) => (score === null ? "none" : AuditPage.net(score))
    const rows = scored.map(({ timeline, model, change }) => {
      const verdicts = change.changed.map(({ name, kind, after }) =>
        after === null ? [] : [`${kind === "reward" ? "+" : "−"} ${name}`],
      )
      return [
        style.name(timeline),
        model,
        net(change.before),
        style.bold(net(change.after)),
        verdicts.flat().join(", "),
      ]
    })
    yield* show(Table.lines(style, ["timeline", "model", ...Table.right("live", rubric.name), "by"], rows))
    return scored
  })

/** Provides the log and its projections as one timeline has them. */
const on = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, name))
    const projector = yield* (yield* Projector).on(name)
    return yield* effect.pipe(Effect.provideService(EventLog, view), Effect.provideService(Projector, projector))
  })
