import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { applyAll, begin } from "../../src/projections/fold/Projection.ts"
import * as JsonPatch from "../../src/projections/patch/JsonPatch.ts"
import * as JsonPointer from "../../src/projections/patch/JsonPointer.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as EventSummary from "../../src/projections/summary/EventSummary.ts"
import { TimeTravel } from "../../src/projections/timetravel/TimeTravel.ts"
import type { Studio } from "../../src/studio/Studio.ts"
import type { Change, CourseSlice } from "../../src/studio/wire/CourseSlice.ts"
import type { TaskList } from "../../src/studio/wire/Task.ts"
import { type Json, pointerKeys } from "../../src/values/Json.ts"
import { demoLog } from "../demoLog.ts"
import { page, query, served } from "./given.ts"

const onDemo = <A, E>(test: Effect.Effect<A, E, EventLog | TimeTravel | Studio>) =>
  Effect.flatMap(
    Effect.promise(() => demoLog(23, 7)),
    (file) => Effect.provide(test, served(file)),
  )

const applied = (state: Json, changes: ReadonlyArray<Change>): Json =>
  Option.getOrThrow(Option.fromNullable(Either.getOrThrow(JsonPatch.apply(state, changes))))

/** The state at each entry, as the page makes it: what is aside comes before. */
const statesOf = (chunk: CourseSlice): ReadonlyArray<readonly [position: number, state: Json]> => {
  let state: Json = { shared: chunk.state.shared, tasks: chunk.state.tasks }
  const aside = [...chunk.aside]
  return chunk.entries.map(({ position, changes }) => {
    while ((aside[0]?.position ?? Number.POSITIVE_INFINITY) < position)
      state = applied(state, aside.shift()?.changes ?? [])
    state = applied(state, changes)
    return [position, state]
  })
}

/** A part of the whole state: the shared scope, and these tasks. */
const limited = (whole: EnvironmentState.EnvironmentState, tasks: ReadonlySet<string>) => ({
  shared: whole.shared,
  tasks: Object.fromEntries(Object.entries(whole.tasks).filter(([id]) => tasks.has(id))),
})

describe("a chunk", () => {
  it.live("of a timeline gives by its changes the state at each position, as a fold of the log does", () =>
    onDemo(
      Effect.gen(function* () {
        const { get } = yield* page
        const log = yield* EventLog
        const { position: head } = yield* log.head
        const folded = begin(EnvironmentState.projection, EnvironmentState.projection.initial)
        for (let number = 0; number * 200 < head; number++) {
          const chunk = yield* get<CourseSlice>(`/api/chunk?${query({ timeline: "main", number })}`)
          expect(chunk.entries.map(({ position }) => position)).toEqual(
            Array.from({ length: Math.min(200, head - number * 200) }, (_, index) => number * 200 + index + 1),
          )
          expect(chunk.full).toBe((number + 1) * 200 <= head)
          const tasks = new Set(chunk.entries.flatMap(({ task }) => task ?? []))
          for (const [position, state] of statesOf(chunk)) {
            applyAll(
              EnvironmentState.projection,
              folded,
              yield* log.readPage({ after: position - 1, until: position }, 1),
            )
            expect(state, `@${position}`).toEqual(limited(folded.state(), tasks))
          }
        }
      }),
    ),
  )

  it.live("of a task gives by its changes the state at each of its events, as time travel does", () =>
    onDemo(
      Effect.gen(function* () {
        const { get } = yield* page
        const log = yield* EventLog
        const travel = yield* TimeTravel
        const { rows } = yield* get<TaskList>("/api/tasks?order=worst&limit=6")
        expect(rows).toHaveLength(6)
        for (const { id, events } of rows) {
          const chunk = yield* get<CourseSlice>(`/api/chunk?${query({ task: id, number: 0 })}`)
          const own = yield* log.readPage({ taskId: id }, 1000)
          expect(chunk.entries.map((entry) => [entry.position, entry.type, entry.line, entry.payload])).toEqual(
            own.slice(0, 200).map((event) => [event.position, event.type, EventSummary.of(event), event.payload]),
          )
          expect(events).toBe(own.length)
          for (const [position, state] of statesOf(chunk)) {
            const scope = JsonPointer.valueAt(state, ["tasks", id])
            const shared = JsonPointer.valueAt(state, ["shared"])
            if (scope !== undefined) expect(scope).toEqual(yield* travel.stateAt(position, `/tasks/${id}`))
            expect(shared).toEqual(yield* travel.stateAt(position, "/shared"))
          }
        }
      }),
    ),
  )

  it.live("says who wrote each leaf of its state, as blame does", () =>
    onDemo(
      Effect.gen(function* () {
        const { get } = yield* page
        const travel = yield* TimeTravel
        const chunk = yield* get<CourseSlice>("/api/chunk?timeline=main&number=2")
        const pointers = Object.keys(chunk.written)
        expect(pointers.length).toBeGreaterThan(20)
        for (const pointer of pointers) {
          const value = JsonPointer.valueAt({ ...chunk.state } as Json, pointerKeys(pointer))
          expect(value, pointer).toBeDefined()
          const { event } = yield* travel.blame(pointer, chunk.offset)
          expect([pointer, chunk.written[pointer]]).toEqual([pointer, event?.position])
        }
      }),
    ),
  )

  it.live("is found by a position in it, and one that does not exist is refused with what there is", () =>
    onDemo(
      Effect.gen(function* () {
        const { get, refused } = yield* page
        for (const [at, number] of [
          [0, 0],
          [1, 0],
          [200, 0],
          [201, 1],
          [1646, 8],
        ] as const) {
          expect((yield* get<CourseSlice>(`/api/chunk?${query({ at })}`)).number).toBe(number)
        }
        const ofTask = yield* get<CourseSlice>(`/api/chunk?${query({ task: "task-0015", at: 1043 })}`)
        expect(ofTask.entries.map(({ position }) => position)).toContain(1043)
        expect(yield* refused("/api/chunk?number=99")).toMatchObject({ status: 404, error: "ChunkNotFound" })
        expect(yield* refused("/api/chunk?task=task-0015&number=1")).toMatchObject({ status: 404 })
        expect(yield* refused("/api/chunk?task=nobody&number=0")).toMatchObject({ status: 404, error: "TaskNotFound" })
        expect(yield* refused("/api/chunk?timeline=fork-9&number=0")).toMatchObject({ error: "TimelineNotFound" })
        for (const bad of ["", "?number=0&at=3", "?number=-1", "?number=1e3", "?number=0&number=1", "?number=0&x=1"]) {
          expect(yield* refused(`/api/chunk${bad}`)).toMatchObject({ status: 400, error: "InvalidParameters" })
        }
      }),
    ),
  )

  it.live("names the view of a plugin that draws its world, from its import on", () =>
    onDemo(
      Effect.gen(function* () {
        const { get } = yield* page
        const [imported] = yield* (yield* EventLog).readPage({ types: ["PluginImported"] }, 1)
        const { views } = yield* get<CourseSlice>("/api/chunk?task=task-0001&number=0")
        expect(views).toHaveLength(1)
        expect(views[0]).toMatchObject({ plugin: "text-room", from: imported?.position, code: null })
        expect(views[0]?.view).not.toBeNull()
      }),
    ),
  )
})
