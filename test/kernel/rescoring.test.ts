import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog, LogUnavailable, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import type { Rubric } from "../../src/kernel/rules/Rubric.ts"
import * as Scoring from "../../src/kernel/scoring/Scoring.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import { program } from "../built.ts"
import { temporaryDirectory, temporaryLog } from "../temporary.ts"

const PROGRAM = program(import.meta.url, "rescoring")

const rubric: Rubric = {
  name: "tidiness",
  measures: [
    {
      name: "m",
      description: "d",
      rewards: [
        { name: "achieved", when: "w", weight: 1, rule: "task.outcome == 'achieved'" },
        { name: "lit", when: "w", weight: 0.1, per: "occurrence", rule: "state.readings['room/lamp'] == true" },
      ],
      punishments: [{ name: "many", when: "w", weight: 0.5, rule: "count('SensorRead') > 5" }],
    },
  ],
}

const opened = (agent: string, plugin: string): CoreNewEvent => ({
  type: "TaskOpened",
  payload: { goal: "g", measures: [`${plugin}/m`], agent, seed: 7 },
})
const lamp = (reading: boolean): CoreNewEvent => ({
  type: "SensorRead",
  payload: { sensor: "room/lamp", reading, priority: 0, latencyMs: 1 },
})
const commanded: CoreNewEvent = {
  type: "ActuatorCommanded",
  payload: { commandId: "c", actuator: "room/go", args: {}, argsDigest: "0".repeat(64), priority: 0 },
}
const closed = (outcome: "achieved" | "failed"): CoreNewEvent => ({ type: "TaskClosed", payload: { outcome } })

const say = (taskId: string, ...events: ReadonlyArray<CoreNewEvent>) =>
  Effect.flatMap(EventLog, (log) => log.append({ stream: `task/${taskId}`, taskId, actor: "test", events }))

/**
 * Tasks that are under way at the same time, in groups of three, one event each in turn: t0 … the even ones achieved. Each
 * reads its lamp as often as its number says, up to seven times. Every fifth has nothing to be given.
 */
const played = (tasks: number) =>
  Effect.gen(function* () {
    for (let first = 0; first < tasks; first += 3) {
      const group = [first, first + 1, first + 2].filter((number) => number < tasks)
      const stories = group.map((number) => ({
        taskId: `t${number}`,
        events: [
          opened(number % 2 === 0 ? "even@1" : "odd@2", number % 4 === 0 ? "attic" : "room"),
          ...Array.from({ length: number % 8 }, (_, turn) => lamp(number % 5 !== 0 && turn % 2 === 0)),
          commanded,
          closed(number % 2 === 0 && number % 5 !== 0 ? "achieved" : "failed"),
        ],
      }))
      for (let turn = 0; turn < 10; turn++) {
        for (const { taskId, events } of stories) {
          const event = events[turn]
          if (event !== undefined) yield* say(taskId, event)
        }
      }
    }
  })

const scoring = <A, E>(use: (service: Scoring.Scoring.Service) => Effect.Effect<A, E>) =>
  Effect.flatMap(Scoring.Scoring, use)

const sets = Effect.flatMap(Projector.Projector, (projector) => projector.current(ScoreSets.projection))

/** What a score set gave, task by task, without what differs from one scoring to the next. */
const verdictsOf = (scoreSetId: string) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(log.readPage({ stream: `scores/${scoreSetId}` }, 10_000), (events) =>
      events
        .filter(({ taskId }) => taskId !== null)
        .map(({ type, taskId, payload: { scoreSetId: _, ...payload } }) => ({ type, taskId, payload })),
    ),
  )

const services = Scoring.layer.pipe(Layer.provideMerge(Projector.layer))
const onNewLog = services.pipe(Layer.provideMerge(temporaryLog()))

/** The same on a log that tells what is read from it, and whose appends can fail. */
const watched = () => {
  const seen = { read: 0, failing: (_taskId: string) => false }
  const log = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => ({
      ...log,
      readPage: (query: Parameters<typeof log.readPage>[0], limit: number) =>
        Effect.tap(log.readPage(query, limit), (page) => {
          if (query.types === undefined) seen.read += page.length
        }),
      append: (request: Parameters<typeof log.append>[0]) =>
        seen.failing(request.taskId ?? "")
          ? Effect.fail(new LogUnavailable({ log: log.name, reason: "the test says so" }))
          : log.append(request),
    })),
  )
  return { seen, layer: services.pipe(Layer.provideMerge(log), Layer.provide(temporaryLog())) }
}

describe("a re-scoring of many tasks", () => {
  const { seen, layer } = watched()

  it.scopedLive("reads every event once, and comes to what scoring each task by itself comes to", () =>
    Effect.gen(function* () {
      yield* played(20)
      const log = yield* EventLog
      const { position } = yield* log.head
      const all = yield* scoring(({ rescore }) => rescore({ rubric }))
      expect(seen.read).toBeLessThanOrEqual(position)
      const verdicts = yield* verdictsOf(all.scoreSetId)
      for (const taskId of all.taskIds) {
        const one = yield* scoring(({ rescore }) => rescore({ rubric, tasks: [taskId] }))
        expect(one.totals).toEqual({ [taskId]: all.totals[taskId] })
        expect(yield* verdictsOf(one.scoreSetId)).toEqual(verdicts.filter((verdict) => verdict.taskId === taskId))
      }
      expect(all.totals.t7).toEqual({ earned: 0.4, lost: 0.5, net: -0.1, unscored: 0 })
      expect(all.totals.t8).toEqual({ earned: 1, lost: 0, net: 1, unscored: 1 })
      // Nothing is given for this one, nor left out.
      expect(verdicts.some(({ taskId }) => taskId === "t5")).toBe(false)
    }).pipe(Effect.provide(layer)),
  )

  it.scopedLive("a re-scoring that has to score few of them reads those alone", () =>
    Effect.gen(function* () {
      yield* played(20)
      seen.read = 0
      yield* scoring(({ rescore }) => rescore({ rubric, tasks: ["t1", "t19"] }))
      expect(seen.read).toBeLessThan(20)
    }).pipe(Effect.provide(layer)),
  )

  it.scopedLive("tells how far it is: up to all of the events, and all of the tasks", () =>
    Effect.gen(function* () {
      yield* played(10)
      const told: Array<Scoring.Progress> = []
      yield* scoring(({ rescore }) =>
        rescore({ rubric, onProgress: (progress) => Effect.sync(() => void told.push(progress)) }),
      )
      expect(told.at(-1)).toMatchObject({ tasks: 10, ofTasks: 10 })
      expect(told.at(-1)?.events).toBe(told.at(-1)?.ofEvents)
      expect(told.map(({ events }) => events)).toEqual(told.map(({ events }) => events).sort((a, b) => a - b))
    }).pipe(Effect.provide(onNewLog)),
  )

  it.scopedLive("scores an open task that is named, as far as the log goes", () =>
    Effect.gen(function* () {
      yield* played(3)
      yield* say("open", opened("even@1", "room"), lamp(true))
      const { totals, taskIds } = yield* scoring(({ rescore }) => rescore({ rubric, tasks: ["open", "t2"] }))
      expect(taskIds).toEqual(["t2", "open"])
      expect(totals.open).toMatchObject({ earned: 0.1 })
      expect((yield* scoring(({ rescore }) => rescore({ rubric }))).taskIds).not.toContain("open")
    }).pipe(Effect.provide(onNewLog)),
  )

  it.scopedLive("comes to the same where some of the events were archived", () =>
    Effect.gen(function* () {
      yield* played(9)
      const before = yield* scoring(({ rescore }) => rescore({ rubric }))
      yield* Effect.flatMap(Archive, (archive) => archive.archive({ until: 25, actor: "human:test" }))
      const after = yield* scoring(({ rescore }) => rescore({ rubric }))
      expect(after.totals).toEqual(before.totals)
      expect(yield* verdictsOf(after.scoreSetId)).toEqual(yield* verdictsOf(before.scoreSetId))
    }).pipe(Effect.provide(onNewLog)),
  )
})

describe("a dry run", () => {
  it.scopedLive("says what a re-scoring would take, and leaves the log as it is", () =>
    Effect.gen(function* () {
      yield* played(6)
      const log = yield* EventLog
      const before = yield* log.head
      const plan = yield* scoring(({ plan }) => plan({ rubric, label: "l", select: { outcomes: ["achieved"] } }))
      expect(plan).toMatchObject({ label: "l", taskIds: ["t2", "t4"], verdicts: 3, rules: 3, critic: "rule@4" })
      expect(plan.events).toBeGreaterThan(0)
      expect(plan.events).toBeLessThanOrEqual(before.position)
      expect(yield* log.head).toEqual(before)
    }).pipe(Effect.provide(onNewLog)),
  )
})

describe("an interrupted re-scoring", () => {
  const { seen, layer } = watched()

  it.scopedLive("leaves a set that is not finished; gone on with, it comes to what it would have come to", () =>
    Effect.gen(function* () {
      yield* played(20)
      const whole = yield* scoring(({ rescore }) => rescore({ rubric }))
      seen.failing = (taskId) => taskId === "t11"
      expect(yield* Effect.flip(scoring(({ rescore }) => rescore({ rubric })))).toMatchObject({
        _tag: "LogUnavailable",
      })
      seen.failing = () => false
      const [id = ""] = Object.entries((yield* sets).sets).flatMap(([id, { finished }]) => (finished ? [] : [id]))
      const done = (yield* verdictsOf(id)).length
      expect(done).toBeGreaterThan(0)

      expect(
        yield* Effect.flip(scoring((of) => of.promote({ pointer: "p", scoreSetIds: [id], actor: "a" }))),
      ).toMatchObject({
        _tag: "NotPromoted",
        found: `${id}, which was not finished`,
      })
      const resumed = yield* scoring(({ resume }) => resume(id))
      expect(resumed).toEqual({ ...whole, scoreSetId: id })
      expect(yield* verdictsOf(id)).toEqual(yield* verdictsOf(whole.scoreSetId))
      const { [id]: set, [whole.scoreSetId]: other } = (yield* sets).sets
      expect(set).toMatchObject({ finished: true, totals: other?.totals })
      expect(yield* Effect.flip(scoring(({ resume }) => resume(id)))).toMatchObject({
        _tag: "NotResumed",
        reason: "it is finished",
      })
    }).pipe(Effect.provide(layer)),
  )

  it.scopedLive("a re-scoring that was killed is gone on with by another process, whatever was appended since", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const context = yield* Layer.build(services.pipe(Layer.provideMerge(layerSqlite({ filename }))))
      yield* Effect.gen(function* () {
        yield* played(30)
        const whole = yield* scoring(({ rescore }) => rescore({ rubric }))
        const input = JSON.stringify({ filename, rubric, appends: 9 })
        expect(spawnSync(process.execPath, [PROGRAM], { input, timeout: 20_000 }).signal).toBe("SIGKILL")
        yield* say("later", opened("even@1", "room"), lamp(true), closed("achieved"))

        const { sets: known } = yield* sets
        const [id = "", set] = Object.entries(known).find(([, { label }]) => label === "killed") ?? []
        expect(set).toMatchObject({ finished: false, totals: null })
        const { totals, taskIds } = yield* scoring(({ resume }) => resume(id))
        expect({ totals, taskIds }).toEqual({ totals: whole.totals, taskIds: whole.taskIds })
        expect(yield* verdictsOf(id)).toEqual(yield* verdictsOf(whole.scoreSetId))
      }).pipe(Effect.provide(context))
    }),
  )

  it.scopedLive("is finished once by two that go on with it at the same time", () =>
    Effect.gen(function* () {
      yield* played(12)
      const whole = yield* scoring(({ rescore }) => rescore({ rubric }))
      seen.failing = (taskId) => taskId === "t7"
      yield* Effect.flip(scoring(({ rescore }) => rescore({ rubric })))
      seen.failing = () => false
      const [id = ""] = Object.entries((yield* sets).sets).flatMap(([id, { finished }]) => (finished ? [] : [id]))
      const both = yield* Effect.all(
        [0, 1].map(() => Effect.either(scoring(({ resume }) => resume(id)))),
        {
          concurrency: "unbounded",
        },
      )
      expect(both.map(({ _tag }) => _tag).sort()).toEqual(["Left", "Right"])
      expect(both.find(({ _tag }) => _tag === "Left")).toMatchObject({
        left: { _tag: "ScoringOvertaken", scoreSetId: id },
      })
      expect(yield* verdictsOf(id)).toEqual(yield* verdictsOf(whole.scoreSetId))
    }).pipe(Effect.provide(layer)),
  )

  it.scopedLive("a re-scoring that another critic began is not gone on with", () =>
    Effect.gen(function* () {
      yield* played(3)
      const log = yield* EventLog
      const payload = {
        scoreSetId: "old",
        taskIds: ["t0"],
        rubric: JSON.parse(JSON.stringify(rubric)),
        label: "l",
        rubricDigest: "0".repeat(64),
        critic: "rule@1",
        criticDigest: "1".repeat(64),
        range: { from: 1, to: 9 },
      }
      yield* log.append({ stream: "scores/old", actor: "test", events: [{ type: "ScoringStarted", payload }] })
      const refused = yield* Effect.flip(scoring(({ resume }) => resume("old")))
      expect(refused.message).toContain(
        "it was started with the critic rule@1; now rule@4 would decide, and differently",
      )
      const none = yield* Effect.flip(scoring(({ resume }) => resume("none")))
      expect(none.message).toContain("Score set none cannot be resumed: there is no such set")
    }).pipe(Effect.provide(onNewLog)),
  )
})

describe("the selection of tasks", () => {
  const chosen = (select: Scoring.TaskFilter) =>
    Effect.map(
      scoring(({ plan }) => plan({ rubric, select })),
      ({ taskIds }) => taskIds,
    )

  it.scopedLive("tasks are selected by agent, plugin, outcome, time, and by what is true of them", () =>
    Effect.gen(function* () {
      yield* played(8)
      const log = yield* EventLog
      const [second] = yield* log.readPage({ taskId: "t3", types: ["TaskOpened"] }, 1)
      const at = second?.position ?? 0
      expect(yield* chosen({ agents: ["odd"] })).toEqual(["t1", "t3", "t5", "t7"])
      expect(yield* chosen({ agents: ["odd@2", "even@9"] })).toEqual(["t1", "t3", "t5", "t7"])
      expect(yield* chosen({ plugins: ["attic"] })).toEqual(["t0", "t4"])
      expect(yield* chosen({ outcomes: ["achieved"], plugins: ["room"] })).toEqual(["t2", "t6"])
      expect(yield* chosen({ openedAfter: at })).toEqual(["t4", "t5", "t6", "t7"])
      expect(yield* chosen({ closedBy: at })).toEqual(["t0", "t1", "t2"])
      expect(yield* chosen({ where: "task.steps == 1 && task.seed == 7 && 'attic' in task.plugins" })).toEqual([
        "t0",
        "t4",
      ])
      expect(yield* chosen({ where: "task.openedAt < timestamp('2000-01-01T00:00:00Z') || task.id == 't2'" })).toEqual([
        "t2",
      ])
    }).pipe(Effect.provide(onNewLog)),
  )

  it.scopedLive("a wrong selection is refused with what is wrong, and where", () =>
    Effect.gen(function* () {
      yield* played(2)
      const wrong = (where: string) => Effect.flip(chosen({ where }))
      expect(yield* wrong("task.steps")).toMatchObject({
        _tag: "SelectionInvalid",
        reason: "it gives 1 for task t0, and not true or false",
      })
      expect(yield* wrong("1 + 1")).toMatchObject({ reason: "it gives a value of type int, and not true or false" })
      expect(yield* wrong("task.steps > 1 &&\n  tsk.goal == 'g'")).toMatchObject({
        line: 2,
        column: 3,
        reason: "Unknown variable: tsk",
      })
      expect((yield* wrong("task.stepz > 1")).message).toContain("No such key: stepz. Expected a CEL expression")
      expect(yield* Effect.flip(chosen({ agents: ["nobody"] }))).toMatchObject({ _tag: "NoTaskSelected", among: 2 })
      expect(yield* Effect.flip(scoring(({ rescore }) => rescore({ rubric, tasks: ["t9"] })))).toMatchObject({
        _tag: "TaskNotFound",
      })
      expect(Object.keys((yield* sets).sets)).toEqual([])
    }).pipe(Effect.provide(onNewLog)),
  )

  it.scopedLive("a selection without a closed task says so", () =>
    Effect.gen(function* () {
      yield* say("open", opened("even@1", "room"))
      const none = yield* Effect.flip(scoring(({ rescore }) => rescore({ rubric })))
      expect(none.message).toContain("expected a closed task to score, found 1 open")
    }).pipe(Effect.provide(onNewLog)),
  )
})

describe("a rubric that says its measures are a plugin's", () => {
  const of = (plugin: string, name: string): Rubric => ({
    ...rubric,
    measures: rubric.measures.map((measure) => ({ ...measure, plugin, name })),
  })

  it.scopedLive("has to name such as tasks of the log were scored by", () =>
    Effect.gen(function* () {
      yield* played(2)
      const refused = yield* Effect.flip(scoring(({ rescore }) => rescore({ rubric: of("room", "tidy") })))
      expect(refused.message).toContain(
        'measures[0]: expected a plugin of this log (there is none), found plugin "room"',
      )
      const log = yield* EventLog
      const payload = {
        scoreSetId: "s",
        taskIds: ["t0"],
        rubric: JSON.parse(JSON.stringify(of("room", "tidy"))),
        label: "live",
        rubricDigest: "0".repeat(64),
        critic: "rule@4",
        criticDigest: "1".repeat(64),
        range: { from: 1, to: 9 },
      }
      yield* log.append({ stream: "scores/s", actor: "test", events: [{ type: "ScoringStarted", payload }] })
      expect((yield* scoring(({ rescore }) => rescore({ rubric: of("room", "tidy") }))).taskIds).toEqual(["t0", "t1"])
      const misspelt = yield* Effect.flip(scoring(({ plan }) => plan({ rubric: of("room", "tidi") })))
      expect(misspelt).toMatchObject({ _tag: "RubricInvalid" })
      expect(misspelt.message).toContain('measures[0]: expected a measure of the plugin room (tidy), found "tidi"')
    }).pipe(Effect.provide(onNewLog)),
  )
})
