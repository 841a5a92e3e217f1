import * as path from "node:path"
import { Effect } from "effect"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import * as Chain from "../../src/events/integrity/Chain.ts"
import type { VerifyOptions } from "../../src/events/log/Verification.ts"
import * as PersonalDataKeys from "../../src/events/payload/PersonalDataKeys.ts"
import * as Segments from "../../src/events/sqlite/archive/Segments.ts"
import * as Database from "../../src/events/sqlite/file/database.ts"
import { verify } from "../../src/events/sqlite/integrity/verify.ts"
import { inMemory } from "../../src/events/sqlite/keys/snapshotKey.ts"
import { temporaryDirectory } from "../temporary.ts"

/** How many events the small log has. */
export const EVENTS = 7

/** Appends seven events: two tasks' streams and one without a task, causes, text beyond ASCII. */
export const appendSeven = Effect.gen(function* () {
  const log = yield* EventLog
  const note = (text: string) => ({ type: "NoteAdded" as const, payload: { about: "x", text } })
  const ada = { stream: "task/t1", taskId: "t1", actor: "human:ada" }
  const { events } = yield* log.append({ ...ada, events: [note("one"), note("zwölf \uFFFD 🗝")] })
  const causationId = events[0]?.id ?? null
  yield* log.append({ stream: "notes", actor: "human:eve", events: [note("three"), note("four")] })
  yield* log.append({ stream: "task/t2", taskId: "t2", actor: "human:eve", events: [note("five")] })
  yield* log.append({ ...ada, events: [{ ...note("six"), causationId }, note("seven")] })
})

/** A file with a log of seven events, closed. */
export const smallLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  yield* Effect.provide(appendSeven, layerSqlite({ filename }))
  return filename
})

/** A connection of someone who has read the schema: no trigger stands in the way, and no check. */
export const tamperer = (filename: string) =>
  Effect.gen(function* () {
    const database = yield* Database.open(filename, { readonly: false })
    for (const [name] of database.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
      database.run(`DROP TRIGGER ${name}`)
    }
    database.run("PRAGMA ignore_check_constraints = ON")
    return database
  })

/** The chain alone, for whoever tampers with the triggers dropped has already left a trace in the schema. */
const verifyAll = (database: Database.LogDatabase, options?: VerifyOptions) =>
  Effect.scoped(
    Effect.flatMap(Segments.make(database), (segments) =>
      verify({ database, segments, keys: PersonalDataKeys.memory(), ownKey: inMemory() }, { quick: true, ...options }),
    ),
  )

/** What `verify` says while something is changed; afterwards it is undone. */
export const verifyDuring = (database: Database.LogDatabase, change: () => void, options?: VerifyOptions) =>
  Effect.acquireUseRelease(
    Effect.sync(() => database.run("BEGIN")),
    () => Effect.andThen(Effect.sync(change), verifyAll(database, options)),
    () => Effect.sync(() => database.run("ROLLBACK")),
  )

/** Runs statements one after another. */
export const runAll = (database: Database.LogDatabase, sql: string) => {
  for (const statement of sql.split(";")) database.run(statement)
}

/** What someone does who knows how hashes are made: gives every event from a position on the hash that its row asks for. */
export const rehash = (database: Database.LogDatabase, from: number, until = Number.MAX_SAFE_INTEGER) => {
  const rows = database.rows("SELECT * FROM event_log ORDER BY position")
  let previous = Chain.GENESIS
  for (const [
    position,
    id,
    timeline,
    stream,
    version,
    type,
    schema,
    task,
    cause,
    actor,
    at,
    recorded,
    text,
    ,
    old,
  ] of rows) {
    const uuid = (hex: unknown) => String(hex).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5")
    const link: Chain.Link = {
      position: Number(position),
      id: uuid(id),
      timeline: String(timeline),
      stream: String(stream),
      version: Number(version),
      type: String(type),
      schemaVersion: Number(schema),
      taskId: task === null ? null : String(task),
      causationId: cause === null || cause === "" ? null : uuid(cause),
      actor: String(actor),
      occurredAt: Number(at),
      recordedAt: Number(recorded),
    }
    const isForged = link.position >= from && link.position <= until
    previous = isForged ? Chain.link(previous, link, String(text)) : String(old)
    database.run("UPDATE events SET hash = ? WHERE position = ?", [Buffer.from(previous, "hex"), link.position])
  }
}
