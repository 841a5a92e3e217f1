import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe, expect } from "vitest"
import * as AppendValidation from "../../../src/events/append/AppendValidation.ts"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import * as PersonalDataKeys from "../../../src/events/payload/PersonalDataKeys.ts"
import * as append from "../../../src/events/sqlite/append.ts"
import * as Segments from "../../../src/events/sqlite/archive/Segments.ts"
import * as LogDatabase from "../../../src/events/sqlite/file/database.ts"
import * as Names from "../../../src/events/sqlite/stringInterning.ts"
import * as Upcaster from "../../../src/events/vocabulary/Upcaster.ts"
import * as Vocabulary from "../../../src/events/vocabulary/Vocabulary.ts"
import { Database } from "../../sqlite.ts"
import { EVENTS, smallLog } from "../smallLog.ts"

const notes = (count: number, text = "") => ({
  stream: "refused",
  actor: "human:refused",
  events: Array.from({ length: count }, () => ({ type: "NoteAdded" as const, payload: { about: "", text } })),
})

const dispatches = (count: number) => ({
  ...notes(0),
  events: Array.from({ length: count }, () => ({ type: "CommandDispatched" as const, payload: { commandId: "c" } })),
})

/** One request for each way by which a batch is committed. */
const REQUESTS = {
  "one INSERT": notes(1),
  "one INSERT, flushed": dispatches(1),
  "a transaction": notes(150),
  "a transaction, flushed": dispatches(150),
  "a transaction with a blob": notes(1, "x".repeat(400_000)),
}

/** Another program that has the file open. */
const stranger = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Database(filename)),
    (database) => Effect.sync(() => database.close()),
  )

/** How long the impatient writer waits for another, in milliseconds. */
const PATIENCE_MS = 30

/** The log's own commit, on a connection that waits for another writer not for seconds. */
const impatientCommit = (filename: string) => Effect.flatMap(LogDatabase.open(filename, { readonly: false }), commitOf)

const commitOf = (database: LogDatabase.LogDatabase) =>
  Effect.gen(function* () {
    const segments = yield* Segments.make(database)
    database.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
    const keys = PersonalDataKeys.memory()
    const upcast = Upcaster.chain(Vocabulary.core.types, Vocabulary.core.upcasters)
    const commit = append.make({ database, names: Names.make(database), upcast, keys, segments })
    const admit = AppendValidation.make(Vocabulary.core, keys)
    return (request: Parameters<typeof admit>[0]) => commit([Either.getOrThrow(admit(request))])
  })

const verified = (filename: string) =>
  Effect.flatMap(EventLog, (log) => log.verify).pipe(Effect.provide(layerSqlite({ filename })))

describe("while another program writes and does not come to an end", () => {
  it.scopedLive.each(Object.entries(REQUESTS))(
    "an append by %s is LogBusy, nothing of it is written, and it can be tried again",
    ([, request]) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const commit = yield* impatientCommit(filename)
        const other = yield* stranger(filename)
        other.exec("BEGIN IMMEDIATE; INSERT INTO names (text) VALUES ('theirs')")
        for (let time = 0; time < 2; time++) {
          const error = yield* Effect.flip(commit(request))
          expect(error).toMatchObject({ _tag: "LogBusy", log: filename })
          expect(error._tag === "LogBusy" && error.waitedMs).toBeGreaterThanOrEqual(PATIENCE_MS)
          expect(error.message).toMatch(
            /is busy: another process held it for more than \d+ ms\. Nothing was written; try again\.$/,
          )
        }
        other.exec("COMMIT")
        const [answer] = yield* commit(request)
        const end = EVENTS + request.events.length
        expect(answer !== undefined && Either.getOrThrow(answer)).toMatchObject({ position: end })
        expect(yield* verified(filename)).toMatchObject({ _tag: "Intact", events: end })
      }),
  )

  it.scopedLive("reads go on as before", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      yield* Effect.gen(function* () {
        const other = yield* stranger(filename)
        other.exec("BEGIN EXCLUSIVE")
        const log = yield* EventLog
        expect(yield* log.readPage({}, 100)).toHaveLength(EVENTS)
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: EVENTS })
        other.exec("ROLLBACK")
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )
})

describe("where COMMIT fails", () => {
  /**
   * A trigger that breaks a constraint which SQLite looks at when a transaction ends, and leaves the transaction open. It is the
   * connection's own, and not in the file: the log would refuse it there.
   */
  const BREAK = [
    "CREATE TEMP TABLE owners (id INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE owned (owner INTEGER REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED)",
    "CREATE TEMP TRIGGER theirs AFTER INSERT ON main.events BEGIN INSERT INTO owned VALUES (1); END",
  ]

  it.scopedLive.each(Object.entries(REQUESTS))(
    "an append by %s is a typed error, nothing of it is written, and the next one succeeds",
    ([, request]) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const end = EVENTS + request.events.length
        const database = yield* LogDatabase.open(filename, { readonly: false })
        const commit = yield* commitOf(database)
        for (const statement of BREAK) database.run(statement)
        for (let time = 0; time < 2; time++) {
          const error = yield* Effect.flip(commit(request))
          expect(error._tag).toBe("LogCorrupt")
          expect(error.message).toContain("its tables or triggers refuse a valid event (FOREIGN KEY constraint failed)")
          expect(error.message).toContain("to see what is damaged, which events are intact, and what to do")
        }
        expect(database.rows("SELECT max(position) FROM events")).toEqual([[EVENTS]])
        // No transaction was left open: others may write, and so may this log.
        expect(database.inTransaction()).toBe(false)
        for (const left of ["TRIGGER theirs", "TABLE owned", "TABLE owners"]) database.run(`DROP ${left}`)
        expect(database.rows("SELECT count(*) FROM blobs")).toEqual([[0]])
        const [answer] = yield* commit(request)
        expect(answer !== undefined && Either.getOrThrow(answer)).toMatchObject({ position: end })
        expect(yield* verified(filename)).toMatchObject({ _tag: "Intact", events: end })
      }),
  )
})
