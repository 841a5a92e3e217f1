import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, Exact, layerMemory, layerSqlite } from "../../src/events/index.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const large = (letter: string) => letter.repeat(MAX_INLINE_BYTES)

const note = (text: string, subject?: string) => ({
  stream: "a",
  actor: "human:test",
  ...(subject === undefined ? {} : { subject }),
  events: [{ type: "NoteAdded" as const, payload: { about: "a", text } }],
})

const inFile = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  const log = Context.get(yield* Layer.build(layerSqlite({ filename })), EventLog)
  const database = yield* Effect.acquireRelease(
    Effect.sync(() => new Database(filename)),
    (database) => Effect.sync(() => database.close()),
  )
  const blobs = () => database.prepare("SELECT digest, last_position, length(content) AS length FROM blobs").all()
  return { log, database, blobs }
})

describe("a payload of more than 256 KiB", () => {
  it.scopedLive.each([
    { where: "in SQLite", layer: layerSqlite({ filename: ":memory:" }) },
    { where: "in memory", layer: layerMemory() },
  ])("reads as it was given, encrypted or not, from a log $where, which verifies", ({ layer }) =>
    Effect.gen(function* () {
      const log = Context.get(yield* Layer.build(layer), EventLog)
      yield* log.append(note(large("x")))
      yield* log.append(note(large("y"), "anna"))
      const events = yield* log.readPage({}, 10)
      expect(events.map(({ payload }) => payload.text)).toEqual([large("x"), large("y")])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 2 })
    }),
  )

  it.scopedLive("is stored once however many events have it, outside of their rows", () =>
    Effect.gen(function* () {
      const { log, database, blobs } = yield* inFile
      for (const text of [large("x"), "small", large("x"), large("y")]) yield* log.append(note(text))
      expect(blobs()).toMatchObject([{ last_position: 3 }, { last_position: 4 }])
      const rows = database.prepare("SELECT max(length(payload)) FROM events").pluck().get()
      expect(rows).toBeLessThan(100)
      const shown = database.prepare("SELECT payload FROM event_log WHERE position = 1").pluck().get()
      expect(JSON.parse(String(shown)).text).toBe(large("x"))
    }),
  )

  it.scopedLive("a payload of exactly 256 KiB in bytes, not characters, still stands in its row", () =>
    Effect.gen(function* () {
      const { log, blobs } = yield* inFile
      const overhead = Buffer.byteLength(JSON.stringify({ about: "a", text: "" }))
      const room = MAX_INLINE_BYTES - overhead
      const text = "x".repeat(room % 2) + "ü".repeat(Math.floor(room / 2))
      yield* log.append(note(text))
      expect(blobs()).toEqual([])
      yield* log.append(note(`${text}x`))
      expect(blobs()).toHaveLength(1)
    }),
  )

  it.scopedLive("leaves nothing behind where the append conflicts", () =>
    Effect.gen(function* () {
      const { log, blobs } = yield* inFile
      const error = yield* Effect.flip(log.append({ ...note(large("x")), expected: Exact(7) }))
      expect(error._tag).toBe("VersionConflict")
      expect(blobs()).toEqual([])
    }),
  )

  it.scopedLive.each([
    { how: "changed", sql: "UPDATE blobs SET content = replace(content, 'xx', 'xy')" },
    { how: "missing", sql: "DELETE FROM blobs" },
    { how: "swapped for another's", sql: 'UPDATE blobs SET content = \'{"about":"a","text":""}\'' },
  ])("is found out by verify when its blob is $how", ({ sql }) =>
    Effect.gen(function* () {
      const { log, database } = yield* inFile
      yield* log.append(note("before"))
      yield* log.append(note(large("x")))
      database.exec(sql)
      expect(yield* log.verify).toMatchObject({ _tag: "Tampered", position: 2, kind: "payload changed" })
    }),
  )

  it.scopedLive("is damage to whoever reads it without its blob", () =>
    Effect.gen(function* () {
      const { log, database } = yield* inFile
      yield* log.append(note(large("x")))
      database.exec("DELETE FROM blobs")
      const error = yield* Effect.flip(log.readPage({}, 1))
      expect(error).toMatchObject({ _tag: "LogCorrupt", position: 1 })
      expect(error.message).toContain("which is missing")
    }),
  )
})
