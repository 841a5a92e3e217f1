import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerMemory, layerSqlite, type VerifyOptions } from "../../src/events/index.ts"
import * as Chain from "../../src/events/integrity/Chain.ts"
import { Database } from "../sqlite.ts"
import { temporaryLog } from "../temporary.ts"
import { appendSeven, rehash, runAll, smallLog, tamperer, verifyDuring } from "./smallLog.ts"

/** What `verify` says of a log of seven events after some statements. */
const verifyAfter = (sql: string, options?: VerifyOptions) =>
  Effect.gen(function* () {
    const database = yield* tamperer(yield* smallLog)
    return yield* verifyDuring(database, () => runAll(database, sql), options)
  })

const moveUp = (from: number, by: number) =>
  `UPDATE events SET position = -(position + ${by}) WHERE position >= ${from};
   UPDATE events SET position = -position WHERE position < 0`

/** A copy of an event at another position, under another id and in a stream of its own. */
const copy = (from: number, to: number, version = 1) =>
  `INSERT INTO events SELECT ${to}, randomblob(16), timeline, 99, ${version}, type, schema_version, task, causation, actor,
    occurred_before, recorded_at, payload, key_id, hash FROM events WHERE position = ${from};
   INSERT INTO names VALUES (99, 'forged')`

describe("a log that was touched", () => {
  it.scopedLive.each([
    [
      "a payload",
      "UPDATE events SET payload = replace(payload, 'three', 'eerht') WHERE position = 3",
      3,
      "content changed",
    ],
    [
      "what stands in a payload behind a NUL",
      "UPDATE events SET payload = payload || char(0) || '{}' WHERE position = 3",
      3,
      "payload changed",
    ],
    ["one space in a payload", "UPDATE events SET payload = payload || ' ' WHERE position = 3", 3, "payload changed"],
    [
      "a payload cut short",
      "UPDATE events SET payload = substr(payload, 1, 9) WHERE position = 3",
      3,
      "payload changed",
    ],
    [
      "a payload whose broken bytes read the same",
      "UPDATE events SET payload = CAST(replace(CAST(payload AS BLOB), X'EFBFBD', X'FF') AS TEXT) WHERE position = 2",
      2,
      "payload changed",
    ],
    ["a time", "UPDATE events SET occurred_before = occurred_before + 1 WHERE position = 4", 4, "content changed"],
    ["a cause", "UPDATE events SET causation = randomblob(16) WHERE position = 2", 2, "content changed"],
    ["a cause that is none", "UPDATE events SET causation = X'' WHERE position = 2", 2, "envelope changed"],
    ["a stream", "UPDATE events SET stream = 1, version = 9 WHERE position = 2", 2, "envelope changed"],
    ["a task that is none", "UPDATE events SET task = 77 WHERE position = 3", 3, "envelope changed"],
    ["an actor's name", "UPDATE names SET text = 'human:bob' WHERE text = 'human:eve'", 3, "content or hash changed"],
    ["a name removed", "DELETE FROM names WHERE text = 't2'", 5, "envelope changed"],
    ["a name that is no text", "UPDATE names SET text = CAST(X'FF' AS TEXT) WHERE text = 't2'", 5, "envelope changed"],
    ["a hash", "UPDATE events SET hash = randomblob(32) WHERE position = 5", 5, "hash changed"],
    ["the last hash", "UPDATE events SET hash = randomblob(32) WHERE position = 7", 7, "content or hash changed"],
    ["a removed event", "DELETE FROM events WHERE position = 3", 3, "event missing"],
    ["the first removed", "DELETE FROM events WHERE position = 1", 1, "event missing"],
    [
      "a removed event, the gap closed",
      "DELETE FROM events WHERE position = 3; UPDATE events SET position = position - 1 WHERE position > 3",
      3,
      "event missing",
    ],
    ["one moved to the end", "UPDATE events SET position = 9 WHERE position = 2", 2, "order changed"],
    [
      "two in each other's place",
      "UPDATE events SET position = 9 WHERE position = 2; UPDATE events SET position = 2 WHERE position = 3; UPDATE events SET position = 3 WHERE position = 9",
      2,
      "order changed",
    ],
    ["one put in", `${moveUp(4, 1)}; ${copy(2, 4)}`, 4, "event inserted"],
    ["one put in before the last", `${moveUp(7, 1)}; ${copy(2, 7)}`, 7, "event inserted"],
    ["one put in before the first", copy(2, 0), 0, "event inserted"],
    ["one put at the end", copy(2, 8), 8, "content or hash changed"],
  ] as const)("is found out at the first bad position, with what was done: %s", ([, sql, position, kind]) =>
    Effect.gen(function* () {
      expect(yield* verifyAfter(sql)).toMatchObject({ _tag: "Tampered", position, kind })
    }),
  )

  it.scopedLive("is found out although the view for people was replaced by one that lies", () =>
    Effect.gen(function* () {
      const verdict = yield* verifyAfter(
        "CREATE TABLE before AS SELECT * FROM event_log; DROP VIEW event_log; CREATE VIEW event_log AS SELECT * FROM before; UPDATE events SET occurred_before = 1000 WHERE position = 6",
      )
      expect(verdict).toMatchObject({ _tag: "Tampered", position: 6 })
    }),
  )

  it.scopedLive("events put in with hashes made to fit are named, not what follows them", () =>
    Effect.gen(function* () {
      const database = yield* tamperer(yield* smallLog)
      const change = () => {
        runAll(database, `${moveUp(4, 2)}; ${copy(2, 4)}`)
        runAll(database, copy(3, 5, 2).split(";")[0] ?? "")
        rehash(database, 4, 5)
      }
      expect(yield* verifyDuring(database, change)).toMatchObject({
        _tag: "Tampered",
        position: 4,
        kind: "event inserted",
        reason: "the event that belongs here stands at @6",
      })
    }),
  )

  it.scopedLive("refuses update, delete and replacement by any program", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const database = new Database(filename)
      expect(() => database.exec("UPDATE events SET payload = '{}' WHERE position = 1")).toThrow("never changed")
      expect(() => database.exec("DELETE FROM events")).toThrow("never deleted")
      expect(() => database.exec("INSERT OR REPLACE INTO events SELECT * FROM events WHERE position = 2")).toThrow(
        "takes the next position",
      )
      expect(() => database.exec("UPDATE names SET text = 'x'")).toThrow("never changed")
      expect(() => database.exec("DELETE FROM names")).toThrow("never deleted")
      database.close()
      const verdict = yield* Effect.flatMap(EventLog, (log) => log.verify).pipe(
        Effect.provide(layerSqlite({ filename })),
      )
      expect(verdict).toMatchObject({ _tag: "Intact", events: 7 })
    }),
  )
})

describe("a log held against an anchor", () => {
  const anchored = (position: number) =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const database = yield* tamperer(filename)
      const [row] = database.rows("SELECT lower(hex(hash)) FROM events WHERE position = ?", [position])
      return { database, anchor: { position, hash: String(row?.[0]) } }
    })

  it.scopedLive("a log held against an anchor that is older than its head is intact: history goes on after it", () =>
    Effect.gen(function* () {
      const { database, anchor } = yield* anchored(4)
      expect(yield* verifyDuring(database, () => {}, { anchor })).toMatchObject({ _tag: "Intact", events: 7 })
    }),
  )

  it.scopedLive("a log whose last events were removed is found out by an anchor, which the chain alone cannot", () =>
    Effect.gen(function* () {
      const { database, anchor } = yield* anchored(7)
      const cut = () => database.run("DELETE FROM events WHERE position > 5")
      expect(yield* verifyDuring(database, cut)).toMatchObject({ _tag: "Intact", events: 5 })
      expect(yield* verifyDuring(database, cut, { anchor })).toMatchObject({
        _tag: "Tampered",
        position: 6,
        kind: "head changed",
        reason: "the log ends at @5, but was anchored at @7: its last events were removed",
      })
    }),
  )

  it.scopedLive("a log that was written anew is found out at the anchor, which the chain alone cannot", () =>
    Effect.gen(function* () {
      const { database, anchor } = yield* anchored(5)
      const rewrite = () => {
        database.run("UPDATE events SET occurred_before = 1000 WHERE position = 3")
        rehash(database, 3)
      }
      expect(yield* verifyDuring(database, rewrite)).toMatchObject({ _tag: "Intact", events: 7 })
      expect(yield* verifyDuring(database, rewrite, { anchor })).toMatchObject({
        _tag: "Tampered",
        position: 5,
        kind: "head changed",
      })
    }),
  )

  it.scopedLive("names the first bad position where that comes before the anchor", () =>
    Effect.gen(function* () {
      const { database, anchor } = yield* anchored(7)
      const change = () => database.run("UPDATE events SET occurred_before = 1000 WHERE position = 3")
      expect(yield* verifyDuring(database, change, { anchor })).toMatchObject({ position: 3, kind: "content changed" })
    }),
  )

  it.scopedLive("tells content from hash at the anchor's own position, also at the end", () =>
    Effect.gen(function* () {
      const { database, anchor } = yield* anchored(7)
      const content = () => database.run("UPDATE events SET occurred_before = 1000 WHERE position = 7")
      const hash = () => database.run("UPDATE events SET hash = randomblob(32) WHERE position = 7")
      expect(yield* verifyDuring(database, content, { anchor })).toMatchObject({ kind: "content changed" })
      expect(yield* verifyDuring(database, hash, { anchor })).toMatchObject({ kind: "hash changed" })
    }),
  )

  it.scopedLive("an anchor of the beginning holds for every log, and one of another beginning for none", () =>
    Effect.gen(function* () {
      const { database } = yield* anchored(1)
      const verifyWith = (hash: string) => verifyDuring(database, () => {}, { anchor: { position: 0, hash } })
      expect(yield* verifyWith(Chain.GENESIS)).toMatchObject({ _tag: "Intact" })
      expect(yield* verifyWith("f".repeat(64))).toMatchObject({ position: 0, kind: "head changed" })
    }),
  )
})

describe("verifying", () => {
  it.scopedLive.each([
    ["a file", () => temporaryLog()],
    ["memory", () => layerMemory()],
  ] as const)("tells progress page by page, and holds against an anchor, in %s", ([, layer]) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      for (let round = 0; round < 400; round++) yield* appendSeven
      const seen: Array<readonly [number, number]> = []
      const onProgress = (verified: number, of: number) => Effect.sync(() => void seen.push([verified, of]))
      const head = yield* log.head
      expect(yield* log.verifyWith({ onProgress, anchor: head })).toMatchObject({ _tag: "Intact", head, events: 2800 })
      expect(seen).toEqual([
        [1000, 2800],
        [2000, 2800],
        [2800, 2800],
      ])
      const longer = { position: 2801, hash: head.hash }
      expect(yield* log.verifyWith({ anchor: longer })).toMatchObject({ position: 2801, kind: "head changed" })
      const other = { position: 1500, hash: head.hash }
      expect(yield* log.verifyWith({ anchor: other })).toMatchObject({ position: 1500, kind: "head changed" })
    }).pipe(Effect.provide(layer())),
  )

  it.scopedLive("verifying a file with a page overwritten fails with the position up to which it is sound", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const layer = layerSqlite({ filename })
      yield* Effect.repeatN(appendSeven, 300).pipe(Effect.provide(layer))
      const database = new Database(filename, { readonly: true })
      const leaf = database
        .prepare(
          "SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 20",
        )
        .pluck()
        .get()
      const pageSize = Number(database.pragma("page_size", { simple: true }))
      database.close()
      const bytes = fs.readFileSync(filename)
      bytes.fill(0xff, (Number(leaf) - 1) * pageSize, Number(leaf) * pageSize)
      fs.writeFileSync(filename, bytes)

      const readonly = layerSqlite({ filename, readonly: true })
      const error = yield* Effect.flip(Effect.flatMap(EventLog, (log) => log.verify).pipe(Effect.provide(readonly)))
      expect(error._tag).toBe("LogCorrupt")
      if (error._tag !== "LogCorrupt" || error.position === null) return
      expect(error.position).toBeGreaterThan(100)
      expect(error.message).toContain(`damaged at @${error.position}`)
      const until = error.position - 1
      const read = Effect.flatMap(EventLog, (log) => log.readPage({ until }, until)).pipe(Effect.provide(readonly))
      expect(yield* read).toHaveLength(until)
    }),
  )
})
