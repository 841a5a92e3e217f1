import { it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import * as PersonalDataKeys from "../../src/events/payload/PersonalDataKeys.ts"
import * as Segments from "../../src/events/sqlite/archive/Segments.ts"
import * as Database from "../../src/events/sqlite/file/database.ts"
import { envelopesOf, readPage } from "../../src/events/sqlite/read.ts"
import * as Names from "../../src/events/sqlite/stringInterning.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { temporaryDirectory } from "../temporary.ts"
import { smallLog } from "./smallLog.ts"

/** Runs statements with the triggers out of the way, and puts them back as they were. */
const tamper = (filename: string, statements: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const database = yield* Database.open(filename, { readonly: false })
      const triggers = database.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      for (const [name] of triggers) database.run(`DROP TRIGGER ${name}`)
      for (const statement of statements) database.run(statement)
      for (const [, sql] of triggers) database.run(String(sql))
    }),
  )

const using = <A, E>(filename: string, use: (log: EventLog.Service) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(EventLog, use), layerSqlite({ filename }))

const note = (stream: string) => ({
  stream,
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "", text: "" } }],
})

describe("the number of a name", () => {
  it.scopedLive("is one that is told from the next: verify finds another, and nothing is read by it", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      // Two numbers that are the same to JavaScript: events with the second would not be found by the name.
      yield* tamper(filename, [
        "UPDATE events SET stream = 9007199254740992 WHERE stream = (SELECT id FROM names WHERE text = 'notes')",
        "UPDATE names SET id = 9007199254740992 WHERE text = 'notes'",
        "UPDATE events SET stream = 9007199254740993 WHERE position = 4",
        "INSERT INTO names (id, text) VALUES (9007199254740993, 'notes ')",
      ])
      expect(yield* using(filename, (log) => log.verify)).toMatchObject({
        _tag: "Tampered",
        findings: expect.arrayContaining([
          expect.objectContaining({ what: 'name "notes"', expected: "a number below 2^53" }),
        ]),
      })
      const error = yield* Effect.flip(using(filename, (log) => Stream.runDrain(log.read())))
      expect(error).toMatchObject({ _tag: "LogCorrupt", position: 3 })
      expect((yield* Effect.flip(using(filename, (log) => log.readPage({ stream: "notes" }, 10))))._tag).toBe(
        "LogCorrupt",
      )
    }),
  )

  it.scopedLive.each(["9007199254740991", "9007199254740993", "9223372036854775807"])(
    "is not given after %s, which another program put there: what needs a new name is refused, and all else goes on",
    (id) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        yield* tamper(filename, [`INSERT INTO names (id, text) VALUES (${id}, 'ghost')`])
        const error = yield* Effect.flip(using(filename, (log) => log.append(note("another"))))
        expect(error._tag).toBe("LogCorrupt")
        expect(error.message).toContain('the name "another": another has a number beyond 2^53')
        expect(yield* using(filename, (log) => log.append({ ...note("notes"), actor: "human:eve" }))).toMatchObject({
          position: 8,
        })
        const verdict = yield* using(filename, (log) => log.verify)
        expect(verdict._tag).toBe(id === "9007199254740991" ? "Intact" : "Tampered")
      }),
  )

  it.scopedLive("the number of a name that another has is refused where it would be used", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      yield* tamper(filename, ["INSERT INTO names (id, text) VALUES (9007199254740993, 'ghost')"])
      const error = yield* Effect.flip(using(filename, (log) => log.append(note("ghost"))))
      expect(error.message).toContain('the name "ghost" has a number beyond 2^53')
    }),
  )

  it.scopedLive("is found again where the commit that brought it came too late and was rolled back", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const opened = Effect.map(Layer.build(Layer.fresh(layerSqlite({ filename }))), Context.get(EventLog))
      const [one, other] = [yield* opened, yield* opened]
      const streams = ["first", "second", "third", "fourth", "fifth", "sixth"]
      for (const [index, stream] of streams.entries()) {
        // Each knows the head as it was before the other's last append.
        const { version } = yield* (index % 2 === 0 ? one : other).append({ ...note(stream), taskId: `of ${stream}` })
        expect(version).toBe(1)
      }
      const events = yield* using(filename, (log) => log.readPage({ after: 7 }, 10))
      expect(events.map(({ stream, taskId }) => `${stream}, ${taskId}`)).toEqual(
        streams.map((stream) => `${stream}, of ${stream}`),
      )
      expect((yield* using(filename, (log) => log.verify))._tag).toBe("Intact")
    }),
  )
})

describe("the names that the events of a page use", () => {
  it.scopedLive("are read by one query, however many streams and tasks they are of", () =>
    Effect.gen(function* () {
      const filename = `${yield* temporaryDirectory}/log.db`
      const tasks = Array.from({ length: 40 }, (_, index) => `t${index}`)
      const requests = tasks.map((taskId) => ({ ...note(`task/${taskId}`), taskId }))
      yield* using(filename, (log) => Effect.forEach(requests, (request) => log.append(request)))

      const database = yield* Database.open(filename, { readonly: true })
      const queries: Array<string> = []
      const counted: Database.LogDatabase = {
        ...database,
        rows: (sql, parameters) => {
          if (sql.includes("FROM names")) queries.push(sql)
          return database.rows(sql, parameters)
        },
      }
      const segments = yield* Segments.make(database)
      const reader = () => ({
        database: counted,
        segments,
        names: Names.make(counted),
        keys: PersonalDataKeys.memory(),
        upcast: (_type: string, _version: number, payload: JsonObject) => payload,
      })

      const events = readPage(reader(), {}, 100)
      expect(events.map(({ stream, taskId }) => `${stream} ${taskId}`)).toEqual(
        tasks.map((task) => `task/${task} ${task}`),
      )
      // The query of the page's streams and tasks, and one each for the timeline, the type and the actor that all have.
      expect(queries).toHaveLength(4)

      queries.length = 0
      expect(envelopesOf(reader(), {}, 100).map(({ taskId }) => taskId)).toEqual(tasks)
      expect(queries).toHaveLength(3)
    }),
  )
})
