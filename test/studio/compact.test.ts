import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import * as JsonPatch from "../../src/projections/patch/JsonPatch.ts"
import { TimeTravel } from "../../src/projections/timetravel/TimeTravel.ts"
import type { CourseSlice } from "../../src/studio/wire/CourseSlice.ts"
import type { TimelineRows } from "../../src/studio/wire/Rows.ts"
import type { TaskSpans } from "../../src/studio/wire/Spans.ts"
import type { Json, JsonObject } from "../../src/values/Json.ts"
import * as Rollout from "../../src/worlds/rollout/Rollout.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"
import { page, query, served } from "./given.ts"

describe("a compact episode in Studio", () => {
  it.scopedLive("is one entry for each event of the log, whose changes are those of all its steps", () =>
    Effect.gen(function* () {
      const { layer, log } = yield* testKernel({ plugins: [inRepository("packages", "worlds", "cart-pole")] })
      const { episodes } = yield* Rollout.run({
        world: "cart-pole",
        policy: ({ observation }) => (((observation as ReadonlyArray<number>)[2] ?? 0) > 0 ? 1 : 0),
        episodes: 2,
        seed: 1,
      }).pipe(Effect.provide(layer))
      yield* Effect.gen(function* () {
        const { get } = yield* page
        const travel = yield* TimeTravel
        for (const { taskId } of episodes) {
          const chunk = yield* get<CourseSlice>(`/api/chunk?${query({ task: taskId, number: 0 })}`)
          expect(chunk.entries.map(({ type }) => type)).toEqual(["TaskOpened", "StepsRecorded", "TaskClosed"])
          let state: Json = { shared: chunk.state.shared, tasks: chunk.state.tasks }
          for (const { position, changes } of chunk.entries) {
            expect(Number.isInteger(position)).toBe(true)
            state = Option.getOrThrow(Option.fromNullable(Either.getOrThrow(JsonPatch.apply(state, changes))))
            const scope = ((state as JsonObject).tasks as JsonObject)[taskId]
            expect(scope).toEqual(yield* travel.stateAt(position, `/tasks/${taskId}`))
          }
          const spans = yield* get<TaskSpans>(`/api/spans?${query({ task: taskId })}`)
          expect(spans).toMatchObject({ spans: [], until: chunk.entries.at(-1)?.position })
          for (const { runs } of [spans.agents, spans.plugins])
            expect(runs.reduce((sum, part, index) => sum + (index % 2 === 1 ? part : 0), 0)).toBe(chunk.entries.length)
        }
        const { entries } = yield* get<CourseSlice>(`/api/chunk?${query({ number: 0 })}`)
        const rows = yield* get<TimelineRows>(`/api/rows?${query({ row: 0 })}`)
        expect(rows.rows.map(({ position, brief }) => [position, brief.type])).toEqual(
          entries.map(({ position, type }) => [position, type]),
        )
        expect(entries.map(({ type }) => type)).toContain("StepsRecorded")
        expect(rows).toMatchObject({ length: entries.length, until: entries.at(-1)?.position, isWhole: true })
      }).pipe(Effect.provide(served(log)))
    }),
  )
})
