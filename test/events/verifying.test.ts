import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, examine, layerSqlite, NoStream } from "../../src/events/index.ts"
import * as Doctor from "../../src/events/integrity/Doctor.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import { LOG_TABLES } from "../../src/events/sqlite/file/schema.ts"
import { sha256 } from "../../src/values/Digest.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"
import { rehash } from "./smallLog.ts"

const note = (stream: string, text: string, taskId: string) => ({
  stream,
  actor: "human:test",
  taskId,
  events: [{ type: "NoteAdded" as const, payload: { about: stream, text } }],
})

const GIVEN = "01900000-0000-7000-8000-000000000001"

const given = {
  stream: "given",
  actor: "human:test",
  events: [{ id: GIVEN, type: "NoteAdded" as const, payload: { about: "x", text: "once" } }],
}

/** Thirty events of three tasks, a large one among them on either side of where the first twenty are archived. */
const archivedLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  const work = Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.append(given)
    for (let index = 2; index <= 30; index++) {
      const text = index % 14 === 0 ? `${index}${"x".repeat(MAX_INLINE_BYTES)}` : `text ${index}`
      yield* log.append(note(`task/t${index % 3}`, text, `t${index % 3}`))
    }
    yield* (yield* Archive).archive({ until: 20, actor: "human:test" })
  })
  yield* Effect.provide(work, layerSqlite({ filename }))
  return filename
})

/** What someone does who may write the file and knows its schema: afterwards the triggers are as they were. */
const tamper = (filename: string, sql: string) => {
  const database = new Database(filename)
  const triggers = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all() as ReadonlyArray<{
    readonly name: string
    readonly sql: string
  }>
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
  database.pragma("ignore_check_constraints = ON")
  database.exec(sql)
  for (const { sql } of triggers) database.exec(sql)
  database.close()
}

/** The same, with the hashes made to fit from there on: the chain holds. */
const rewritten = (sql: string) => (filename: string) => {
  tamper(filename, sql)
  const database = new Database(filename)
  database.exec("DROP TRIGGER events_not_updated")
  const rows = (query: string, parameters: ReadonlyArray<unknown> = []) =>
    database
      .prepare(query)
      .raw()
      .all(...parameters) as ReadonlyArray<ReadonlyArray<unknown>>
  const run = (statement: string, parameters: ReadonlyArray<unknown> = []) =>
    database.prepare(statement).run(...parameters).changes
  rehash({ filename, rows, run, inTransaction: () => false, together: (statements) => statements() }, 30)
  database.exec(TRIGGER)
  database.close()
}

const TRIGGER = LOG_TABLES.find((statement) => statement.includes("events_not_updated")) ?? ""

const segmentOf = (filename: string) => {
  const [file = ""] = fs.readdirSync(`${filename}.segments`)
  return path.join(`${filename}.segments`, file)
}

const opened = (filename: string, readonly = false) =>
  Effect.map(Layer.build(layerSqlite({ filename, readonly })), Context.get(EventLog))

/** What verify and the doctor say of a log; they agree. */
const verified = (filename: string) =>
  Effect.gen(function* () {
    const log = yield* opened(filename, true)
    const quick = yield* log.verifyWith({ quick: true })
    const found = yield* log.verify
    const examined = yield* examine(filename)
    expect(Doctor.isHealthy(examined)).toBe(found._tag === "Intact")
    return { found, quick }
  }).pipe(Effect.scoped)

const LOOKS = [
  ...["chain", "tables and triggers", "pages and indexes", "counts by stream, task and type", "versions"],
  ...["rows outside of the chain", "names", "blobs", "segments", "keys", "snapshots"],
]

describe("verifying a log", () => {
  it.scopedLive("says what it looked at, and what is there", () =>
    Effect.gen(function* () {
      const { found, quick } = yield* verified(yield* archivedLog)
      expect(found).toMatchObject({ _tag: "Intact", events: 31 })
      expect(found.looks.map(({ what }) => what)).toEqual(LOOKS)
      expect(found.looks.every(({ looked }) => looked)).toBe(true)
      expect(Object.fromEntries(found.looks.map(({ what, told }) => [what, told]))).toMatchObject({
        chain: "31 events",
        blobs: "1 blob",
        segments: "1 file up to @20",
        snapshots: "none",
      })
      expect(quick.looks.map(({ what, looked }) => [what, looked])).toEqual(
        LOOKS.map((what) => [what, what === "chain"]),
      )
    }),
  )

  it.scopedLive("tells each part before it looks at it", () =>
    Effect.gen(function* () {
      const log = yield* opened(yield* archivedLog)
      const told: Array<string> = []
      yield* log.verifyWith({ onCheck: (what) => Effect.sync(() => void told.push(what)) })
      expect(told).toEqual(LOOKS)
    }),
  )

  it.scopedLive("leaves nothing out where quick is undefined", () =>
    Effect.gen(function* () {
      const log = yield* opened(yield* archivedLog)
      const { looks } = yield* log.verifyWith({ quick: undefined as never })
      expect(looks.every(({ looked }) => looked)).toBe(true)
    }),
  )

  it.scopedLive("is not intact against an anchor at a position which it does not have", () =>
    Effect.gen(function* () {
      const log = yield* opened(yield* archivedLog)
      const { hash } = yield* log.head
      expect(yield* log.verifyWith({ anchor: { position: 99, hash } })).toMatchObject({ kind: "head changed" })
    }),
  )

  it.scopedLive("verifying a log of which archiving left rows behind, as a crash does, finds nothing", () =>
    Effect.gen(function* () {
      const filename = yield* archivedLog
      const whole = `${filename}.whole`
      const log = yield* opened(filename)
      const rows = yield* log.readPage({}, 100)
      yield* Effect.promise(() => new Database(filename, { readonly: true }).backup(whole))
      // The archived events as they were before they were taken out.
      const names = (text: string | null) =>
        `(SELECT id FROM names WHERE text = ${text === null ? "NULL" : `'${text}'`})`
      const blob = (hex: string) => `x'${hex.replaceAll("-", "")}'`
      tamper(
        filename,
        rows
          .slice(1, 13)
          .map(
            (event) =>
              `INSERT INTO events VALUES (${event.position}, ${blob(event.id)}, ${names(event.timeline)}, ${names(event.stream)},
                ${event.version}, ${names(event.type)}, ${event.schemaVersion}, ${names(event.taskId)}, NULL, ${names(event.actor)},
                ${event.recordedAt - event.occurredAt}, ${event.recordedAt}, '${JSON.stringify(event.payload)}', NULL, ${blob(event.hash)})`,
          )
          .join(";"),
      )
      const { found } = yield* verified(filename)
      expect(found).toMatchObject({ _tag: "Intact", events: 31 })
      expect(found.looks).toContainEqual({
        what: "rows outside of the chain",
        looked: true,
        told: "12 events that archiving left behind",
      })
    }),
  )
})

const copied = (to: number, version = 77) =>
  `INSERT INTO events SELECT ${to}, randomblob(16), timeline, stream, ${version}, type, schema_version, task, causation, actor,
    occurred_before, recorded_at, payload, key_id, hash FROM events WHERE position = 25`

describe("what the chain does not tell is found out all the same:", () => {
  const isFound = (
    name: string,
    change: (filename: string) => void,
    expected: { readonly kind: string; readonly position?: number; readonly what: string },
  ) =>
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const filename = yield* archivedLog
        change(filename)
        const { found, quick } = yield* verified(filename)
        expect(quick).toMatchObject({ _tag: "Intact" })
        const { kind, position, what } = expected
        expect(found).toMatchObject({ _tag: "Tampered", kind, ...(position === undefined ? {} : { position }) })
        const told = found._tag === "Tampered" ? found.findings.map((finding) => finding.what) : []
        expect(told.join("; ")).toContain(what)
      }),
    )

  const inLog = (name: string, sql: string, kind: string, what: string, position?: number) =>
    isFound(name, (filename) => tamper(filename, sql), { kind, what, ...(position === undefined ? {} : { position }) })

  const inSegment = (name: string, sql: string, what: string) =>
    isFound(
      name,
      (filename) => {
        const database = new Database(segmentOf(filename))
        database.exec(sql)
        database.close()
      },
      { kind: "archive changed", what },
    )

  // I2: what stands around an archive.
  inLog("a row at an archived position", copied(7), "event inserted", "a row at @7", 7)
  inLog("a row at position 0", copied(0), "event inserted", "a row at @0", 0)
  inLog("a row at a negative position", copied(-7), "event inserted", "a row at @-7", -7)
  inLog("no archived streams", "DELETE FROM archived_streams", "version changed", "the list of archived streams")
  inLog(
    "an archived stream that stood elsewhere",
    "UPDATE archived_streams SET version = version + 5 WHERE stream = (SELECT id FROM names WHERE text = 'given')",
    "archive changed",
    "archived stream given",
  )
  inLog(
    "a stream that was never archived",
    "INSERT INTO archived_streams SELECT stream + 900, timeline, 3 FROM archived_streams LIMIT 1",
    "archive changed",
    "the list of archived streams",
  )
  inLog(
    "the ids of a segment",
    "UPDATE segments SET lowest_id = zeroblob(16), highest_id = zeroblob(16)",
    "archive changed",
    "ids",
  )

  // I1: what a segment's events are found by.
  inSegment("no index of names in a segment", "DELETE FROM block_names", "its index of names")
  inSegment(
    "a name that leads to a block that does not have it",
    "INSERT INTO names (text) VALUES ('task/never'); INSERT INTO block_names SELECT id, 1 FROM names WHERE text = 'task/never'",
    "its index of names",
  )
  inSegment(
    "a name that is not that name",
    "UPDATE names SET text = 't9' WHERE text = 't1'",
    "its index of names, for t1",
  )
  inSegment("an id that is not to be found", "DELETE FROM ids WHERE position = 9", "its index of ids")
  inSegment("an id that leads elsewhere", "UPDATE ids SET position = 3 WHERE position = 9", "its index of ids")
  inSegment(
    "an id that no event has",
    "INSERT INTO ids VALUES ('ffffffff-0000-7000-8000-000000000001', 5)",
    "its index of ids",
  )
  inSegment("a blob that no event has", "INSERT INTO blobs VALUES ('ff', x'00')", "its blobs")
  inSegment("a table of another program", "CREATE TABLE theirs (a)", "its tables")
  inSegment("another beginning", "UPDATE segment SET previous_hash = 'ff'", "its description of itself")
  inSegment("a second account of itself", "INSERT INTO segment SELECT * FROM segment", "its description of itself")

  // The rest.
  isFound(
    "versions with a gap, written anew with hashes that hold",
    rewritten("UPDATE events SET version = 77 WHERE position = 30"),
    {
      kind: "version changed",
      position: 30,
      what: "stream task/t0 at @30",
    },
  )
  isFound(
    "an id that an archived event has",
    rewritten(`UPDATE events SET id = x'${GIVEN.replaceAll("-", "")}' WHERE position = 30`),
    {
      kind: "id repeated",
      position: 1,
      what: `id ${GIVEN}`,
    },
  )
  inLog("a blob that no event has", `INSERT INTO blobs VALUES ('${sha256("x")}', 30, 'x')`, "blob changed", sha256("x"))
  inLog("a blob that archiving would take out too early", "UPDATE blobs SET last_position = 21", "blob changed", "blob")
  inLog(
    "a blob of an archived event that says something else",
    `INSERT INTO blobs VALUES ('${sha256("y")}', 14, 'z')`,
    "blob changed",
    sha256("y"),
  )
  inLog("a name that is not text", "INSERT INTO names VALUES (99, CAST(x'ff' AS TEXT))", "name changed", "name 99")
  inLog(
    "a trigger of another program",
    "CREATE TRIGGER quiet BEFORE INSERT ON events WHEN NEW.position = 32 BEGIN SELECT RAISE(IGNORE); END",
    "schema changed",
    "trigger quiet",
  )
  inLog("an index that leaves events out", "DROP INDEX events_by_type", "schema changed", "index events_by_type")
  inLog(
    "a cache whose table is another",
    "DROP TABLE snapshots; CREATE TABLE snapshots (projection, fingerprint, timeline, position, event_hash, state_hash, root)",
    "schema changed",
    "table snapshots",
  )
})

describe("a log whose word for the ids of a segment was changed", () => {
  it.scopedLive("stores no retried event twice, and fails no other", () =>
    Effect.gen(function* () {
      const filename = yield* archivedLog
      tamper(filename, "UPDATE segments SET lowest_id = zeroblob(16), highest_id = zeroblob(16)")
      const log = yield* opened(filename)
      const error = yield* Effect.flip(log.append(given))
      expect(error._tag).toBe("LogCorrupt")
      expect(error.message).toContain("its record of the ids in the segment")
      expect(yield* log.append(note("task/t1", "goes on", "t1"))).toMatchObject({ position: 32 })
      expect(yield* log.append({ ...note("new", "begins", "t9"), expected: NoStream })).toMatchObject({ position: 33 })
    }),
  )
})
