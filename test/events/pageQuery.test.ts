import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { type InternedQuery, NO_TASK, type PageQuery, pageQuery } from "../../src/events/sqlite/pageQuery.ts"
import { Database } from "../sqlite.ts"
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

/** How SQLite says that it will run a statement. */
const planOf = (database: Database, { sql, parameters }: PageQuery) =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map((row) => (row as { readonly detail: string }).detail)

/** An empty log's file, opened by whoever wants to ask SQLite. */
const emptyLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  yield* Effect.provide(EventLog, layerSqlite({ filename }))
  return yield* Effect.acquireRelease(
    Effect.sync(() => new Database(filename)),
    (database) => Effect.sync(() => database.close()),
  )
})

describe("a read up to a position", () => {
  it("reads no event after it, which may be damaged", () => {
    expect(pageQuery({ ...everything, until: 7 }, 100).parameters.at(-1)).toBe(7)
    expect(pageQuery({ ...everything, after: 5, until: 7 }, 100).parameters.at(-1)).toBe(2)
    expect(pageQuery({ ...everything, after: 7, until: 7 }, 100).parameters.at(-1)).toBe(0)
    expect(pageQuery({ ...everything, until: 7 }, 3).parameters.at(-1)).toBe(3)
  })
})

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
    [
      "no task uses an index of its own, in its order",
      { task: NO_TASK, types: [1] },
      ["SEARCH events USING INDEX events_of_no_task (task=? AND rowid>?)"],
    ],
    ["types uses their index", { types: [1] }, ["INDEX events_by_type (type=? AND rowid>?)"]],
    [
      "types and a timeline uses the types' index",
      { types: [1, 2], timeline: 1 },
      ["INDEX events_by_type (type=? AND rowid>?)"],
    ],
  ] as const)("%s", ([, query, expected]) =>
    Effect.gen(function* () {
      const database = yield* emptyLog
      const plan = planOf(database, pageQuery({ ...everything, ...query }, 1000))
      for (const step of expected) expect(plan.join("\n")).toContain(step)
      expect(plan.join("\n")).not.toContain("SCAN events")
      expect(plan.filter((step) => step.includes("USE TEMP B-TREE FOR ORDER BY"))).toEqual([])
    }),
  )
})

/** What each filter may be, the first of them not to filter. */
const FILTERS = {
  after: [0, 700],
  until: [null, 900, 50_000],
  timeline: [null, 1],
  stream: [null, 1],
  afterVersion: [null, 4],
  task: [null, 1, NO_TASK],
  types: [null, [1], [1, 2, 3]],
  plugin: [null, "workspace"],
} satisfies { readonly [Field in keyof InternedQuery]: ReadonlyArray<InternedQuery[Field]> }

const combinations = Object.entries(FILTERS).reduce<ReadonlyArray<InternedQuery>>(
  (queries, [field, values]) => queries.flatMap((query) => values.map((value) => ({ ...query, [field]: value }))),
  [everything],
)

/** The one way to the events that a query is to be read by. */
const wayOf = ({ after, until, timeline, stream, task, types }: InternedQuery): RegExp => {
  if (until !== null && until - after <= 2000)
    return /SEARCH events USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/
  if (stream !== null) {
    return timeline === null
      ? /SEARCH events USING INDEX sqlite_autoindex_events_2 \(stream=\?\)/
      : /SEARCH events USING INDEX sqlite_autoindex_events_2 \(stream=\? AND timeline=\?/
  }
  if (task === NO_TASK) return /SEARCH events USING INDEX events_of_no_task \(task=\? AND rowid>\?/
  if (task !== null) return /SEARCH events USING INDEX events_by_task \(task=\? AND rowid>\?/
  if (types !== null) return /SEARCH events USING (COVERING )?INDEX events_by_type \(type=\? AND rowid>\?/
  return /SEARCH events USING INTEGER PRIMARY KEY \(rowid>\?/
}

describe("every combination of filters", () => {
  it.scopedLive("reads by the index that serves it, and sorts nothing but a stream of all timelines", () =>
    Effect.gen(function* () {
      const database = yield* emptyLog
      expect(combinations).toHaveLength(2 * 3 * 2 * 2 * 2 * 3 * 3 * 2)
      for (const query of combinations) {
        const plan = planOf(database, pageQuery(query, 1000))
        const said = plan.join("\n")
        expect({ query, said }).toEqual({ query, said: expect.stringMatching(wayOf(query)) })
        expect({ query, said }).toEqual({ query, said: expect.not.stringContaining("SCAN events") })
        const isShort = query.until !== null && query.until - query.after <= 2000
        const sorts = !isShort && query.stream !== null && query.timeline === null
        expect({ query, sorts: said.includes("USE TEMP B-TREE FOR ORDER BY") }).toEqual({ query, sorts })
      }
    }),
  )
})
