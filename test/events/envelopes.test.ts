import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite, type Query } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { Records } from "../../src/events/read/Records.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { temporaryDirectory } from "../temporary.ts"
import { appendSeven, EVENTS } from "./smallLog.ts"

const QUERIES: ReadonlyArray<Query> = [
  {},
  { after: 2, until: 6 },
  { taskId: "t1" },
  { taskId: null },
  { taskId: "nobody" },
  { stream: "notes" },
  { stream: "task/t1", timeline: "main", afterVersion: 1 },
  { types: ["NoteAdded"], after: 3 },
  { types: ["TaskOpened"] },
]

const envelopeOf = ({ position, timeline, type, taskId, occurredAt, recordedAt }: Event) => ({
  position,
  timeline,
  type,
  taskId,
  occurredAt,
  recordedAt,
})

describe("events without what they say", () => {
  it.scopedLive("are those that a page of the query has, in the log's file and in its archive", () =>
    Effect.gen(function* () {
      const filename = `${yield* temporaryDirectory}/log.db`
      const context = yield* Layer.build(layerSqlite({ filename }))
      yield* Effect.provide(appendSeven, context)
      const log = Context.get(context, EventLog)
      const records = Context.get(context, Records)
      const same = Effect.forEach(QUERIES, (query) =>
        Effect.forEach([1, 3, EVENTS], (limit) =>
          Effect.gen(function* () {
            const page = yield* log.readPage(query, limit)
            expect(yield* records.envelopes(query, limit)).toEqual(page.map(envelopeOf))
          }),
        ),
      )
      yield* same
      yield* Context.get(context, Archive).archive({ until: 4, actor: "human:test" })
      yield* same
      expect((yield* Effect.flip(records.envelopes({}, 0)))._tag).toBe("InvalidQuery")
      expect((yield* Effect.flip(records.envelopes({ after: -1 }, 1)))._tag).toBe("InvalidQuery")
    }),
  )
})
