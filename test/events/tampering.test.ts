import * as path from "node:path"
import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Writes a log of five events, lets someone loose on its file, and answers what `verify` says then. */
const verifyAfter = (damage: (database: Database.Database) => void) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const layer = layerSqlite({ filename })
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append({
        stream: "task/t1",
        taskId: "t1",
        actor: "human:ada",
        events: ["one", "two", "three", "four", "five"].map((text) => ({
          type: "NoteAdded" as const,
          payload: { about: "x", text },
        })),
      })
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 5 })
    }).pipe(Effect.provide(layer))
    const database = new Database(filename)
    damage(database)
    database.close()
    return yield* Effect.flatMap(EventLog, (log) => log.verify).pipe(Effect.provide(layer))
  })

/** What someone does who has read the schema. */
const withoutTriggers = (database: Database.Database, sql: string) => {
  for (const { name } of database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all() as ReadonlyArray<{
    readonly name: string
  }>) {
    database.exec(`DROP TRIGGER ${name}`)
  }
  database.exec(sql)
}

describe("a log that was touched", () => {
  it.scopedLive.each([
    ["a payload", "UPDATE events SET payload = replace(payload, 'two', 'owt') WHERE position = 2", 2],
    ["one space in a payload", "UPDATE events SET payload = payload || ' ' WHERE position = 3", 3],
    ["a time", "UPDATE events SET occurred_at = occurred_at + 1 WHERE position = 4", 4],
    ["an actor's name", "UPDATE names SET text = 'human:eve' WHERE text = 'human:ada'", 1],
    ["a hash", "UPDATE events SET hash = randomblob(32) WHERE position = 5", 5],
    ["a cause", "UPDATE events SET causation = randomblob(16) WHERE position = 2", 2],
    ["a removed event", "DELETE FROM events WHERE position = 3", 3],
    [
      "two events in each other's place",
      "UPDATE events SET position = 9 WHERE position = 2; UPDATE events SET position = 2 WHERE position = 3; UPDATE events SET position = 3 WHERE position = 9",
      2,
    ],
  ] as const)("is found out at the first bad position: %s", ([, sql, position]) =>
    Effect.gen(function* () {
      const verdict = yield* verifyAfter((database) => withoutTriggers(database, sql))
      expect(verdict).toMatchObject({ _tag: "Tampered", position })
    }),
  )

  it.scopedLive("refuses update, delete and replacement by any program", () =>
    Effect.gen(function* () {
      const verdict = yield* verifyAfter((database) => {
        expect(() => database.exec("UPDATE events SET payload = '{}' WHERE position = 1")).toThrow("never changed")
        expect(() => database.exec("DELETE FROM events")).toThrow("never deleted")
        expect(() => database.exec("INSERT OR REPLACE INTO events SELECT * FROM events WHERE position = 2")).toThrow(
          "takes the next position",
        )
        expect(() => database.exec("UPDATE names SET text = 'x'")).toThrow("never changed")
        expect(() => database.exec("DELETE FROM names")).toThrow("never deleted")
      })
      expect(verdict).toMatchObject({ _tag: "Intact", events: 5 })
    }),
  )
})
