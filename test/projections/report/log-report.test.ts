import { describe, expect, it } from "vitest"
import type { TaskAudit } from "../../../src/projections/audit/TaskAudit.ts"
import * as LogReport from "../../../src/projections/report/LogReport.ts"
import * as ScoreChoice from "../../../src/projections/report/ScoreChoice.ts"
import { event, place } from "../given.ts"
import { audits, confirmations } from "./tasks.ts"

const live = ScoreChoice.labelled("live")

const reportOf = (all: Iterable<TaskAudit>, choice = live) => {
  const draft = LogReport.begin(choice)
  for (const audit of all) draft.addAudit(audit)
  return draft.report()
}

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

describe("the report of a log", () => {
  it("counts what the audits say", () => {
    const all = [...audits(700)]
    const report = reportOf(all)
    const scores = all.flatMap(({ scores }) => scores)
    expect(report).toMatchObject({ scoring: "live", critics: ["rule@4"], tasks: 700, scored: 700, unscored: 0 })
    expect(sum(Object.values(report.outcomes))).toBe(700)
    expect(report.outcomes.achieved).toBe(all.filter(({ outcome }) => outcome === "achieved").length)
    expect(sum(report.agents.map(({ tasks }) => tasks))).toBe(700)
    const net = sum(report.rewards.map(({ kind, amount }) => (kind === "reward" ? amount : -amount)))
    expect(net).toBeCloseTo(sum(scores.map((score) => score.net)), 6)
    expect(sum(report.agents.map(({ net, tasks }) => (net?.mean ?? 0) * tasks))).toBeCloseTo(net, 6)
    expect(report.actuators[0]?.commanded).toBe(sum(all.map(({ acting }) => acting.commanded)))
    expect(report.sensors[0]?.reads).toBe(sum(all.map(({ sensing }) => sensing.reads)))
    expect(report.model.calls).toBe(sum(all.map(({ steps }) => steps)))
    expect(report.range).toEqual({ from: 1, to: 699 * 100 + 91 })
  })

  it("lists the best and the worst tasks, of equals the earlier, and none twice", () => {
    const all = [...audits(300)]
    const { best, worst } = reportOf(all).extremes
    const nets = all.map(({ scores }) => scores[0]?.net ?? 0).sort((a, b) => b - a)
    expect(best.map(({ net }) => net)).toEqual(nets.slice(0, 10))
    expect(worst.map(({ net }) => net)).toEqual(nets.slice(-10).reverse())
    const few = reportOf(audits(4)).extremes
    expect(few.best).toHaveLength(4)
    expect(few.worst).toEqual([])
  })

  it("grows no larger with more tasks, agents and names", () => {
    const many = function* (tasks: number) {
      let task = 0
      for (const audit of audits(tasks)) {
        task += 1
        const names = {
          acting: {
            ...audit.acting,
            byComponent: { [`plugin/${task}`]: Object.values(audit.acting.byComponent)[0] ?? never() },
          },
        }
        yield { ...audit, ...names, agent: `agent-${task}@1` }
      }
    }
    const size = (tasks: number) => JSON.stringify(reportOf(many(tasks))).length
    expect(size(4_500)).toBeLessThan(1.3 * size(1_500))
    const { agents, actuators } = reportOf(many(300))
    expect(agents).toHaveLength(51)
    expect(actuators).toHaveLength(101)
    expect(agents.find(({ agent }) => agent === "all others")?.tasks).toBe(250)
  })

  it("leaves tasks without the chosen score out of the scores, and says how many there are", () => {
    const all = [...audits(10)].map((audit, index) => (index < 3 ? { ...audit, scores: [] } : audit))
    const report = reportOf(all)
    expect(report).toMatchObject({ tasks: 10, scored: 7 })
    expect(reportOf(all, ScoreChoice.labelled("other"))).toMatchObject({ scored: 0, rewards: [], unit: "share" })
  })

  it("the report of no task at all is empty", () => {
    expect(reportOf([])).toMatchObject({
      tasks: 0,
      range: null,
      period: null,
      agents: [],
      extremes: { best: [], worst: [] },
    })
  })

  it("counts answers of people by how long they took", () => {
    const draft = LogReport.begin(live)
    const events = confirmations(500)
    for (const event of events) draft.addConfirmationEvent(event)
    const { waits } = draft.report()
    const decided = events.filter(({ type }) => type === "ConfirmationDecided")
    expect(waits.requested).toBe(500)
    expect(waits.approved + waits.rejected).toBe(decided.length)
    expect(waits.expired).toBe(500 - decided.length)
    expect(sum(waits.bins.map(({ approved, rejected }) => approved + rejected))).toBe(decided.length)
    for (const [index, { fromMs, toMs, approved, rejected }] of waits.bins.entries()) {
      const within = decided.filter(
        ({ payload }) => Number(payload.waitedMs) >= fromMs && Number(payload.waitedMs) < toMs,
      )
      expect([index, approved + rejected]).toEqual([index, within.length])
    }
  })

  it("has no bins where nobody answered", () => {
    const draft = LogReport.begin(live)
    for (const each of place([event("ConfirmationWithdrawn", { confirmationId: "c" })]))
      draft.addConfirmationEvent(each)
    expect(draft.report().waits).toMatchObject({ withdrawn: 1, waitMs: null, bins: [] })
  })
})

const never = (): never => {
  throw new Error("expected a component")
}
