import { describe, expect, it } from "vitest"
import * as LogPage from "../../../src/html/LogPage.ts"
import * as LogReport from "../../../src/projections/report/LogReport.ts"
import * as ScoreChoice from "../../../src/projections/report/ScoreChoice.ts"
import { audits } from "./tasks.ts"

/** A report of tasks of one agent, of which only the first so many are scored. */
const page = (tasks: number, scored: number): string => {
  const report = LogReport.begin(ScoreChoice.labelled("live"))
  let index = 0
  for (const audit of audits(tasks)) {
    const scores = index++ < scored ? audit.scores : []
    report.addAudit({ ...audit, agent: "learner@2.1.0", scores })
  }
  return [...LogPage.pieces(report.report(), { log: "a.db", head: 1, by: "Hindcast" })].join("")
}

describe("the report of tasks of which some are scored", () => {
  it("says of an agent how many are, beside their mean", () => {
    expect(page(13, 3)).toContain("3 of 13 tasks scored, mean ")
    expect(page(13, 13)).toContain("13 tasks, mean ")
  })

  it("draws no trend through three of them", () => {
    expect(page(13, 3)).not.toContain('class="line"')
    expect(page(13, 13)).toContain('class="line"')
  })
})
