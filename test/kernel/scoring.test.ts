import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import { PAGE_SIZE } from "../../src/events/read/Pages.ts"
import type { Rubric } from "../../src/kernel/rules/Rubric.ts"
import * as Scoring from "../../src/kernel/scoring/Scoring.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { temporaryLog } from "../temporary.ts"
import { turnsDuring } from "../turns.ts"

const rubric: Rubric = {
  name: "outcome",
  measures: [
    {
      name: "m",
      description: "d",
      rewards: [{ name: "r", when: "w", weight: 0.5, rule: "task.outcome == 'achieved'" }],
    },
  ],
}

const opened: CoreNewEvent = { type: "TaskOpened", payload: { goal: "g", measures: [], agent: "a@1" } }
const closed: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }
const reading: CoreNewEvent = {
  type: "SensorRead",
  payload: { sensor: "room/lamp", reading: true, priority: 0, latencyMs: 1 },
}

/** Appends the story of a task from its opening to its close. */
const happened = (taskId: string, ...events: ReadonlyArray<CoreNewEvent>) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({ stream: `task/${taskId}`, taskId, actor: "test", events: [opened, ...events, closed] }),
  )

const rescore = (options: Scoring.RescoreOptions) =>
  Effect.flatMap(Scoring.Scoring, (scoring) => scoring.rescore(options))

const services = Scoring.layer.pipe(Layer.provideMerge(Projector.layer), Layer.provideMerge(temporaryLog()))

describe("a re-scoring", () => {
  it.live("scores a task once that is named twice", () =>
    Effect.gen(function* () {
      yield* happened("t1")
      const set = yield* rescore({ rubric, tasks: ["t1", "t1"] })
      expect(set).toMatchObject({ taskIds: ["t1"], totals: { t1: { earned: 0.5, net: 0.5 } } })
      expect((yield* TaskAudit.load("t1")).scores).toMatchObject([{ earned: 0.5, possible: 0.5, normalized: 1 }])
    }).pipe(Effect.provide(services)),
  )

  it.live("takes ids that objects inherit for ids like any other", () =>
    Effect.gen(function* () {
      const taskIds = ["__proto__", "constructor"]
      for (const taskId of taskIds) yield* happened(taskId)
      const { totals } = yield* rescore({ rubric })
      expect(Object.entries(totals).map(([taskId, { earned }]) => [taskId, earned])).toEqual([
        ["__proto__", 0.5],
        ["constructor", 0.5],
      ])
      const log = yield* EventLog
      const [finished] = yield* log.readPage({ types: ["ScoringFinished"] }, 1)
      expect(Object.keys(finished?.payload.totals ?? {})).toEqual(taskIds)
      expect((yield* TaskAudit.load("__proto__")).scores).toMatchObject([{ finished: true, earned: 0.5 }])
    }).pipe(Effect.provide(services)),
  )

  it.live("lets timers and other input have their turn between pages", () =>
    Effect.gen(function* () {
      const pages = 8
      yield* happened("t1", ...Array.from({ length: pages * PAGE_SIZE }, () => reading))
      yield* (yield* Projector.Projector).current(Tasks.projection)
      expect(yield* turnsDuring(rescore({ rubric, tasks: ["t1"] }))).toBeGreaterThanOrEqual(pages)
    }).pipe(Effect.provide(services)),
  )
})
