import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { layerMemory } from "../../../src/events/index.ts"
import { EventLog, type NewEvent } from "../../../src/events/log/EventLog.ts"
import * as Projector from "../../../src/projections/projector/Projector.ts"
import * as TaskList from "../../../src/projections/state/TaskList.ts"
import * as Tasks from "../../../src/projections/state/Tasks.ts"

const onMemory = <A, E>(body: Effect.Effect<A, E, EventLog | Projector.Projector>) =>
  Effect.provide(body, Projector.layerWith({ checks: false }).pipe(Layer.provideMerge(layerMemory())))

const append = (task: string, ...events: ReadonlyArray<NewEvent>) =>
  Effect.flatMap(EventLog, (log) => log.append({ stream: `task/${task}`, taskId: task, actor: "test", events }))

const opened = (goal: string): NewEvent => ({ type: "TaskOpened", payload: { goal, measures: [], agent: "a@1" } })
const reading: NewEvent = { type: "SensorRead", payload: { sensor: "a/b", reading: 1, priority: 0, latencyMs: 1 } }
const closed: NewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }
const resumed: NewEvent = { type: "TaskResumed", payload: { agent: "b@2", at: 1, inDoubt: [] } }
const paused: NewEvent = { type: "TaskPaused", payload: { by: "ada" } }

const EVENTS = { read: reading, close: closed, resume: resumed, pause: paused }

const newest = (limit: number) =>
  Effect.gen(function* () {
    return yield* TaskList.newest(yield* EventLog, yield* Projector.Projector, limit)
  })

const folded = Effect.flatMap(Projector.Projector, (projector) => projector.current(Tasks.projection))

describe("the newest tasks", () => {
  it.effect("are what the fold of the whole log says of the tasks that were opened last", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.tuple(
              fc.integer({ min: 0, max: 7 }),
              fc.constantFrom("open" as const, "read" as const, "close" as const, "resume" as const, "pause" as const),
            ),
            { maxLength: 60 },
          ),
          fc.integer({ min: 1, max: 10 }),
          (steps, limit) =>
            Effect.gen(function* () {
              for (const [task, step] of steps) {
                const event = step === "open" ? opened(`g${task}`) : EVENTS[step]
                yield* append(`t${task}`, event)
              }
              const all = Object.entries(yield* folded)
              const { tasks, earlier } = yield* newest(limit)
              expect(tasks).toEqual(all.slice(-limit))
              expect(earlier).toBe(all.length > limit)
              const log = yield* EventLog
              expect(yield* TaskList.ids(log)).toEqual(all.map(([id]) => id))
              const open = (yield* TaskList.open(log)).map(([id, { agent, asked }]) => ({ id, agent, asked }))
              expect(open).toEqual(
                all.flatMap(([id, { agent, asked, outcome }]) => (outcome === null ? [{ id, agent, asked }] : [])),
              )
              for (const [id, { agent, goal, from }] of all) {
                expect(yield* TaskList.heading(log, id)).toMatchObject({ agent, goal, from })
              }
              expect(yield* TaskList.heading(log, "none")).toBeUndefined()
            }).pipe(onMemory, Effect.runPromise),
        ),
        { numRuns: 60 },
      ),
    ),
  )

  it.effect("are found behind many events of other kinds", () =>
    Effect.gen(function* () {
      for (const task of ["t1", "t2", "t3"]) yield* append(task, opened(task), closed)
      yield* append("t4", opened("t4"), ...Array.from({ length: 5_000 }, () => reading))
      expect((yield* newest(2)).tasks.map(([id]) => id)).toEqual(["t3", "t4"])
      expect(yield* newest(4)).toMatchObject({ earlier: false })
    }).pipe(onMemory),
  )

  it.effect("do not include an earlier one that was opened again lately", () =>
    Effect.gen(function* () {
      yield* append("t1", opened("t1"), ...Array.from({ length: 2_500 }, () => reading))
      for (const task of ["t2", "t3", "t4", "t1"]) yield* append(task, opened(task))
      expect((yield* newest(2)).tasks.map(([id]) => id)).toEqual(["t3", "t4"])
      expect((yield* newest(4)).tasks).toEqual(Object.entries(yield* folded))
    }).pipe(onMemory),
  )

  it.effect("are headed as they were closed, whatever follows", () =>
    Effect.gen(function* () {
      yield* append("t1", opened("t1"), closed, resumed)
      expect(yield* TaskList.heading(yield* EventLog, "t1")).toMatchObject({ agent: "a@1" })
    }).pipe(onMemory),
  )

  it.effect("with more events than are folded one by one are taken from the fold of all", () =>
    Effect.gen(function* () {
      yield* append("t1", opened("t1"))
      for (const length of [5_500, 5_500]) yield* append("t1", ...Array.from({ length }, () => reading))
      yield* append("t1", paused)
      expect((yield* newest(1)).tasks).toEqual(Object.entries(yield* folded))
    }).pipe(onMemory),
  )
})
