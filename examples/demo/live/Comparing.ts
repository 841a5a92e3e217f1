/** Compares the story's two ends: event by event, and by their scores under a rubric. */
import { Effect } from "effect"
import { EventLog, type Fork, Projector, Rubric, Scoring, TaskAudit, Timelines, TimeTravel } from "hindcast"
import { inPackage } from "../../PackageFiles.ts"
import type { ScoreChange, Stage } from "../Stage.ts"
import { nameOf, numbers } from "../Words.ts"

/** The rubric of the second scoring. */
export const RUBRIC = inPackage("examples", "rubrics", "mending.yaml")

/** Most lines of the alignment. */
const MOST_LINES = 14

/** Aligns the task with its fork. */
export const align = ({ show, pages }: Stage, { taskId, timeline }: Fork.Forked) =>
  Effect.gen(function* () {
    const [a, b] = [{ taskId }, { taskId, timeline }]
    const aligned = yield* (yield* TimeTravel.TimeTravel).align(a, b)
    yield* show(pages.alignment(a, b, aligned, MOST_LINES))
    const { same, changed, onlyInA, onlyInB, shared } = aligned
    return { shared, same, changed, onlyInA, onlyInB }
  })

/** Scores the task and its fork again. Nothing is run for it, and the first scores stay. */
export const rescore = (stage: Stage, { taskId, timeline }: Fork.Forked) =>
  Effect.gen(function* () {
    const { show, style, pages } = stage
    const rubric = yield* Rubric.load(RUBRIC)
    const scored = yield* Effect.forEach([EventLog.MAIN, timeline], (name) =>
      on(
        name,
        Effect.gen(function* () {
          const { scoreSetId, label } = yield* (yield* Scoring.Scoring).rescore({ rubric, tasks: [taskId] })
          const audit = yield* TaskAudit.load(taskId)
          return {
            timeline: name,
            model: nameOf(stage, audit),
            scoreSetId,
            label,
            change: pages.scoreChange(audit, scoreSetId),
          }
        }).pipe(Effect.provide(Scoring.layer)),
      ),
    )
    const net = (score: ScoreChange["before"]) => (score === null ? "none" : pages.net(score))
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
    yield* show(pages.table(["timeline", "model", ...numbers("live", rubric.name), "by"], rows))
    return scored
  })

/** Provides the log and its projections as one timeline has them. */
const on = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, name))
    const projector = yield* (yield* Projector.Projector).on(name)
    return yield* effect.pipe(
      Effect.provideService(EventLog.EventLog, view),
      Effect.provideService(Projector.Projector, projector),
    )
  })
