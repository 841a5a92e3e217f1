import { it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import type { TaskPart } from "../../src/events/log/TaskPart.ts"
import * as PartHash from "../../src/events/read/PartHash.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Critics from "../../src/kernel/critics/Critics.ts"
import type { Rubric } from "../../src/kernel/rules/Rubric.ts"
import * as Scoring from "../../src/kernel/scoring/Scoring.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { temporaryLog } from "../temporary.ts"

const rubric: Rubric = {
  name: "tidiness",
  measures: [
    {
      name: "m",
      description: "d",
      rewards: [
        { name: "achieved", when: "w", weight: 1, rule: "task.outcome == 'achieved'" },
        { name: "lit", when: "w", weight: 0.1, per: "occurrence", rule: "state.readings['room/lamp'] == true" },
        { name: "judged", when: "a person judges", weight: 1 },
      ],
      punishments: [{ name: "many", when: "w", weight: 0.5, rule: "count('SensorRead') > 3" }],
    },
  ],
}

const opened: CoreNewEvent = { type: "TaskOpened", payload: { goal: "g", measures: [], agent: "a@1" } }
const lamp = (reading: boolean): CoreNewEvent => ({
  type: "SensorRead",
  payload: { sensor: "room/lamp", reading, priority: 0, latencyMs: 1 },
})

/** Tasks under way at the same time: one event each in turn. Some stay open, some are alone, far from the others. */
const played = (tasks: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const say = (taskId: string, event: CoreNewEvent) =>
      log.append({ stream: `task/${taskId}`, taskId, actor: "test", events: [event] })
    const ids = Array.from({ length: tasks }, (_, number) => (number === 3 ? "__proto__" : `t${number}`))
    for (let step = 0; step < 7; step++) {
      for (const [number, taskId] of ids.entries()) {
        const isLast = step === 6 || (number % 4 === 0 && step === 3)
        const isOver = number % 4 === 0 && step > 3
        if (step === 0) yield* say(taskId, opened)
        else if (isOver) continue
        else if (!isLast) yield* say(taskId, lamp((number + step) % 3 === 0))
        else if (number % 5 !== 4)
          yield* say(taskId, { type: "TaskClosed", payload: { outcome: number % 2 === 0 ? "achieved" : "failed" } })
      }
    }
    return ids
  })

const services = Scoring.layer.pipe(Layer.provideMerge(Projector.layer), Layer.provideMerge(temporaryLog()))

/** The events of a score set, without what differs between any two. */
const contentOf = (scoreSetId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events: ReadonlyArray<Event> = [...(yield* Stream.runCollect(log.read({ stream: `scores/${scoreSetId}` })))]
    return events.map(({ type, version, taskId, actor, payload: { scoreSetId: _, range: __, ...payload } }) =>
      JSON.stringify([type, version, taskId, actor, payload]),
    )
  })

const judged = (scoreSetId: string, part: TaskPart) =>
  Effect.gen(function* () {
    const found: Array<Scoring.JudgedTask> = []
    yield* (yield* Scoring.Scoring).judgePart(scoreSetId, {
      part,
      onJudged: (tasks) => Effect.sync(() => void found.push(...tasks)),
    })
    // As another process would hand it over.
    return JSON.parse(JSON.stringify(found)) as ReadonlyArray<Scoring.JudgedTask>
  })

const allParts = (scoreSetId: string, of: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: of }), (_, index) => judged(scoreSetId, { index, of })),
    (parts) => parts.flat().sort((one, other) => one.index - other.index),
  )

describe("a score set in parts", () => {
  it.live(
    "has the events that one process writes, whatever the number of parts, the tasks and what was merged before",
    () =>
      Effect.gen(function* () {
        const ids = yield* played(23)
        const scoring = yield* Scoring.Scoring
        const choice = FastCheck.record({
          of: FastCheck.integer({ min: 1, max: 9 }),
          tasks: FastCheck.option(FastCheck.subarray(ids, { minLength: 1 }), { nil: undefined }),
          before: FastCheck.nat({ max: 30 }),
        })
        const run = yield* Effect.runtime<EventLog | Scoring.Scoring>()
        const holds = (of: number, tasks: ReadonlyArray<string> | undefined, before: number) =>
          Effect.gen(function* () {
            const options = { rubric, ...(tasks === undefined ? {} : { tasks }) }
            const whole = yield* scoring.rescore(options)
            const scoreSetId = yield* scoring.begin(options)
            const all = yield* allParts(scoreSetId, of)
            if (before < all.length) {
              // The merging was killed, and another one goes on, with parts that were judged again.
              const broken = scoring.mergeParts(scoreSetId, Stream.fromIterable(all.slice(0, before)))
              expect(yield* Effect.flip(broken)).toMatchObject({ _tag: "PartsIncomplete" })
            }
            const again = yield* allParts(scoreSetId, of)
            expect(again).toEqual(all.filter(({ index }) => index >= (again[0]?.index ?? 0)))
            const merged = yield* scoring.mergeParts(scoreSetId, Stream.fromIterable(before % 2 === 0 ? again : all))
            expect(merged.totals).toEqual(whole.totals)
            expect(merged.taskIds).toEqual(whole.taskIds)
            expect(yield* contentOf(scoreSetId)).toEqual(yield* contentOf(whole.scoreSetId))
          }).pipe(Effect.provide(run))
        const property = FastCheck.asyncProperty(choice, ({ of, tasks, before }) =>
          Effect.runPromise(holds(of, tasks, before)),
        )
        yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 15 }))
      }).pipe(Effect.provide(services)),
  )

  it.live("is never finished without a part, or by tasks of other places", () =>
    Effect.gen(function* () {
      yield* played(9)
      const scoring = yield* Scoring.Scoring
      let scoreSetId = yield* scoring.begin({ rubric })
      const all = yield* allParts(scoreSetId, 3)
      const lacking = all.filter(({ taskId }) => !PartHash.has({ index: 1, of: 3 }, taskId))
      const [first, second, ...others] = all
      if (first === undefined || second === undefined) throw new Error("expected more tasks")
      for (const wrong of [
        lacking,
        all.slice(0, -1),
        [second, first, ...others],
        [first, { ...second, taskId: "t999" }, ...others],
        [...all, { ...first, index: all.length }],
        [],
      ]) {
        const error = yield* Effect.flip(scoring.mergeParts(scoreSetId, Stream.fromIterable(wrong)))
        expect(error).toMatchObject({ _tag: "PartsIncomplete" })
        const types = (yield* contentOf(scoreSetId)).map((text) => JSON.parse(text)[0])
        expect(types).not.toContain("ScoringFinished")
        if (wrong.length > 0) scoreSetId = yield* scoring.begin({ rubric })
      }
      // What is left is judged as usual.
      const { totals } = yield* scoring.resume(scoreSetId)
      expect(Object.keys(totals)).toHaveLength(all.length)
      expect(all.length).toBeGreaterThan(5)
      const isDone = { _tag: "NotResumed", reason: "it is finished" }
      expect(yield* Effect.flip(scoring.mergeParts(scoreSetId, Stream.empty))).toMatchObject(isDone)
      expect(yield* Effect.flip(judged(scoreSetId, { index: 0, of: 1 }))).toMatchObject(isDone)
    }).pipe(Effect.provide(services)),
  )

  it.live("judges by rules that might be slow, which are abandoned after their time", () =>
    Effect.gen(function* () {
      yield* played(6)
      const scoring = yield* Scoring.Scoring
      const rewards = [{ name: "reached", when: "It ends.", weight: 1, rule: 'event.type.matches("^Task(Closed)$")' }]
      const slow: Rubric = { name: "slow", measures: [{ name: "end", description: "d", rewards }] }
      const whole = yield* scoring.rescore({ rubric: slow })
      const scoreSetId = yield* scoring.begin({ rubric: slow })
      const all = yield* allParts(scoreSetId, 2)
      yield* scoring.mergeParts(scoreSetId, Stream.fromIterable(all))
      const started = JSON.parse((yield* contentOf(scoreSetId))[0] ?? "")
      expect(JSON.stringify(started)).toContain("timed-rule@")
      expect(yield* contentOf(scoreSetId)).toEqual(yield* contentOf(whole.scoreSetId))
    }).pipe(Effect.provide(services)),
  )

  it.live("refuses critics that are models, and parts that there are not", () =>
    Effect.gen(function* () {
      yield* played(2)
      const scoring = yield* Scoring.Scoring
      const model = { model: Critics.scripted("eyes@1", () => undefined) }
      const refused = yield* Effect.flip(scoring.begin({ rubric, critics: { model } }))
      expect(refused).toMatchObject({ _tag: "NotInParts" })
      const scoreSetId = yield* scoring.begin({ rubric })
      for (const part of [
        { index: 0, of: 0 },
        { index: -1, of: 2 },
        { index: 2, of: 2 },
        { index: 0, of: 1e9 },
      ])
        expect((yield* Effect.flip(judged(scoreSetId, part)))._tag).toMatch(/^Invalid(Options|Query)$/)
    }).pipe(Effect.provide(services)),
  )
})
