import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import type { AnnotationList } from "../../src/studio/wire/Annotations.ts"
import { temporaryDirectory } from "../temporary.ts"
import { page, served } from "./given.ts"

const OPENED: CoreNewEvent = { type: "TaskOpened", payload: { goal: "Wait", measures: [], agent: "me@1" } }
const CLOSED: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }

const task = Effect.flatMap(EventLog, (log) =>
  log.append({ stream: "task/t", taskId: "t", actor: "kernel", events: [OPENED, CLOSED] }),
)

describe("annotating in the page", () => {
  it.scopedLive("records what a person says, as that person, and lists it", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        yield* task
        const { get, post } = yield* page
        const about = { timeline: "main", task: "t", moment: null }
        const at = { ...about, moment: 1 }
        expect(yield* post("/api/annotate", { what: "note", text: "<b>here</b>", ...at })).toEqual({
          status: 200,
          body: { positions: [3] },
        })
        expect(yield* post("/api/annotate", { what: "star", ...at })).toEqual({ status: 200, body: { positions: [4] } })
        expect(yield* post("/api/annotate", { what: "star", ...at })).toEqual({ status: 200, body: { positions: [] } })
        const tag = { what: "tag", timeline: "main", task: "t", tag: "odd", remove: false }
        expect(yield* post("/api/annotate", tag)).toMatchObject({ status: 200 })
        const label = { what: "label", measure: "pass", value: false, ...about }
        expect(yield* post("/api/annotate", label)).toMatchObject({ status: 200 })
        const listed = yield* get<AnnotationList>("/api/annotations?timeline=main")
        expect(listed).toMatchObject({
          total: 4,
          rows: [
            { kind: "note", at: 3, by: "human:ada", task: "t", moment: 1, text: "<b>here</b>" },
            { kind: "star", at: 4, text: "" },
            { kind: "tag", at: 5, moment: null, text: "odd" },
            { kind: "label", text: "fail" },
          ],
        })
        expect(yield* post("/api/annotate", { what: "remove", annotation: 3 })).toMatchObject({ status: 200 })
        expect((yield* get<AnnotationList>("/api/annotations")).rows.map(({ kind }) => kind)).toEqual([
          ...["star", "tag", "label"],
        ])
      }).pipe(Effect.provide(served(file, { annotate: true }, false)))
    }),
  )

  it.scopedLive("is refused where it was not allowed, or where it does not fit", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "log.db")
      const star = { what: "star", timeline: "main", task: "t", moment: null }
      yield* Effect.gen(function* () {
        yield* task
        const { post } = yield* page
        const { status, body } = yield* post("/api/annotate", star)
        expect([status, body.error, body.message]).toEqual([403, "NotAllowed", expect.stringContaining("--annotate")])
        expect((yield* (yield* EventLog).head).position).toBe(2)
      }).pipe(Effect.provide(served(file, {}, false)))
      yield* Effect.gen(function* () {
        const { post } = yield* page
        const wrong = [
          ["TaskNotFound", { ...star, task: "nope" }],
          ["TimelineNotFound", { ...star, timeline: "nope" }],
          ["NotAnnotated", { ...star, moment: 0 }],
          ["InvalidOptions", { ...star, what: "note", text: " " }],
          ["NotAnnotated", { what: "remove", annotation: 1 }],
        ] as const
        for (const [error, order] of wrong) {
          const { status, body } = yield* post("/api/annotate", order)
          expect([status >= 400 && status < 500, body.error]).toEqual([true, error])
        }
        expect((yield* post("/api/annotate", { what: "shout" })).status).toBe(400)
        expect((yield* (yield* EventLog).head).position).toBe(2)
      }).pipe(Effect.provide(served(file, { annotate: true }, false)))
    }),
  )
})
