import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as Database from "../../src/events/sqlite/file/database.ts"
import * as Control from "../../src/events/sqlite/file/openDatabase.ts"
import { temporaryDirectory } from "../temporary.ts"

/** A connection that writes to a new log. */
const newDatabase = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  yield* Control.open(filename)
  return yield* Database.open(filename, { readonly: false })
})

describe("running a statement", () => {
  it.scopedLive("answers with the rows that it changed by itself, and 0 for what changes none", () =>
    Effect.gen(function* () {
      const { run } = yield* newDatabase
      const counts = [
        run("CREATE TABLE seen (x INTEGER)"),
        run("CREATE TABLE copied (x INTEGER)"),
        run("CREATE TRIGGER copies AFTER INSERT ON seen BEGIN INSERT INTO copied VALUES (new.x), (new.x); END"),
        run("BEGIN IMMEDIATE"),
        run("INSERT INTO seen VALUES (?), (?), (?)", [1, 2, 3]),
        run("PRAGMA user_version"),
        run("UPDATE seen SET x = x + 1 WHERE x > 1"),
        run("COMMIT"),
        run("DELETE FROM seen WHERE x = 7"),
        run("PRAGMA synchronous = full"),
      ]
      expect(counts).toEqual([0, 0, 0, 0, 3, 0, 2, 0, 0, 0])
    }),
  )

  it.scopedLive("does not count a row that a trigger left out", () =>
    Effect.gen(function* () {
      const { run, rows } = yield* newDatabase
      run("CREATE TABLE seen (x INTEGER)")
      run("CREATE TRIGGER hides BEFORE INSERT ON seen WHEN new.x = 2 BEGIN SELECT RAISE(IGNORE); END")
      expect(run("INSERT INTO seen VALUES (1), (2), (3)")).toBe(2)
      expect(rows("SELECT x FROM seen ORDER BY x")).toEqual([[1], [3]])
    }),
  )
})
