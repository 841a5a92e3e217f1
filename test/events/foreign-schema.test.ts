import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, importEvents, layerSqlite } from "../../src/events/index.ts"
import * as Doctor from "../../src/events/integrity/Doctor.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import type { StoredEvent } from "../../src/events/read/Records.ts"
import { Records } from "../../src/events/read/Records.ts"
import { examine } from "../../src/events/sqlite/integrity/doctor.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"
import { EVENTS, smallLog } from "./smallLog.ts"

const note = (...texts: ReadonlyArray<string>) => ({
  stream: "a",
  actor: "human:test",
  events: texts.map((text) => ({ type: "NoteAdded" as const, payload: { about: "", text } })),
})

/** What another program does to the file. */
const change = (filename: string, sql: string) =>
  Effect.sync(() => {
    const database = new Database(filename)
    database.exec(sql)
    database.close()
  })

const open = (filename: string) =>
  Effect.map(Layer.build(layerSqlite({ filename })), (context) => Context.get(context, EventLog))

const IGNORING = "CREATE TRIGGER quiet BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END"

const CHANGES = [
  ["a trigger that leaves events out", IGNORING, /it contains the trigger "quiet".*DROP TRIGGER quiet/],
  [
    "a trigger that only looks",
    "CREATE TRIGGER looks AFTER INSERT ON events BEGIN SELECT 1; END",
    /it contains the trigger "looks"/,
  ],
  [
    "an index",
    "CREATE UNIQUE INDEX one_each ON events (hash)",
    /it contains the index "one_each".*DROP INDEX one_each/,
  ],
  ["a view", "CREATE VIEW mine AS SELECT 1", /it contains the view "mine"/],
  ["a table", 'CREATE TABLE "their table" (a)', /it contains the table "their table".*DROP TABLE "their table"/],
  ["an index less", "DROP INDEX events_by_type", /its index events_by_type is missing/],
  ["a guard less", "DROP TRIGGER events_not_updated", /its trigger events_not_updated is missing/],
  [
    "another guard",
    "DROP TRIGGER names_not_deleted; CREATE TRIGGER names_not_deleted BEFORE DELETE ON names BEGIN SELECT 1; END",
    /its trigger names_not_deleted was changed/,
  ],
  [
    "a blank more in what a guard says",
    "DROP TRIGGER names_not_deleted; CREATE TRIGGER names_not_deleted BEFORE DELETE ON names BEGIN SELECT RAISE(ABORT, 'names: a name is  never deleted'); END",
    /its trigger names_not_deleted was changed/,
  ],
] as const

/** A row that never ends: a query of it runs for ever, and takes all of the process with it. */
const endless = (columns: string) =>
  `AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT ${columns} FROM n`

describe("a log whose table is none", () => {
  it.scopedLive.each([
    [
      "a view named names",
      `DROP TABLE names; CREATE VIEW names ${endless("x AS id, 'a' AS text")}`,
      /names should be a table, but is a view/,
    ],
    [
      "a view named NAMES",
      `DROP TABLE names; CREATE VIEW NAMES ${endless("x AS id, 'a' AS text")}`,
      /NAMES should be a table/,
    ],
    [
      "a view in place of a cache",
      `DROP TABLE lease; CREATE VIEW lease ${endless("x AS one")}`,
      /lease should be a table, but is a view/,
    ],
    [
      "a virtual table",
      "DROP TABLE blobs; CREATE VIRTUAL TABLE blobs USING fts5(digest, last_position, content)",
      /blobs should be a table, but is a virtual table/,
    ],
    [
      "a table with a computed column",
      "DROP TABLE segments; CREATE TABLE segments (first INTEGER PRIMARY KEY, last AS (first + 1), file, hash, lowest_id, highest_id, archived_at)",
      /its table segments was changed/,
    ],
  ] as const)(
    "%s is refused before the first query, to read as to write, and the doctor says that it is damaged",
    ([, sql, reason]) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        yield* change(filename, sql)
        for (const readonly of [true, false]) {
          const refused = yield* Effect.flip(Effect.scoped(Layer.build(layerSqlite({ filename, readonly }))))
          expect(refused).toMatchObject({ _tag: "LogCorrupt", message: expect.stringMatching(reason) })
        }
        const { findings } = yield* examine(filename)
        expect(findings.map(({ severity, found }) => [severity, found])).toContainEqual([
          "damage",
          expect.stringMatching(reason),
        ])
      }),
  )
})

describe("a log in which another program put", () => {
  it.scopedLive.each(CHANGES)("%s: is not opened for writing, and is read", ([, sql, reason]) =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      yield* change(filename, sql)
      const refused = yield* Effect.flip(Effect.scoped(open(filename)))
      expect(refused).toMatchObject({ _tag: "LogCorrupt", message: expect.stringMatching(reason) })
      const log = Context.get(yield* Layer.build(layerSqlite({ filename, readonly: true })), EventLog)
      expect((yield* log.head).position).toBe(EVENTS)
      // What refuses to write calls the log damaged where it is examined.
      expect(yield* log.verify).toMatchObject({ _tag: "Tampered", kind: "schema changed" })
      expect(Doctor.isHealthy(yield* examine(filename))).toBe(false)
    }),
  )

  it.scopedLive.each(CHANGES)("%s, while it was open: nothing more is acknowledged or stored", ([, sql, reason]) =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const log = yield* open(filename)
      yield* log.append(note("before"))
      yield* change(filename, sql)
      for (const request of [note("alone"), note("two", "at once")]) {
        const error = yield* Effect.flip(log.append(request))
        expect(error).toMatchObject({ _tag: "LogCorrupt", message: expect.stringMatching(reason) })
      }
      expect((yield* log.head).position).toBe(EVENTS + 1)
    }),
  )

  it.scopedLive("a trigger, and took it out again, goes on", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const log = yield* open(filename)
      yield* change(filename, IGNORING)
      expect((yield* Effect.flip(log.append(note("one"))))._tag).toBe("LogCorrupt")
      yield* change(filename, "DROP TRIGGER quiet")
      expect((yield* log.append(note("one"))).position).toBe(EVENTS + 1)
    }),
  )

  it.scopedLive("figures for SQLite's planner is a log as before", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      yield* change(filename, "ANALYZE")
      const log = yield* open(filename)
      expect((yield* log.append(note("one"))).position).toBe(EVENTS + 1)
    }),
  )

  it.scopedLive("nothing, but lost what may be made anew, is opened and made whole", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      yield* change(filename, "DROP TABLE lease; DROP INDEX events_of_no_task")
      const log = yield* open(filename)
      expect((yield* log.append(note("one"))).position).toBe(EVENTS + 1)
    }),
  )
})

describe("what SQLite does not store", () => {
  it.scopedLive("an import into a file with a trigger of another program is not acknowledged", () =>
    Effect.gen(function* () {
      const source = yield* smallLog
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const pages: Array<ReadonlyArray<StoredEvent>> = []
      const context = yield* Layer.build(layerSqlite({ filename: source, readonly: true }))
      yield* Context.get(context, Records).stored({}, (page) => Effect.sync(() => void pages.push(page)))
      const directory = path.dirname(filename)
      const events = Stream.fromIterable(pages).pipe(
        Stream.tap(() =>
          Effect.sync(() => {
            const partial = fs.readdirSync(directory).find((name) => name.endsWith(".partial")) ?? ""
            const database = new Database(path.join(directory, partial))
            database.exec(
              "CREATE TRIGGER last BEFORE INSERT ON events WHEN NEW.position = 3 BEGIN SELECT RAISE(IGNORE); END",
            )
            database.close()
          }),
        ),
      )
      const error = yield* Effect.flip(importEvents({ filename, events }))
      expect(error.message).toContain("another program changed the new log's file")
      expect(fs.readdirSync(directory)).toEqual([])
    }),
  )

  it.scopedLive("archiving says what SQLite does not store", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const context = yield* Layer.build(layerSqlite({ filename }))
      const ignoring = "CREATE TRIGGER s BEFORE INSERT ON segments BEGIN SELECT RAISE(IGNORE); END"
      yield* change(filename, ignoring)
      const error = yield* Effect.flip(Context.get(context, Archive).archive({ until: 2, actor: "human:test" }))
      expect(error).toMatchObject({ _tag: "LogCorrupt", message: expect.stringContaining("was not listed") })
      yield* change(filename, "DROP TRIGGER s")
      expect((yield* Context.get(context, Archive).archive({ until: 2, actor: "human:test" })).segment.last).toBe(2)
    }),
  )
})

describe("a log in which another program nested a payload deeper than any log writes", () => {
  it.scopedLive("is not read beyond it: the error names the event", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      for (const depth of [250, 100_000]) {
        const deep = `'{"about":"","text":' || replace(printf('%.${depth}c', 'x'), 'x', '[') || replace(printf('%.${depth}c', 'x'), 'x', ']') || '}'`
        const guard = GUARD
        yield* change(
          filename,
          `DROP TRIGGER events_not_updated; UPDATE events SET payload = ${deep} WHERE position = 2; ${guard}`,
        )
        const log = Context.get(yield* Layer.build(layerSqlite({ filename, readonly: true })), EventLog)
        const refused = yield* Effect.flip(Stream.runDrain(log.read()))
        expect(refused.message).toContain("nested more than 200 levels deep")
      }
    }),
  )
})

const GUARD = `CREATE TRIGGER events_not_updated BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events: an event is never changed'); END`

describe("a payload that is longer than a log writes", () => {
  const longer = `'{"about":"","text":"' || hex(zeroblob(${17 * 1024 * 1024})) || '"}'`

  it.scopedLive("is refused before it is read, as damage at its position; the other events are read", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      yield* change(filename, "DROP TRIGGER events_not_updated")
      yield* change(filename, `UPDATE events SET payload = ${longer} WHERE position = 2`)
      const layer = layerSqlite({ filename, readonly: true })
      const log = Context.get(yield* Layer.build(layer), EventLog)
      const found = yield* Effect.flip(log.readPage({ after: 1 }, 1))
      expect(found.message).toMatch(/its payload has 3565\d{4} bytes, and no log writes one of more than 33554432/)
      expect(yield* log.readPage({}, 1)).toHaveLength(1)
      const reason = expect.stringContaining("and no log writes one of more than")
      expect(yield* log.verify).toMatchObject({ _tag: "Tampered", position: 2, reason })
    }),
  )
})
