import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { it } from "@effect/vitest"
import { Context, Effect, Either, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, examine, layerSqlite, NoStream } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import * as PersonalDataKeys from "../../src/events/payload/PersonalDataKeys.ts"
import * as Block from "../../src/events/sqlite/archive/Block.ts"
import * as Segments from "../../src/events/sqlite/archive/Segments.ts"
import * as LogDatabase from "../../src/events/sqlite/file/database.ts"
import { pages } from "../../src/events/sqlite/integrity/storedChain.ts"
import { findEvent, readPage } from "../../src/events/sqlite/read.ts"
import * as Names from "../../src/events/sqlite/stringInterning.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (stream: string, text = "") => ({
  stream,
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: stream, text } }],
})

const open = (filename: string) => Layer.build(layerSqlite({ filename }))

const LARGE = "x".repeat(MAX_INLINE_BYTES)

/** A log of twenty events, the fifth of them large, and what its events were. */
const filled = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const filename = path.join(directory, "log.db")
  const context = yield* open(filename)
  const log = Context.get(context, EventLog)
  for (let index = 1; index <= 20; index++) yield* log.append(note(`s${index % 3}`, index === 5 ? LARGE : `${index}`))
  const archive = (until: number) => Context.get(context, Archive).archive({ until, actor: "human:test" })
  return { directory, filename, log, archive, before: [...(yield* Stream.runCollect(log.read()))] }
})

const segmentOf = (filename: string, first: number, last: number) =>
  path.join(`${filename}.segments`, `${String(first).padStart(10, "0")}-${String(last).padStart(10, "0")}.segment`)

describe("a segment", () => {
  it.scopedLive("is read again once it was put back, and be it a copy", () =>
    Effect.gen(function* () {
      const { filename, log, archive, before } = yield* filled
      yield* archive(10)
      expect(yield* log.readPage({}, 10)).toEqual(before.slice(0, 10))
      const file = segmentOf(filename, 1, 10)
      fs.copyFileSync(file, `${file}.copy`)
      fs.rmSync(file)
      expect((yield* Effect.flip(log.readPage({}, 10)))._tag).toBe("SegmentUnavailable")
      fs.renameSync(`${file}.copy`, file)
      expect(yield* log.readPage({}, 10)).toEqual(before.slice(0, 10))
    }),
  )

  it.scopedLive("a segment that was replaced by a copy of itself while it is open is read on", () =>
    Effect.gen(function* () {
      const { filename, log, archive, before } = yield* filled
      yield* archive(10)
      expect(yield* log.readPage({}, 5)).toEqual(before.slice(0, 5))
      const file = segmentOf(filename, 1, 10)
      fs.copyFileSync(file, `${file}.copy`)
      fs.renameSync(`${file}.copy`, file)
      expect(yield* log.readPage({}, 10)).toEqual(before.slice(0, 10))
    }),
  )

  it.scopedLive("a segment of another log is not read in its place", () =>
    Effect.gen(function* () {
      const [mine, other] = yield* Effect.all([filled, filled])
      yield* mine.archive(10)
      yield* other.archive(10)
      fs.copyFileSync(segmentOf(other.filename, 1, 10), segmentOf(mine.filename, 1, 10))
      const error = yield* Effect.flip(Context.get(yield* open(mine.filename), EventLog).readPage({}, 1))
      expect(error).toMatchObject({ _tag: "SegmentUnavailable", first: 1, last: 10 })
      expect(error.message).toContain("it does not hold the archived events")
    }),
  )

  it.scopedLive(
    "a segment that is missing fails only those appends of a batch that need it, and what was written is acknowledged",
    () =>
      Effect.gen(function* () {
        const { filename, archive, before } = yield* filled
        yield* archive(10)
        fs.rmSync(segmentOf(filename, 1, 10))
        const log = Context.get(yield* open(filename), EventLog)
        const retry = note("s1", "1")
        const id = before[0]?.id ?? ""
        const requests = [
          note("new"),
          { ...note("s1"), expected: NoStream },
          { ...retry, events: retry.events.map((event) => ({ ...event, id })) },
          note("new"),
        ]
        for (const batch of [requests.filter((_, index) => index !== 2), requests]) {
          const { position } = yield* log.head
          const answers = yield* Effect.forEach(batch, (request) => Effect.either(log.append(request)), {
            concurrency: "unbounded",
          })
          expect(answers.map((answer) => (Either.isRight(answer) ? answer.right.position : answer.left._tag))).toEqual([
            position + 1,
            ...batch.slice(1, -1).map(() => "SegmentUnavailable"),
            position + 2,
          ])
          expect((yield* log.head).position).toBe(position + 2)
        }
      }),
  )

  it.scopedLive("keeps events in blocks of bounded size, however large they are", () =>
    Effect.gen(function* () {
      const { filename, log, archive } = yield* filled
      for (let index = 0; index < 30; index++) yield* log.append(note("s0", "x".repeat(MAX_INLINE_BYTES - 100)))
      const before = [...(yield* Stream.runCollect(log.read()))]
      yield* archive(before.length - 1)
      const segment = new Database(segmentOf(filename, 1, before.length - 1), { readonly: true })
      const blocks = Number(segment.prepare("SELECT count(*) FROM blocks").pluck().get())
      segment.close()
      expect(blocks).toBeGreaterThanOrEqual(6)
      expect([...(yield* Stream.runCollect(log.read()))].slice(0, before.length)).toEqual(before)
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }),
  )
})

/**
 * A log's file as it is before its first ten events are archived, a connection to it that reads, and what makes it such as
 * it is afterwards, in one stroke, the next time that a statement is about to be run in which `text` occurs.
 */
const aboutToBeArchived = (text: string) =>
  Effect.gen(function* () {
    const { directory, filename, archive, before } = yield* filled
    const copy = path.join(directory, "copy.db")
    yield* Effect.promise(() => new Database(filename).backup(copy))
    yield* archive(10)
    fs.cpSync(`${filename}.segments`, `${copy}.segments`, { recursive: true })
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new Database(copy)),
      (database) => Effect.sync(() => database.close()),
    )
    let archived = false
    const archiveNow = () => {
      archived = true
      other.exec(`ATTACH '${filename}' AS archived;
        INSERT INTO segments SELECT * FROM archived.segments;
        INSERT INTO archived_streams SELECT * FROM archived.archived_streams;
        DELETE FROM events WHERE position <= 10; DELETE FROM blobs;`)
    }
    const database = yield* LogDatabase.open(copy, { readonly: true })
    const segments = yield* Segments.make(database)
    const interrupted: LogDatabase.LogDatabase = {
      ...database,
      rows: (sql, parameters) => {
        if (!archived && sql.includes(text)) archiveNow()
        return database.rows(sql, parameters)
      },
    }
    const reader = {
      database: interrupted,
      segments,
      names: Names.make(database),
      keys: PersonalDataKeys.memory(),
      upcast: (_type: string, _version: number, payload: JsonObject) => payload,
    }
    return { database: interrupted, other, archiveNow, segments, reader, before }
  })

describe("what was tampered with behind an archived range", () => {
  it.scopedLive.each([
    { what: "removed", sql: "DELETE FROM events WHERE position = 11" },
    { what: "changed in its version", sql: "UPDATE events SET version = 99 WHERE position = 11" },
    { what: "changed in its payload", sql: "UPDATE events SET payload = '{}' WHERE position = 11" },
    { what: "changed in its hash", sql: "UPDATE events SET hash = zeroblob(32) WHERE position = 11" },
    { what: "taken elsewhere", sql: "UPDATE events SET position = 30 WHERE position = 11" },
  ])("is named as it is in a log of which nothing was archived: an event that was $what", ({ sql }) =>
    Effect.gen(function* () {
      const { filename, log, archive } = yield* filled
      const tampered = path.join(path.dirname(filename), "tampered.db")
      yield* Effect.promise(() => new Database(filename).backup(tampered))
      yield* archive(10)
      for (const file of [filename, tampered]) {
        const database = new Database(file)
        database.exec(`DROP TRIGGER events_not_updated; DROP TRIGGER events_not_deleted; ${sql}`)
        database.close()
      }
      const verdict = yield* log.verifyWith({ quick: true })
      expect(verdict).toMatchObject({ _tag: "Tampered", position: 11 })
      const other = Context.get(yield* Layer.build(layerSqlite({ filename: tampered, readonly: true })), EventLog)
      expect(yield* other.verifyWith({ quick: true })).toEqual(verdict)
    }),
  )
})

describe("reading while another program archives", () => {
  it.scopedLive.each(["FROM events", "FROM blobs"])(
    "walks every event once, whatever happens before %s is read",
    (text) =>
      Effect.gen(function* () {
        const { database, segments, before } = yield* aboutToBeArchived(text)
        const page = pages(database, segments)
        const rows = [...page(0, 10), ...page(10, 10)]
        expect(rows.map(({ hash, flaw }) => [hash, flaw])).toEqual(before.map(({ hash }) => [hash, null]))
      }),
  )

  it.scopedLive.each(["FROM events", "FROM blobs"])(
    "reads every event once, whatever happens before %s is read",
    (text) =>
      Effect.gen(function* () {
        const { reader, before } = yield* aboutToBeArchived(text)
        expect(readPage(reader, {}, 20)).toEqual(before)
      }),
  )

  it.scopedLive("asks where the archive ends after a page too, so that what was known before misses nothing", () =>
    Effect.gen(function* () {
      const { reader, segments, archiveNow, before } = yield* aboutToBeArchived("nothing")
      expect(readPage(reader, { after: 15 }, 5)).toEqual(before.slice(15))
      expect(segments.knownFloor()).toBe(0)
      archiveNow()
      // What is known is not asked again, until a page is read.
      expect(segments.knownFloor()).toBe(0)
      expect(readPage(reader, {}, 20)).toEqual(before)
      expect(segments.knownFloor()).toBe(10)
      expect(readPage(reader, { after: 8 }, 4)).toEqual(before.slice(8, 12))
    }),
  )

  it.scopedLive(
    "finds an event by its id in its segment, and believes no row that stands in the file in its place",
    () =>
      Effect.gen(function* () {
        const { reader, archiveNow, other, before } = yield* aboutToBeArchived("nothing")
        const [first] = before
        archiveNow()
        other.exec(`DROP TRIGGER events_in_sequence;
        INSERT INTO events SELECT 1, unhex('${first?.id.replaceAll("-", "")}'), timeline, stream, 999, type, schema_version, task,
          causation, actor, occurred_before, recorded_at, '{"about":"s1","text":"forged"}', key_id, hash
        FROM events WHERE position = 20`)
        expect(findEvent(reader, first?.id ?? "")).toEqual(first)
      }),
  )
})

describe("archiving that another program was faster with", () => {
  it.scopedLive("is refused, and leaves no file behind", () =>
    Effect.gen(function* () {
      const { filename, archive, before } = yield* filled
      const other = Context.get(yield* open(filename), Archive)
      const second = yield* Effect.either(
        other.archive({
          until: 15,
          actor: "human:other",
          onProgress: () => Effect.orDie(archive(10)),
        }),
      )
      expect(second).toMatchObject({ _tag: "Left", left: { _tag: "NotArchived" } })
      expect(fs.readdirSync(`${filename}.segments`)).toEqual([path.basename(segmentOf(filename, 1, 10))])
      const log = Context.get(yield* open(filename), EventLog)
      expect([...(yield* Stream.runCollect(log.read()))].slice(0, before.length)).toEqual(before)
    }),
  )

  it.scopedLive(
    "is refused also where what it had still to read is in the segment of the other, large payloads included",
    () =>
      Effect.gen(function* () {
        const { filename, log, archive } = yield* filled
        const many = Array.from({ length: 1200 }, () => note("many").events[0]).filter((event) => event !== undefined)
        yield* log.append({ ...note("many"), events: many })
        yield* log.append(note("large", LARGE))
        yield* log.append(note("last"))
        let archived = false
        const second = yield* Effect.either(
          Context.get(yield* open(filename), Archive).archive({
            until: 1221,
            actor: "human:other",
            onProgress: () => {
              if (archived) return Effect.void
              archived = true
              return Effect.orDie(archive(1221))
            },
          }),
        )
        expect(second).toMatchObject({ _tag: "Left", left: { _tag: "NotArchived" } })
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 1223 })
      }),
  )

  it.scopedLive("is refused also where it has the very same events, and leaves the segment of the other", () =>
    Effect.gen(function* () {
      const { filename, archive, before } = yield* filled
      const other = Context.get(yield* open(filename), Archive)
      const second = yield* Effect.either(
        other.archive({ until: 10, actor: "human:other", onProgress: () => Effect.orDie(archive(10)) }),
      )
      expect(second).toMatchObject({ _tag: "Left", left: { _tag: "NotArchived" } })
      const log = Context.get(yield* open(filename), EventLog)
      expect([...(yield* Stream.runCollect(log.read()))].slice(0, before.length)).toEqual(before)
    }),
  )
})

/** Everything that reads what was archived. */
const readings = (log: EventLog.Service) => [Effect.asVoid(log.readPage({}, 10)), Effect.asVoid(log.verify)] as const

describe("a segment that is changed by whoever may write the files", () => {
  it.scopedLive.each(["../elsewhere.segment", "/tmp/elsewhere.segment", "..", "a\\b.segment", "a\0b", ""])(
    "is not read from %j, which is no file of the log's segments",
    (file) =>
      Effect.gen(function* () {
        const { directory, filename, archive } = yield* filled
        yield* archive(10)
        fs.copyFileSync(segmentOf(filename, 1, 10), path.join(directory, "elsewhere.segment"))
        const database = new Database(filename)
        database.prepare("UPDATE segments SET file = ?").run(file)
        database.close()
        const log = Context.get(yield* open(filename), EventLog)
        for (const reading of readings(log)) {
          const error = yield* Effect.flip(reading)
          expect(error).toMatchObject({
            _tag: "LogCorrupt",
            reason: expect.stringContaining("is not a valid name of a segment"),
          })
        }
        const { findings } = yield* examine(filename)
        expect(findings).toContainEqual(
          expect.objectContaining({
            severity: "damage",
            found: expect.stringContaining("is not a valid name of a segment"),
          }),
        )
      }),
  )

  it.scopedLive.each([
    [
      "a lone surrogate",
      "LogCorrupt",
      "text with a lone surrogate",
      (block: string) => Block.pack(block.replace("\uFFFD", "\\ud800")),
    ],
    [
      "a byte that is no text",
      "SegmentUnavailable",
      "not valid for encoding utf-8",
      (block: string) => {
        const bytes = Buffer.from(block)
        bytes[bytes.indexOf("\uFFFD")] = 0xff
        return zlib.brotliCompressSync(bytes)
      },
    ],
  ] as const)("is damaged where %s stands in place of a U+FFFD, though the hashes hold", ([, _tag, reason, changed]) =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const context = yield* open(filename)
      yield* Context.get(context, EventLog).append(note("s"))
      yield* Context.get(context, EventLog).append(note("s\uFFFD"))
      yield* Context.get(context, EventLog).append(note("s"))
      yield* Context.get(context, Archive).archive({ until: 2, actor: "human:test" })
      const database = new Database(segmentOf(filename, 1, 2))
      const content = database.prepare("SELECT content FROM blocks").pluck().get()
      database.prepare("UPDATE blocks SET content = ?").run(changed(Block.unpack(content)))
      database.close()
      const log = Context.get(yield* open(filename), EventLog)
      for (const reading of readings(log)) {
        const error = yield* Effect.flip(reading)
        expect(error).toMatchObject({ _tag, reason: expect.stringContaining(reason) })
      }
      const { findings } = yield* examine(filename)
      expect(findings).toContainEqual(
        expect.objectContaining({ severity: "damage", found: expect.stringContaining(reason) }),
      )
    }),
  )
})
