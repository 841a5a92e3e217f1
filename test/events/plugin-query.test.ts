import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog, layerSqlite } from "../../src/events/index.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const reset = (plugin: string, text = "x") => ({
  type: "EnvironmentReset" as const,
  payload: { plugin, seed: 0, options: {}, state: { text } },
})

/** Writes a log, and opens it again: a log has the events that it wrote itself in memory. */
const logOf = (
  events: ReadonlyArray<CoreNewEvent>,
  damage: (database: InstanceType<typeof Database>) => void = () => undefined,
) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const writing = Effect.flatMap(EventLog, (log) =>
      log.append({ stream: "task/t", taskId: "t", actor: "kernel", events }),
    )
    yield* Effect.provide(writing, layerSqlite({ filename }))
    const database = new Database(filename)
    damage(database)
    database.close()
    return Context.get(yield* Layer.build(layerSqlite({ filename, readonly: true })), EventLog)
  })

describe("a query for one plugin's events", () => {
  it.scopedLive("leaves out those of others, also between the pages that it fills", () =>
    Effect.gen(function* () {
      const round = [reset("room"), reset("workspace"), reset("workspace-2")]
      const log = yield* logOf([...round, ...round, ...round])
      const query = { types: ["EnvironmentReset"], plugin: "workspace" }
      const positions = (events: ReadonlyArray<{ readonly position: number }>) => events.map(({ position }) => position)
      expect(positions(yield* log.readPage(query, 100))).toEqual([2, 5, 8])
      expect(positions(yield* log.readPage(query, 2))).toEqual([2, 5])
      expect(positions(yield* log.readPage({ ...query, after: 5 }, 2))).toEqual([8])
      expect(positions(yield* log.readPage({ ...query, taskId: "t", until: 7 }, 100))).toEqual([2, 5])
    }),
  )

  it.scopedLive("includes those whose plugin SQLite cannot tell: a large payload, and one without", () =>
    Effect.gen(function* () {
      const note = { type: "NoteAdded", payload: { about: "a", text: "hello" } } as const
      const log = yield* logOf([reset("workspace", "x".repeat(MAX_INLINE_BYTES)), reset("room"), note])
      const found = yield* log.readPage({ plugin: "workspace" }, 100)
      expect(found.map(({ position }) => position)).toEqual([1, 3])
    }),
  )

  it.scopedLive("does not pass over a damaged payload", () =>
    Effect.gen(function* () {
      const log = yield* logOf([reset("room"), reset("room")], (database) => {
        const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
        for (const { name } of triggers as Array<{ name: string }>) database.exec(`DROP TRIGGER "${name}"`)
        database.exec(`UPDATE events SET payload = '{"plugin":"room"' WHERE position = 2`)
        for (const { sql } of triggers as Array<{ sql: string }>) database.exec(sql)
      })
      const failed = yield* Effect.flip(log.readPage({ plugin: "workspace" }, 100))
      expect(failed).toMatchObject({ _tag: "LogCorrupt", position: 2 })
    }),
  )
})
