import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerMemory, layerSqlite } from "../../src/events/index.ts"
import { Snapshots } from "../../src/events/log/Snapshots.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import { yieldToEventLoop } from "../../src/platform/yieldToEventLoop.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const SECRET = "Anna Karenina lives in Petersburg"

const note = (text: string, subject?: string) => ({
  stream: "diary",
  actor: "human:test",
  ...(subject === undefined ? {} : { subject }),
  events: [{ type: "NoteAdded" as const, payload: { about: "diary", text } }],
})

const shredding = (subject: string) => ({ subject, reason: "she asked", actor: "human:officer" })

/** All bytes of the log's file and of what lies beside it, in one. */
const bytesOf = (directory: string) =>
  Buffer.concat(
    fs
      .readdirSync(directory)
      .filter((file) => !file.endsWith("-shm"))
      .map((file) => fs.readFileSync(path.join(directory, file))),
  )

describe.each([
  ["on file", (filename: string) => layerSqlite({ filename })],
  ["in SQLite's memory", () => layerSqlite({ filename: ":memory:" })],
  ["in memory", () => layerMemory()],
])("personal data in a log %s", (_where, layerOf) => {
  const logged = Effect.flatMap(temporaryDirectory, (directory) => Layer.build(layerOf(path.join(directory, "log.db"))))

  it.scopedLive("reads as it was given while the key is there, and says that it is encrypted", () =>
    Effect.gen(function* () {
      const log = Context.get(yield* logged, EventLog)
      const { events } = yield* log.append(note(SECRET, "anna"))
      const [event] = yield* log.readPage({}, 10)
      expect(event).toMatchObject({ payload: { about: "diary", text: SECRET }, personal: { readable: true } })
      expect(events).toEqual([event])
    }),
  )

  it.scopedLive("reads as what its type declares once the key is destroyed, while the chain still verifies", () =>
    Effect.gen(function* () {
      const context = yield* logged
      const log = Context.get(context, EventLog)
      const personalData = Context.get(context, PersonalData)
      yield* log.append(note(SECRET, "anna"))
      yield* log.append(note("Levin mows", "levin"))
      yield* log.append(note("the weather is fine"))
      const before = yield* Stream.runCollect(log.read())

      const recorded = yield* personalData.shred(shredding("anna"))

      const [anna, levin, weather, shredded] = yield* log.readPage({}, 10)
      expect(anna).toMatchObject({ payload: { about: "diary", text: "[shredded]" }, personal: { readable: false } })
      expect([levin, weather]).toEqual([...before].slice(1))
      expect(shredded).toEqual(recorded)
      expect(shredded).toMatchObject({
        type: "PayloadShredded",
        actor: "human:officer",
        payload: { keyId: anna?.personal?.keyId, reason: "she asked" },
      })
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 4 })
      expect((yield* personalData.subjects).map(({ subject }) => subject)).toEqual(["levin"])
    }),
  )

  it.scopedLive("personal data of a subject that comes back after shredding is under a new key", () =>
    Effect.gen(function* () {
      const context = yield* logged
      const log = Context.get(context, EventLog)
      yield* log.append(note("before", "anna"))
      yield* Context.get(context, PersonalData).shred(shredding("anna"))
      yield* log.append(note("after", "anna"))
      const notes = yield* log.readPage({ types: ["NoteAdded"] }, 10)
      expect(notes.map(({ payload, personal }) => [payload.text, personal?.readable])).toEqual([
        ["[shredded]", false],
        ["after", true],
      ])
    }),
  )

  it.scopedLive("makes a retry under the same id answer with the earlier event, before and after shredding", () =>
    Effect.gen(function* () {
      const context = yield* logged
      const log = Context.get(context, EventLog)
      const id = "01900000-0000-7000-8000-000000000001"
      const again = (text: string) => {
        const request = note(text, "anna")
        return { ...request, events: request.events.map((event) => ({ ...event, id })) }
      }
      yield* log.append(again(SECRET))
      expect(yield* log.append(again(SECRET))).toMatchObject({ position: 1 })
      expect(yield* Effect.flip(log.append(again("something else")))).toMatchObject({ _tag: "IdReused" })
      yield* Context.get(context, PersonalData).shred(shredding("anna"))
      expect(yield* log.append(again(SECRET))).toMatchObject({ position: 1 })
    }),
  )

  it.scopedLive(
    "of a task is not recorded any more once its subject was shredded: what goes on is recorded without it",
    () =>
      Effect.gen(function* () {
        const context = yield* logged
        const log = Context.get(context, EventLog)
        const inTask = { stream: "task/t", taskId: "t", actor: "human:test" }
        const opened = { type: "TaskOpened" as const, payload: { goal: SECRET, measures: [], agent: "a@1" } }
        yield* log.append({ ...inTask, subject: "anna", events: [opened] })
        yield* Context.get(context, PersonalData).shred(shredding("anna"))
        const closed = { type: "TaskClosed" as const, payload: { outcome: "abandoned" as const, reason: SECRET } }
        yield* log.append({ ...inTask, events: [closed] })
        expect((yield* log.readPage({ taskId: "t" }, 10)).map(({ payload }) => payload)).toEqual([
          { ...opened.payload, goal: "[shredded]" },
          { outcome: "abandoned", reason: "[shredded]" },
        ])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 3 })
      }),
  )

  it.scopedLive("is not shredded for a subject that nobody knows", () =>
    Effect.gen(function* () {
      const context = yield* logged
      const error = yield* Effect.flip(Context.get(context, PersonalData).shred(shredding("nobody")))
      expect(error).toMatchObject({ _tag: "NoSuchSubject", subject: "nobody" })
      expect(error.message).toContain('No key of subject "nobody"')
      expect((yield* Context.get(context, EventLog).head).position).toBe(0)
    }),
  )

  it.scopedLive("is refused where no event of the append has a personal field: nothing would be encrypted", () =>
    Effect.gen(function* () {
      const log = Context.get(yield* logged, EventLog)
      const error = yield* Effect.flip(
        log.append({
          stream: "diary",
          actor: "human:test",
          subject: "anna",
          events: [{ type: "TagAdded", payload: { about: SECRET, tag: "novel" } }],
        }),
      )
      expect(error).toMatchObject({ _tag: "InvalidEvent" })
      expect(error.message).toContain("subject: expected an event whose type declares personal fields, found none")
    }),
  )
})

describe("the key file", () => {
  const open = (directory: string, options: { readonly readonly?: boolean } = {}) =>
    Layer.build(layerSqlite({ filename: path.join(directory, "log.db"), ...options }))

  it.scopedLive("is all that holds the secret: neither the log nor what lies beside it says it in clear", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const log = Context.get(yield* open(directory), EventLog)
      yield* log.append(note(SECRET, "anna@example.org"))
      const bytes = bytesOf(directory)
      expect(bytes.includes(SECRET)).toBe(false)
      expect(fs.readFileSync(path.join(directory, "log.db")).includes("anna@")).toBe(false)
      expect(fs.statSync(path.join(directory, "log.db.keys")).mode & 0o777).toBe(0o600)
    }),
  )

  it.scopedLive("holds nothing of a destroyed key, nor of its subject", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = path.join(directory, "log.db.keys")
      const context = yield* open(directory)
      yield* Context.get(context, EventLog).append(note(SECRET, "anna@example.org"))
      const keys = new Database(file, { readonly: true })
      const secrets = keys.prepare("SELECT secret FROM keys").pluck().all() as Array<Buffer>
      keys.close()
      expect(secrets).toHaveLength(2)
      for (const secret of secrets) expect(bytesOf(directory).includes(secret)).toBe(true)
      yield* Context.get(context, PersonalData).shred(shredding("anna@example.org"))
      for (const secret of secrets) expect(bytesOf(directory).includes(secret)).toBe(false)
      expect(bytesOf(directory).includes("anna@example.org")).toBe(false)
    }),
  )

  it.scopedLive("left behind, makes a copy of the log read as shredded, and verify", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const copy = yield* temporaryDirectory
      yield* Effect.scoped(
        Effect.flatMap(open(directory), (context) => Context.get(context, EventLog).append(note(SECRET, "anna"))),
      )
      fs.copyFileSync(path.join(directory, "log.db"), path.join(copy, "log.db"))
      const log = Context.get(yield* open(copy, { readonly: true }), EventLog)
      expect((yield* log.readPage({}, 10))[0]).toMatchObject({
        payload: { text: "[shredded]" },
        personal: { readable: false },
      })
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }),
  )

  it.scopedLive("is looked at again: what one process shreds, another that has read it cannot read any more", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const [first, second] = yield* Effect.all([open(directory), open(directory)])
      yield* Context.get(first, EventLog).append(note(SECRET, "anna"))
      const reader = Context.get(second, EventLog)
      expect((yield* reader.readPage({}, 1))[0]?.payload.text).toBe(SECRET)
      yield* Context.get(first, PersonalData).shred(shredding("anna"))
      expect((yield* reader.readPage({}, 1))[0]?.payload.text).toBe("[shredded]")
    }),
  )

  it.scopedLive(
    "a key file that was removed or replaced while the log is open keeps everything from going on with keys that nobody can find",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const file = path.join(directory, "log.db.keys")
        const log = Context.get(yield* open(directory), EventLog)
        yield* log.append(note(SECRET, "anna"))
        fs.renameSync(file, `${file}.away`)
        for (const failing of [Effect.asVoid(log.append(note(SECRET, "levin"))), Effect.asVoid(log.readPage({}, 1))]) {
          const error = yield* Effect.flip(failing)
          expect(error).toMatchObject({ _tag: "LogUnavailable" })
          expect(error.message).toContain("log.db.keys was removed or moved while the log was open")
        }
        expect((yield* log.append(note("in clear"))).position).toBe(2)
        fs.copyFileSync(`${file}.away`, file)
        expect((yield* Effect.flip(log.append(note(SECRET, "levin")))).message).toContain("replaced by another file")
        fs.renameSync(`${file}.away`, file)
        yield* log.append(note(SECRET, "levin"))
        expect((yield* log.readPage({}, 3)).map(({ payload }) => payload.text)).toEqual([SECRET, "in clear", SECRET])
      }),
  )

  it.scopedLive(
    "is not used for reading by a log that is opened without personal data, which encrypts all the same",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const filename = path.join(directory, "log.db")
        const without = Context.get(yield* Layer.build(layerSqlite({ filename, personal: false })), EventLog)
        yield* without.append(note(SECRET, "anna"))
        expect((yield* without.readPage({}, 1))[0]).toMatchObject({
          payload: { text: "[shredded]" },
          personal: { readable: false },
        })
        expect(bytesOf(directory).includes(SECRET)).toBe(false)
        const reader = Context.get(yield* open(directory), EventLog)
        expect((yield* reader.readPage({}, 1))[0]?.payload.text).toBe(SECRET)
      }),
  )

  it.scopedLive("a key file that another program is about to write to is read all the same", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(
        Effect.flatMap(open(directory), (context) => Context.get(context, EventLog).append(note(SECRET, "anna"))),
      )
      const file = path.join(directory, "log.db.keys")
      const keys = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(file)),
        (database) => Effect.sync(() => database.close()),
      )
      keys.exec("BEGIN IMMEDIATE")
      const log = Context.get(yield* open(directory), EventLog)
      expect((yield* log.readPage({}, 1))[0]?.payload.text).toBe(SECRET)
    }),
  )

  it.scopedLive("a key file that whoever made it left empty is as good as none", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(path.join(directory, "log.db.keys"), "")
      const context = yield* open(directory)
      const readonly = yield* open(directory, { readonly: true })
      expect(yield* Context.get(readonly, PersonalData).subjects).toEqual([])
      expect(yield* Context.get(readonly, Snapshots).epoch).toBe("")
      yield* Context.get(context, EventLog).append(note(SECRET, "anna"))
      expect((yield* Context.get(readonly, EventLog).readPage({}, 1))[0]?.payload.text).toBe(SECRET)
      expect((yield* Context.get(readonly, PersonalData).subjects).map(({ subject }) => subject)).toEqual(["anna"])
    }),
  )

  it.scopedLive("loses a key also while another program writes to the log: shredding waits for it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const context = yield* open(directory)
      const [log, personalData] = [Context.get(context, EventLog), Context.get(context, PersonalData)]
      yield* log.append(note(SECRET, "anna"))
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(path.join(directory, "log.db"))),
        (database) => Effect.sync(() => database.close()),
      )
      other.exec("BEGIN IMMEDIATE")
      const fiber = yield* Effect.fork(personalData.shred(shredding("anna")))
      while (!(yield* personalData.subjects)[0]?.shredding) yield* yieldToEventLoop
      other.exec("ROLLBACK")
      expect(yield* Fiber.join(fiber)).toMatchObject({ type: "PayloadShredded", position: 2 })
      expect(yield* personalData.subjects).toEqual([])
    }),
  )

  it.scopedLive("a key file of another program is refused, and nothing is appended", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const other = new Database(path.join(directory, "log.db.keys"))
      other.exec("CREATE TABLE theirs (x)")
      other.close()
      const log = Context.get(yield* open(directory), EventLog)
      const error = yield* Effect.flip(log.append(note(SECRET, "anna")))
      expect(error).toMatchObject({ _tag: "LogUnavailable" })
      expect(error.message).toContain("expected a key file of Hindcast, or none, found another database")
      expect((yield* log.head).position).toBe(0)
    }),
  )

  it.scopedLive(
    "a key of another log's subject does not make events readable, and a changed ciphertext is damage",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const context = yield* open(directory)
        const log = Context.get(context, EventLog)
        yield* log.append(note(SECRET, "anna"))
        const database = new Database(path.join(directory, "log.db"))
        database.exec(`DROP TRIGGER events_not_updated;
        UPDATE events SET payload = replace(payload, substr(payload, -12, 4), 'AAAA')`)
        database.close()
        const error = yield* Effect.flip(log.readPage({}, 1))
        expect(error).toMatchObject({ _tag: "LogCorrupt", position: 1 })
        expect(error.message).toContain("its personal fields are not what key")
        expect((yield* log.verify)._tag).toBe("Tampered")
      }),
  )
})

describe("what a type declares to be read instead of a personal field", () => {
  const types = [...Vocabulary.core.types.values()].filter(({ personal }) => Object.keys(personal).length > 0)

  it.each(types.map((type) => [type.name, type] as const))("fits the schema of %s", (_name, { payload, personal }) => {
    const { ast } = payload
    if (ast._tag !== "TypeLiteral") throw new Error("a payload's schema is a struct")
    for (const [field, value] of Object.entries(personal)) {
      const signature = ast.propertySignatures.find(({ name }) => name === field)
      if (signature === undefined) throw new Error(`there is no field ${field}`)
      expect(Schema.is(Schema.make(signature.type))(value)).toBe(true)
    }
  })
})
