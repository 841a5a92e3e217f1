/** Part 7 of the demo: its tasks are scored again by a stricter rubric. */
import { Effect } from "effect"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import { Scoring } from "../../kernel/scoring/Scoring.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import { oneLine } from "../../values/PlainText.ts"
import { inPackage } from "../command/PackageFiles.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import * as ScoreChange from "../pages/scores/ScoreChange.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import { number } from "../terminal/Text.ts"
import { nameOf } from "./Audits.ts"
import type { Narrator } from "./Narrator.ts"

/** The rubric of the second scoring. */
export const RUBRIC = inPackage("examples", "rubrics", "stricter.yaml")

/** Scores tasks again by the stricter rubric and prints the differences. */
export const rescore = ({ part, show, style }: Narrator, tasks: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* part(
      "7  Both tasks re-scored by a stricter rubric",
      "New rules over old events: nothing is run again, and the first scores stand beside the new ones.",
    )
    const rubric = yield* Rubric.load(RUBRIC)
    const { scoreSetId, label } = yield* (yield* Scoring).rescore({ rubric, tasks })
    const audits = yield* Effect.forEach(tasks, TaskAudit.load)
    const rescored = audits.map((audit) => ({ name: nameOf(audit), change: ScoreChange.of(audit, scoreSetId) }))
    yield* show(lines(style, label, rescored))
    return { scoreSetId, label, tasks: rescored.map(({ change }) => change) }
  })

interface Rescored {
  readonly name: string
  readonly change: ScoreChange.ScoreChange
}

const lines = (style: Style, label: string, rescored: ReadonlyArray<Rescored>): ReadonlyArray<string> =>
  Table.lines(
    style,
    ["", ...Table.right("live", label, "change")],
    rescored.flatMap(({ name, change: { before, after, changed } }) => [
      [
        style.name(name),
        before === null ? "none" : AuditPage.net(before),
        after === null ? "none" : style.bold(AuditPage.net(after)),
        difference(style, (after?.net ?? 0) - (before?.net ?? 0)),
      ],
      ...changed.map((verdict) => {
        const sign = verdict.kind === "reward" ? 1 : -1
        const amount = (of: number | null) => (of === null ? style.dim("no rule") : number(sign * of))
        return [
          style.dim(`  ${sign > 0 ? "+" : "−"} ${oneLine(verdict.name)}`),
          amount(verdict.before),
          amount(verdict.after),
          difference(style, sign * ((verdict.after ?? 0) - (verdict.before ?? 0))),
        ]
      }),
    ]),
  )

const difference = (style: Style, by: number): string => {
  const rounded = number(by)
  if (by > 0) return style.good(`+${rounded}`)
  return by < 0 ? style.bad(rounded) : rounded
}
