import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite, measureSpace } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import type { Space, StorageShare } from "../../src/events/maintenance/StorageUsage.ts"
import * as Database from "../../src/events/sqlite/file/database.ts"
import { temporaryDirectory } from "../temporary.ts"
import { appendSeven, EVENTS, smallLog, tamperer } from "./smallLog.ts"

const note = (stream: string, text: string) => ({
  stream,
  actor: "human:ada",
  events: [{ type: "NoteAdded" as const, payload: { about: stream, text } }],
})

/** What the payloads of a log come to, by what `of` says of an event. */
const counted = (of: "type" | "stream") =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const shares = new Map<string, StorageShare>()
    yield* Stream.runForEach(log.read(), (event) =>
      Effect.sync(() => {
        const { events, payloadBytes } = shares.get(event[of]) ?? { events: 0, payloadBytes: 0 }
        const bytes = Buffer.byteLength(JSON.stringify(event.payload))
        shares.set(event[of], { name: event[of], events: events + 1, payloadBytes: payloadBytes + bytes })
      }),
    )
    return [...shares.values()].sort((a, b) => b.payloadBytes - a.payloadBytes)
  })

const sum = <A>(of: ReadonlyArray<A>, number: (each: A) => number) =>
  of.reduce((total, each) => total + number(each), 0)

const part = ({ parts }: Space, name: string) => parts.find((each) => each.name === name)

/** The size of a page, from the file's header. */
const pageBytesOf = (filename: string) => fs.readFileSync(filename).readUInt16BE(16)

describe("the space of a log", () => {
  it.scopedLive("is counted by type and by stream, in bytes of UTF-8", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const [types, streams] = yield* Effect.provide(
        Effect.all([counted("type"), counted("stream")]),
        layerSqlite({ filename }),
      )
      const space = yield* measureSpace(filename)
      expect(space.types).toEqual(types)
      expect(space.streams).toEqual(streams)
      expect(space.streams.map(({ name }) => name)).toEqual(["task/t1", "notes", "task/t2"])
      expect(space.otherStreams).toEqual({ streams: 0, events: 0, payloadBytes: 0 })
      expect(space.events).toMatchObject({
        count: EVENTS,
        archived: 0,
        payloadBytes: sum(types, ({ payloadBytes }) => payloadBytes),
      })
    }),
  )

  it.scopedLive(
    "adds up: parts, free pages and SQLite's own to the whole, payloads, envelopes and room to the events",
    () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const space = yield* measureSpace(filename)
        expect(space.bytes).toBe(fs.statSync(filename).size)
        expect(space.fileBytes).toBe(space.bytes)
        expect(space.walBytes).toBe(0)
        expect(sum(space.parts, ({ bytes }) => bytes) + space.freeBytes + space.keptBytes).toBe(space.bytes)
        // A pointer map: one page for some thousands, where the file can shrink.
        expect(space.keptBytes).toBe(pageBytesOf(filename))
        const { payloadBytes, envelopeBytes, pageBytes } = space.events
        expect(payloadBytes + envelopeBytes + pageBytes).toBe(part(space, "events")?.bytes)
        // An id and a hash take 48 bytes of each envelope.
        expect(envelopeBytes).toBeGreaterThan(EVENTS * 48)
        expect(envelopeBytes).toBeLessThan(EVENTS * 120)
      }),
  )

  it.scopedLive("says of an index which table and which columns it is on", () =>
    Effect.gen(function* () {
      const space = yield* measureSpace(yield* smallLog)
      expect(part(space, "events_by_type")).toMatchObject({ kind: "index", table: "events", columns: ["type"] })
      expect(part(space, "events")).toMatchObject({ kind: "table", table: "events", columns: [] })
      expect(part(space, "snapshots")?.kind).toBe("table")
    }),
  )

  it.scopedLive("names as many streams as were asked for, the largest, and sums up the others", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const streams = yield* Effect.provide(counted("stream"), layerSqlite({ filename }))
      const space = yield* measureSpace(filename, { streams: 1 })
      expect(space.streams).toEqual(streams.slice(0, 1))
      expect(space.otherStreams).toEqual({
        streams: 2,
        events: sum(streams.slice(1), ({ events }) => events),
        payloadBytes: sum(streams.slice(1), ({ payloadBytes }) => payloadBytes),
      })
    }),
  )

  it.scopedLive("shows tables that nobody here knows of", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const database = yield* Database.open(filename, { readonly: false })
      database.run("CREATE TABLE theirs (bytes BLOB)")
      database.run("INSERT INTO theirs VALUES (zeroblob(100000))")
      const theirs = part(yield* measureSpace(filename), "theirs")
      expect(theirs?.kind).toBe("table")
      expect(theirs?.contentBytes).toBeGreaterThanOrEqual(100_000)
      expect(theirs?.bytes).toBeGreaterThanOrEqual(theirs?.contentBytes ?? 0)
      database.run("DROP TABLE theirs")
      const after = yield* measureSpace(filename)
      expect(part(after, "theirs")).toBeUndefined()
      expect(after.freeBytes).toBeGreaterThanOrEqual(100_000)
    }),
  )

  it.scopedLive("counts a payload that stands outside of its row at every event that has it", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const large = note("large", "ü".repeat(200_000))
      yield* Effect.provide(
        Effect.flatMap(EventLog, (log) =>
          Effect.all([log.append(large), log.append(large), log.append(note("b", ""))]),
        ),
        layerSqlite({ filename }),
      )
      const bytes = Buffer.byteLength(JSON.stringify(large.events[0]?.payload))
      const space = yield* measureSpace(filename)
      expect(space.streams[0]).toEqual({ name: "large", events: 2, payloadBytes: 2 * bytes })
      expect(space.events.payloadBytes).toBeLessThan(500)
      expect(part(space, "blobs")?.contentBytes).toBeGreaterThanOrEqual(bytes)
      expect(part(space, "blobs")?.contentBytes).toBeLessThan(2 * bytes)
    }),
  )

  it.scopedLive("is of the events in the file, and says how many were archived and what they take", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      expect((yield* measureSpace(filename)).segmentBytes).toBe(0)
      const { segment } = yield* Effect.provide(
        Effect.flatMap(Archive, ({ archive }) => archive({ until: 3, actor: "human:ada" })),
        layerSqlite({ filename }),
      )
      const space = yield* measureSpace(filename)
      expect(space.events).toMatchObject({ count: EVENTS + 1 - 3, archived: 3 })
      expect(space.types.map(({ name, events }) => [name, events])).toEqual([
        ["NoteAdded", EVENTS - 3],
        ["RangeArchived", 1],
      ])
      expect(space.segmentBytes).toBeGreaterThan(0)
      expect(space.segmentBytes).toBe(segment.bytes)
    }),
  )

  it.scopedLive("is measured without parsing a payload", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const before = yield* measureSpace(filename)
      const database = yield* tamperer(filename)
      database.run("UPDATE events SET payload = replace(payload, '\"', '!')")
      expect((yield* measureSpace(filename)).types).toEqual(before.types)
    }),
  )

  it.scopedLive("the space of an empty log is that of its tables", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.provide(Effect.void, layerSqlite({ filename }))
      const space = yield* measureSpace(filename)
      expect(space).toMatchObject({ types: [], streams: [], events: { count: 0, archived: 0, payloadBytes: 0 } })
      expect(space.otherStreams).toEqual({ streams: 0, events: 0, payloadBytes: 0 })
      expect(space.bytes).toBeGreaterThan(0)
    }),
  )
})

describe("measuring", () => {
  it.scopedLive("changes nothing", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const before = fs.readFileSync(filename)
      yield* measureSpace(filename)
      expect(fs.readFileSync(filename).equals(before)).toBe(true)
    }),
  )

  it.scopedLive(
    "measuring while others append: what is in the write-ahead log counts, and all figures are of one moment",
    () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          yield* appendSeven
          const appending = yield* Effect.fork(
            Effect.forever(Effect.zipRight(log.append(note("busy", "x".repeat(1000))), Effect.yieldNow())),
          )
          let [smallest, largest] = [Number.MAX_SAFE_INTEGER, 0]
          for (let time = 0; time < 10; time++) {
            const space = yield* measureSpace(filename, { streams: 2 })
            const { count } = space.events
            expect(space.walBytes).toBeGreaterThan(0)
            expect(sum(space.types, ({ events }) => events)).toBe(count)
            expect(sum(space.streams, ({ events }) => events) + space.otherStreams.events).toBe(count)
            expect(sum(space.parts, ({ bytes }) => bytes) + space.freeBytes + space.keptBytes).toBe(space.bytes)
            smallest = Math.min(smallest, count)
            largest = Math.max(largest, count)
          }
          yield* Fiber.interrupt(appending)
          // It was measured in the midst of appends, or the above says nothing.
          expect(largest).toBeGreaterThan(smallest)
        }).pipe(Effect.provide(layerSqlite({ filename })))
      }),
  )

  it.scopedLive("refuses what is not there and what is no log", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const missing = path.join(directory, "none.db")
      expect((yield* Effect.flip(measureSpace(missing))).message).toContain("there is no such file")
      expect(fs.existsSync(missing)).toBe(false)
      const text = path.join(directory, "notes.txt")
      fs.writeFileSync(text, "Dear diary. ".repeat(500))
      expect((yield* Effect.flip(measureSpace(text)))._tag).toBe("LogFormatUnsupported")
    }),
  )
})
