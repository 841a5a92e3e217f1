import * as path from "node:path"
import { Effect } from "effect"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import * as Database from "../../src/events/sqlite/database.ts"
import * as Segments from "../../src/events/sqlite/segments/Segments.ts"
import { verify } from "../../src/events/sqlite/verify.ts"
import type { VerifyOptions } from "../../src/events/Verification.ts"
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

const verifyAll = (database: Database.LogDatabase, options?: VerifyOptions) =>
  Effect.scoped(Effect.flatMap(Segments.make(database), (segments) => verify(database, segments, options)))

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
