import * as path from "node:path"
import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { type InternedQuery, selection } from "../../src/events/sqlite/selection.ts"
import { temporaryDirectory } from "../temporary.ts"

const everything: InternedQuery = {
  after: 0,
  until: null,
  timeline: null,
  stream: null,
  afterVersion: null,
  task: null,
  types: null,
}

describe("a read by", () => {
  it.scopedLive.each([
    ["position walks the table", {}, ["SEARCH events USING INTEGER PRIMARY KEY (rowid>?)"]],
    ["timeline walks the table", { timeline: 1 }, ["SEARCH events USING INTEGER PRIMARY KEY (rowid>?)"]],
    [
      "a short range walks only that",
      { after: 10, until: 500, stream: 1, timeline: 1, types: [1] },
      ["SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
    ],
    [
      "stream and timeline uses their index, in its order",
      { stream: 1, timeline: 1, afterVersion: 4, types: [1, 2] },
      ["SEARCH events USING INDEX sqlite_autoindex_events_2 (stream=? AND timeline=? AND version>?)"],
    ],
    [
      "task uses its index, in its order",
      { task: 1, types: [1] },
      ["SEARCH events USING INDEX events_by_task (task=? AND rowid>?)"],
    ],
    ["types uses their index", { types: [1] }, ["INDEX events_by_type (type=? AND rowid>?)"]],
    [
      "types and a timeline uses the types' index",
      { types: [1, 2], timeline: 1 },
      ["INDEX events_by_type (type=? AND rowid>?)"],
    ],
  ] as const)("%s", ([, query, expected]) =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.provide(EventLog, layerSqlite({ filename }))
      const database = new Database(filename)
      const { sql, parameters } = selection({ ...everything, ...query }, 1000)
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map((row) => (row as { readonly detail: string }).detail)
      database.close()
      for (const step of expected) expect(plan.join("\n")).toContain(step)
      expect(plan.join("\n")).not.toContain("SCAN events")
      expect(plan.filter((step) => step.includes("USE TEMP B-TREE FOR ORDER BY"))).toEqual([])
    }),
  )
})
