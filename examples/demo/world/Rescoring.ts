/** Part 7 of the tour: re-scores its tasks by a stricter rubric. */
import { Effect } from "effect"
import { Rubric, Scoring, TaskAudit } from "hindcast"
import { inPackage } from "../../PackageFiles.ts"
import type { ScoreChange, Stage } from "../Stage.ts"
import { nameOf, numbers } from "../Words.ts"

export const RUBRIC = inPackage("examples", "rubrics", "stricter.yaml")

export const rescore = (stage: Stage, tasks: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* stage.part(
      "7  Both tasks re-scored by a stricter rubric",
      "New rules over old events: nothing is run again, and the first scores stand beside the new ones.",
    )
    const rubric = yield* Rubric.load(RUBRIC)
    const { scoreSetId, label } = yield* (yield* Scoring.Scoring).rescore({ rubric, tasks })
    const audits = yield* Effect.forEach(tasks, TaskAudit.load)
    const rescored = audits.map((audit) => ({
      name: nameOf(stage, audit),
      change: stage.pages.scoreChange(audit, scoreSetId),
    }))
    yield* stage.show(lines(stage, label, rescored))
    return { scoreSetId, label, tasks: rescored.map(({ change }) => change) }
  })

interface Rescored {
  readonly name: string
  readonly change: ScoreChange
}

const lines = ({ style, pages }: Stage, label: string, rescored: ReadonlyArray<Rescored>): ReadonlyArray<string> =>
  pages.table(
    ["", ...numbers("live", label, "change")],
    rescored.flatMap(({ name, change: { before, after, changed } }) => [
      [
        style.name(name),
        before === null ? "none" : pages.net(before),
        after === null ? "none" : style.bold(pages.net(after)),
        difference({ style, pages }, (after?.net ?? 0) - (before?.net ?? 0)),
      ],
      ...changed.map((verdict) => {
        const sign = verdict.kind === "reward" ? 1 : -1
        const amount = (of: number | null) => (of === null ? style.dim("no rule") : pages.number(sign * of))
        return [
          style.dim(`  ${sign > 0 ? "+" : "−"} ${pages.oneLine(verdict.name)}`),
          amount(verdict.before),
          amount(verdict.after),
          difference({ style, pages }, sign * ((verdict.after ?? 0) - (verdict.before ?? 0))),
        ]
      }),
    ]),
  )

const difference = ({ style, pages }: Pick<Stage, "style" | "pages">, by: number): string => {
  const rounded = pages.number(by)
  if (by > 0) return style.good(`+${rounded}`)
  return by < 0 ? style.bad(rounded) : rounded
}
