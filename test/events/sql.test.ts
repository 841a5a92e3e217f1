import * as fs from "node:fs"
import * as path from "node:path"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite, sql } from "../../src/events/index.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"
import { appendSeven, smallLog } from "./smallLog.ts"

const hex = (id: string) => id.replaceAll("-", "")

const ROWS = `SELECT position, id, timeline, stream, version, type, schema_version, task, causation, actor, occurred_at, recorded_at,
  payload, hash FROM event_log ORDER BY position`

/** The rows of `event_log`, as the log reads its events. */
const rowsOf = (log: EventLog.Service) =>
  log.read().pipe(
    Stream.runCollect,
    Effect.map((events) =>
      Array.from(events, (event) => ({
        position: event.position,
        id: hex(event.id),
        timeline: event.timeline,
        stream: event.stream,
        version: event.version,
        type: event.type,
        schema_version: event.schemaVersion,
        task: event.taskId,
        causation: hex(event.causationId ?? ""),
        actor: event.actor,
        occurred_at: event.occurredAt,
        recorded_at: event.recordedAt,
        payload: JSON.stringify(event.payload),
        hash: event.hash,
      })),
    ),
  )

describe("a log by SQL", () => {
  it.scopedLive("has each event in `event_log` exactly as the log reads it, with parameters and in transactions", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const log = Context.get(yield* Layer.build(layerSqlite({ filename, readonly: true })), EventLog)
      const client = yield* sql(filename)
      expect(yield* client.unsafe(ROWS)).toEqual(yield* rowsOf(log))
      const texts = client<{ readonly text: string }>`
        SELECT payload ->> 'text' AS text FROM event_log WHERE task = ${"t1"} AND position > ${1} ORDER BY position`
      expect(yield* client.withTransaction(texts)).toEqual(["zwölf \uFFFD 🗝", "six", "seven"].map((text) => ({ text })))
      expect(yield* client`SELECT count(*) AS n FROM event_log WHERE actor IN ${client.in(["human:eve"])}`).toEqual([
        { n: 3 },
      ])
    }),
  )

  const writes: ReadonlyArray<readonly [string, (client: SqlClient) => Effect.Effect<unknown, SqlError>]> = [
    ["an insert", (client) => client`INSERT INTO names (text) VALUES ('x')`],
    ["a deletion", (client) => client`DELETE FROM events`],
    ["an update, in a transaction", (client) => client.withTransaction(client`UPDATE segments SET file = 'x'`)],
    ["a table", (client) => client`CREATE TABLE mine (x)`],
    ["a trigger that is gone", (client) => client`DROP TRIGGER events_not_deleted`],
    ["another version of the format", (client) => client`PRAGMA user_version = 3`],
    [
      "a write after asking for one",
      (client) => client`PRAGMA query_only = OFF`.pipe(Effect.zipRight(client`DELETE FROM names`)),
    ],
  ]
  for (const [what, write] of writes) {
    it.scopedLive(`refuses ${what} by SQLite itself`, () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const before = fs.readFileSync(filename)
        const error = yield* Effect.flip(write(yield* sql(filename)))
        expect(error.cause).toMatchObject({ code: "SQLITE_READONLY" })
        expect(fs.readFileSync(filename).equals(before)).toBe(true)
      }),
    )
  }

  it.scopedLive("refuses a write into another log that is attached", () =>
    Effect.gen(function* () {
      const [filename, other] = [yield* smallLog, yield* smallLog]
      const client = yield* sql(filename)
      yield* client`ATTACH ${other} AS other`
      expect(yield* client`SELECT count(*) AS n FROM other.events`).toEqual([{ n: 7 }])
      const error = yield* Effect.flip(client`CREATE TABLE other.mine (x)`)
      expect(error.cause).toMatchObject({ code: "SQLITE_READONLY" })
    }),
  )

  it.scopedLive("leaves personal fields encrypted, also where the keys are at hand", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const log = Context.get(yield* Layer.build(layerSqlite({ filename })), EventLog)
      const secret = { type: "NoteAdded" as const, payload: { about: "diary", text: "Anna lives in Petersburg" } }
      yield* log.append({ stream: "diary", actor: "human:test", subject: "anna", events: [secret] })
      const client = yield* sql(filename)
      const [row] = yield* client<{
        readonly payload: string
        readonly key_id: string
      }>`SELECT payload, key_id FROM event_log`
      expect(row?.key_id).toEqual(expect.any(String))
      expect(row?.payload).not.toContain("Petersburg")
      expect((yield* log.readPage({}, 1))[0]?.payload).toEqual(secret.payload)
    }),
  )

  it.scopedLive("sees what a writer appends, and one moment within a transaction", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const context = yield* Layer.build(layerSqlite({ filename }))
      const client = yield* sql(filename)
      const count = client<{ readonly n: number }>`SELECT count(*) AS n FROM event_log`.pipe(
        Effect.map(([row]) => row?.n),
      )
      const append = Effect.provide(appendSeven, context)
      expect(yield* count).toBe(0)
      yield* append
      const seen = yield* client.withTransaction(Effect.all([count, Effect.zipRight(append, count)]))
      expect([...seen, yield* count]).toEqual([7, 7, 14])
    }),
  )

  it.scopedLive("waits for a transaction of its own that another fiber is in", () =>
    Effect.gen(function* () {
      const client = yield* sql(yield* smallLog)
      const inside = yield* Effect.fork(client.withTransaction(Effect.zipRight(client`SELECT 1`, Effect.never)))
      const other = yield* Effect.fork(client`SELECT 2 AS two`)
      yield* Fiber.interrupt(inside)
      expect(yield* Fiber.join(other)).toEqual([{ two: 2 }])
    }),
  )

  it.scopedLive("is closed with its scope", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const client = yield* Effect.scoped(sql(filename))
      expect(Exit.isFailure(yield* Effect.exit(client`SELECT 1`))).toBe(true)
    }),
  )

  it.scopedLive("is refused, with what to do, for a file that is missing and for one that is no log", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const missing = yield* Effect.flip(sql(path.join(directory, "missing.db")))
      expect(missing).toMatchObject({
        _tag: "LogUnavailable",
        message: expect.stringContaining("there is no such file"),
      })
      const other = path.join(directory, "other.db")
      const database = new Database(other)
      database.exec("CREATE TABLE mine (x)")
      database.close()
      const refused = yield* Effect.flip(sql(other))
      expect(refused).toMatchObject({ _tag: "LogFormatUnsupported", found: "an SQLite database of another program" })
    }),
  )
})
