import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { EventLog, Exact, examine, layerSqlite, NoStream, type Query } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (stream: string, text: string, more: { readonly taskId?: string; readonly subject?: string } = {}) => ({
  stream,
  actor: "human:test",
  ...more,
  events: [{ type: "NoteAdded" as const, payload: { about: stream, text } }],
})

const tag = (stream: string, taskId: string) => ({
  stream,
  actor: "human:test",
  taskId,
  events: [{ type: "TagAdded" as const, payload: { about: stream, tag: "x" } }],
})

/** Events of several streams, tasks and types, some encrypted, some large. */
const fill = Effect.gen(function* () {
  const log = yield* EventLog
  for (let index = 0; index < 60; index++) {
    yield* log.append(note(`s${index % 4}`, `text ${index}`, { taskId: `t${index % 7}` }))
    if (index % 5 === 0) yield* log.append(tag(`s${index % 4}`, `t${index % 3}`))
    if (index % 10 === 0) yield* log.append(note("diary", `secret ${index}`, { subject: "anna" }))
    if (index % 20 === 0) yield* log.append(note("pictures", "x".repeat(MAX_INLINE_BYTES + (index % 40))))
  }
})

const open = (filename: string) => Layer.build(layerSqlite({ filename }))

const filled = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  const context = yield* open(filename)
  yield* Effect.provide(fill, context)
  const log = Context.get(context, EventLog)
  const archive = (until: number) => Context.get(context, Archive).archive({ until, actor: "human:test" })
  return { filename, context, log, archive, before: [...(yield* Stream.runCollect(log.read()))] }
})

const rowsIn = (filename: string) => {
  const database = new Database(filename, { readonly: true })
  const [count, blobs] = ["events", "blobs"].map((table) =>
    Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
  )
  database.close()
  return { count, blobs }
}

const segmentFile = (filename: string) => {
  const [file = "", ...others] = fs.readdirSync(`${filename}.segments`)
  expect(others).toEqual([])
  return path.join(`${filename}.segments`, file)
}

describe("an archived range", () => {
  it.scopedLive("leaves the log's file and is in a segment, and the log says so", () =>
    Effect.gen(function* () {
      const { filename, log, context, archive, before } = yield* filled
      const { segment, event, shrunk } = yield* archive(50)
      expect(segment).toMatchObject({ first: 1, last: 50 })
      expect(segment.bytes).toBe(fs.statSync(segmentFile(filename)).size)
      expect(event).toMatchObject({
        position: before.length + 1,
        type: "RangeArchived",
        payload: { first: 1, last: 50, segment: segment.file },
      })
      expect(shrunk).toBe(true)
      expect(rowsIn(filename).count).toBe(before.length - 50 + 1)
      expect(yield* Context.get(context, Archive).segments).toEqual([segment])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: before.length + 1 })
    }),
  )

  it.scopedLive("reads as before, by any query, wherever it begins and ends", () =>
    Effect.gen(function* () {
      const { log, archive, before } = yield* filled
      yield* archive(20)
      yield* archive(50)
      const all = [...(yield* Stream.runCollect(log.read()))]
      expect(all.slice(0, before.length)).toEqual(before)
      const selected = (query: Query) => (event: Event) =>
        event.position > (query.after ?? 0) &&
        event.position <= (query.until ?? Number.POSITIVE_INFINITY) &&
        (query.stream ?? event.stream) === event.stream &&
        (query.taskId ?? event.taskId) === event.taskId &&
        (query.types ?? [event.type]).includes(event.type) &&
        event.version > (query.afterVersion ?? 0)
      const queries = fc.record(
        {
          after: fc.nat(90),
          until: fc.nat(90),
          timeline: fc.constant("main"),
          stream: fc.constantFrom("s0", "s1", "diary", "pictures", "nothing"),
          taskId: fc.constantFrom("t0", "t1", "t6"),
          types: fc.subarray(["NoteAdded", "TagAdded", "RangeArchived"]),
          afterVersion: fc.nat(10),
        },
        { requiredKeys: [] },
      )
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(queries, fc.integer({ min: 1, max: 90 }), async (query, limit) => {
            const found = await Effect.runPromise(log.readPage(query, limit))
            expect(found).toEqual(all.filter(selected(query)).slice(0, limit))
          }),
          { numRuns: 300 },
        ),
      )
      for (const event of all) expect(yield* log.find(event.id)).toMatchObject({ value: event })
    }),
  )

  it.scopedLive("is still what appends are held against: versions go on, and ids are known", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const id = "01900000-0000-7000-8000-000000000001"
      const { events, ...rest } = note("a", "given")
      const given = { ...rest, events: events.map((event) => ({ ...event, id })) }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const context = yield* open(filename)
          const log = Context.get(context, EventLog)
          yield* log.append({ ...given, expected: NoStream })
          yield* log.append(note("b", ""))
          yield* log.append(note("b", ""))
          yield* Context.get(context, Archive).archive({ until: 2, actor: "human:test" })
        }),
      )
      const log = Context.get(yield* open(filename), EventLog)
      expect(yield* log.append(given)).toMatchObject({ position: 1, version: 1 })
      const conflict = yield* Effect.flip(log.append({ ...note("a", "again"), expected: NoStream }))
      expect(conflict).toMatchObject({ _tag: "VersionConflict", actual: 1, missed: [{ position: 1, version: 1 }] })
      expect(yield* log.append({ ...note("a", "again"), expected: Exact(1) })).toMatchObject({ version: 2 })
      expect(yield* log.append(note("b", ""))).toMatchObject({ version: 3 })
    }),
  )

  it.scopedLive("is seen by who has the log open, in this program and in another, and by who follows it", () =>
    Effect.gen(function* () {
      const { filename, archive, before } = yield* filled
      const other = Context.get(yield* open(filename), EventLog)
      expect(yield* other.readPage({}, 5)).toEqual(before.slice(0, 5))
      const following = yield* other.follow().pipe(
        Stream.filter((item) => "id" in item),
        Stream.take(before.length + 1),
        Stream.runCollect,
        Effect.fork,
      )
      yield* archive(before.length - 1)
      expect([...(yield* Fiber.join(following))].slice(0, -1)).toEqual(before)
      expect(yield* other.readPage({}, before.length)).toEqual(before)
      expect(yield* other.append(note("s0", "after"))).toMatchObject({ position: before.length + 2 })
    }),
  )

  it.scopedLive("keeps large payloads that later events have too, and takes with it those that none has", () =>
    Effect.gen(function* () {
      const { filename, log, archive, before } = yield* filled
      expect(rowsIn(filename).blobs).toBe(2)
      yield* archive(50)
      yield* log.append(note("pictures", "x".repeat(MAX_INLINE_BYTES)))
      const all = [...(yield* Stream.runCollect(log.read()))]
      expect(all.slice(0, before.length)).toEqual(before)
      yield* archive(before.length)
      expect(rowsIn(filename).blobs).toBe(1)
      expect([...(yield* Stream.runCollect(log.read()))].slice(0, all.length)).toEqual(all)
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }),
  )

  it.scopedLive("stays encrypted, and is shredded like any other", () =>
    Effect.gen(function* () {
      const { filename, context, log, archive } = yield* filled
      yield* archive(50)
      expect(fs.readFileSync(segmentFile(filename)).includes("secret")).toBe(false)
      yield* Context.get(context, PersonalData).shred({ subject: "anna", reason: "", actor: "human:test" })
      const diary = yield* log.readPage({ stream: "diary" }, 10)
      expect(new Set(diary.map(({ payload }) => payload.text))).toEqual(new Set(["[shredded]"]))
    }),
  )
})

describe("a segment", () => {
  it.scopedLive("a segment that is missing fails the reads that need it, says so, and fails no others", () =>
    Effect.gen(function* () {
      const { filename, log, archive, before } = yield* filled
      yield* archive(50)
      const file = segmentFile(filename)
      fs.renameSync(file, `${file}.away`)
      const reopened = Context.get(yield* open(filename), EventLog)
      const error = yield* Effect.flip(reopened.readPage({ after: 10 }, 1))
      expect(error).toMatchObject({ _tag: "SegmentUnavailable", first: 1, last: 50, file })
      expect(error.message).toContain("the events from @1 to @50 were archived in")
      expect(error.message).toContain("Put the file back, or read only events after @50.")
      expect((yield* Effect.flip(reopened.verify))._tag).toBe("SegmentUnavailable")
      expect(yield* reopened.readPage({ after: 50 }, 5)).toEqual(before.slice(50, 55))
      yield* reopened.append(note("s0", "goes on"))
      const { findings } = yield* examine(filename)
      expect(findings).toContainEqual(
        expect.objectContaining({ what: "segment @1 to @50", severity: "damage", found: "the file is not there" }),
      )
      fs.renameSync(`${file}.away`, file)
      expect(yield* reopened.readPage({ after: 10 }, 1)).toEqual(before.slice(10, 11))
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }),
  )

  it.scopedLive.each([
    { how: "an event", sql: "" },
    { how: "a blob", sql: "UPDATE blobs SET content = (SELECT content FROM blobs ORDER BY digest DESC LIMIT 1)" },
    { how: "all blobs", sql: "DELETE FROM blobs" },
  ])("a segment in which $how was changed is found out", ({ how, sql }) =>
    Effect.gen(function* () {
      const { filename, log, archive, before } = yield* filled
      yield* archive(before.length - 1)
      const database = new Database(segmentFile(filename))
      if (how === "an event") {
        const read = (column: string) => database.prepare(`SELECT ${column} FROM blocks`).pluck().get()
        const { brotliCompressSync, brotliDecompressSync } = yield* Effect.promise(() => import("node:zlib"))
        const text = brotliDecompressSync(read("content") as Buffer).toString()
        database.prepare("UPDATE blocks SET content = ?").run(brotliCompressSync(text.replace("text 3", "text 4")))
      } else database.exec(sql)
      database.close()
      expect(yield* log.verify).toMatchObject({ _tag: "Tampered" })
    }),
  )

  it.scopedLive.each([
    ["no list", "{}"],
    ["an event that is null", "[null]"],
    ["an event without a payload", '[[1,"i","main","s",1,"T",1,null,null,"a",0,0,null,null,"h"]]'],
    ["an event of too few fields", '[[1,"i"]]'],
    ["a position that is text", '[["1","i","main","s",1,"T",1,null,null,"a",0,0,"{}",null,"h"]]'],
  ] as const)("a segment whose block unpacks to %s cannot be read, and is told so", ([, text]) =>
    Effect.gen(function* () {
      const { filename, archive } = yield* filled
      yield* archive(50)
      const { brotliCompressSync } = yield* Effect.promise(() => import("node:zlib"))
      const database = new Database(segmentFile(filename))
      database.prepare("UPDATE blocks SET content = ?").run(brotliCompressSync(text))
      database.close()
      const log = Context.get(yield* open(filename), EventLog)
      for (const read of [Effect.asVoid(log.readPage({}, 1)), Effect.asVoid(log.verify)]) {
        const error = yield* Effect.flip(read)
        expect(error).toMatchObject({ _tag: "SegmentUnavailable" })
        expect(error.message).toContain("it cannot be read")
      }
    }),
  )

  it.scopedLive("a segment that is no segment is told apart from one that is missing", () =>
    Effect.gen(function* () {
      const { filename, archive } = yield* filled
      yield* archive(50)
      fs.writeFileSync(segmentFile(filename), "Dear diary")
      const log = Context.get(yield* open(filename), EventLog)
      const error = yield* Effect.flip(log.readPage({}, 1))
      expect(error).toMatchObject({ _tag: "SegmentUnavailable" })
      expect(error.message).toContain("it cannot be read")
    }),
  )
})

describe("archiving", () => {
  it.scopedLive("refuses what is no range of past events, and changes nothing", () =>
    Effect.gen(function* () {
      const { filename, archive, before } = yield* filled
      for (const until of [0, before.length, before.length + 1]) {
        const error = yield* Effect.flip(archive(until))
        expect(error).toMatchObject({ _tag: "NotArchived" })
        expect(error.message).toContain(`expected a position from 1 to ${before.length - 1}, found ${until}`)
      }
      yield* archive(50)
      expect((yield* Effect.flip(archive(50))).message).toContain("expected a position from 51 to")
      expect(rowsIn(filename).count).toBe(before.length - 50 + 1)
    }),
  )

  it.scopedLive("is refused for a log in memory", () =>
    Effect.gen(function* () {
      const context = yield* open(":memory:")
      yield* Effect.provide(fill, context)
      const error = yield* Effect.flip(Context.get(context, Archive).archive({ until: 5, actor: "human:test" }))
      expect(error.message).toContain("expected a log in a file, open for writing")
    }),
  )

  it.scopedLive("does not archive what was tampered with, and leaves nothing half-done", () =>
    Effect.gen(function* () {
      const { filename, archive, before } = yield* filled
      const database = new Database(filename)
      database.exec("DROP TRIGGER events_not_updated; UPDATE events SET occurred_before = 7 WHERE position = 30")
      database.close()
      const error = yield* Effect.flip(archive(50))
      expect(error).toMatchObject({ _tag: "LogCorrupt", position: 30 })
      expect(fs.readdirSync(`${filename}.segments`)).toEqual([])
      expect(rowsIn(filename).count).toBe(before.length)
    }),
  )

  it.scopedLive("archiving that died before its events were taken out has archived them all the same", () =>
    Effect.gen(function* () {
      const { filename, log, archive, before } = yield* filled
      const copy = path.join(path.dirname(filename), "copy.db")
      yield* Effect.promise(() => new Database(filename).backup(copy))
      yield* archive(50)
      // The file as it was, with the segment announced, and its events not yet taken out.
      const database = new Database(copy)
      database.exec(`ATTACH '${filename}' AS archived;
        INSERT INTO segments SELECT * FROM archived.segments;
        INSERT INTO archived_streams SELECT * FROM archived.archived_streams`)
      database.close()
      fs.copyFileSync(`${filename}.keys`, `${copy}.keys`)
      fs.cpSync(`${filename}.segments`, `${copy}.segments`, { recursive: true })
      const context = yield* open(copy)
      expect([...(yield* Stream.runCollect(Context.get(context, EventLog).read()))]).toEqual(before)
      yield* Context.get(context, Archive).archive({ until: 60, actor: "human:test" })
      expect(rowsIn(copy).count).toBe(before.length - 60 + 1)
      expect(yield* Context.get(context, EventLog).verify).toMatchObject({ _tag: "Intact" })
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }),
  )

  it.scopedLive("archiving by two programs at once archives each event once", () =>
    Effect.gen(function* () {
      const { filename, archive, before } = yield* filled
      const other = Context.get(yield* open(filename), Archive)
      const [first, second] = yield* Effect.all(
        [Effect.either(archive(40)), Effect.either(other.archive({ until: 60, actor: "human:other" }))],
        { concurrency: "unbounded" },
      )
      const done = [first, second].filter(({ _tag }) => _tag === "Right").length
      expect(done).toBeGreaterThanOrEqual(1)
      const log = Context.get(yield* open(filename), EventLog)
      expect([...(yield* Stream.runCollect(log.read()))].slice(0, before.length)).toEqual(before)
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: before.length + done })
    }),
  )
})
