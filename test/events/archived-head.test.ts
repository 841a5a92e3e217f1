import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (text: string) => ({
  stream: "a",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "a", text } }],
})

const opened = (filename: string) => Layer.build(layerSqlite({ filename }))

describe("a writer that appends one event", () => {
  it.scopedLive("goes on after an event that another process has archived", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const log = Context.get(yield* opened(filename), EventLog)
      const other = yield* opened(filename)
      for (const text of ["one", "two"]) yield* log.append(note(text))
      for (const text of ["three", "four"]) yield* Context.get(other, EventLog).append(note(text))
      yield* Context.get(other, Archive).archive({ until: 3, actor: "human:test" })
      const { position } = yield* log.append(note("five"))
      const all = yield* log.readPage({ stream: "a" }, 10)
      expect(all.map(({ payload }) => payload.text)).toEqual(["one", "two", "three", "four", "five"])
      expect(all.at(-1)?.position).toBe(position)
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }),
  )

  it.scopedLive("acknowledges nothing if its last event is another one now, or is gone", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const log = Context.get(yield* opened(filename), EventLog)
      for (const text of ["one", "two"]) yield* log.append(note(text))
      const database = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(filename)),
        (database) => Effect.sync(() => database.close()),
      )
      const [trigger] = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'events_not_updated'").all()
      database.exec("DROP TRIGGER events_not_updated; UPDATE events SET hash = zeroblob(32) WHERE position = 2")
      database.exec(String((trigger as { readonly sql: string }).sql))
      expect(yield* Effect.flip(log.append(note("three")))).toMatchObject({ _tag: "LogCorrupt", position: 2 })
      expect(database.prepare("SELECT count(*) AS events FROM events").all()).toEqual([{ events: 2 }])
    }),
  )
})
