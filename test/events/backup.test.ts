import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { describe, expect } from "vitest"
import { backup, EventLog, layerSqlite, restore } from "../../src/events/index.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (text: string, subject?: string) => ({
  stream: "task/t",
  taskId: "t",
  actor: "tester",
  ...(subject === undefined ? {} : { subject }),
  events: [{ type: "InputReceived" as const, payload: { source: "person", content: text } }],
})

const eventsOf = (filename: string) =>
  Effect.flatMap(EventLog, (log) => log.readPage({}, 1000)).pipe(
    Effect.provide(layerSqlite({ filename, readonly: true })),
  )

/** A log with an archived part, plugins' copies and keys. */
const given = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const filename = path.join(directory, "log.db")
  yield* Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.append(note("one"))
    yield* log.append(note("two", "ann"))
    yield* log.append(note("three"))
    yield* (yield* Archive).archive({ until: 2, actor: "tester" })
  }).pipe(Effect.provide(layerSqlite({ filename })))
  fs.mkdirSync(`${filename}.plugins/sample`, { recursive: true })
  fs.writeFileSync(`${filename}.plugins/sample/plugin.ts`, "export default {}")
  fs.mkdirSync(`${filename}.plugins/sample.deno`)
  return { directory, filename, copy: path.join(directory, "copy.db") }
})

const filesOf = (directory: string, name: string) =>
  fs
    .readdirSync(directory)
    .filter((file) => file.startsWith(name))
    .sort()

describe("a backup of a log", () => {
  it.scopedLive("has its events, segments and plugins, and the keys where it is told to; for its owner alone", () =>
    Effect.gen(function* () {
      const { directory, filename, copy } = yield* given
      const found = yield* backup({ from: filename, to: copy })
      expect(found).toMatchObject({ file: copy, head: { position: 4 }, events: 4, plugins: true, keys: false })
      expect(filesOf(directory, "copy.db")).toEqual(["copy.db", "copy.db.plugins", "copy.db.segments"])
      expect(fs.readdirSync(`${copy}.plugins`)).toEqual(["sample"])
      const modes = [copy, `${copy}.segments`, ...found.segments.map((name) => path.join(`${copy}.segments`, name))]
      expect(modes.map((file) => fs.statSync(file).mode & 0o077)).toEqual([0, 0, 0])
      const withKeys = path.join(directory, "keys.db")
      expect(yield* backup({ from: filename, to: withKeys, withKeys: true })).toMatchObject({ keys: true })
      expect(yield* eventsOf(withKeys)).toEqual(yield* eventsOf(filename))
      expect(fs.statSync(`${withKeys}.keys`).mode & 0o077).toBe(0)
    }),
  )

  it.scopedLive("is made while a kernel writes, is of one moment, and holds no lease", () =>
    Effect.gen(function* () {
      const { filename, copy } = yield* given
      const context = yield* Layer.build(layerSqlite({ filename }))
      const log = Context.get(context, EventLog)
      yield* Context.get(context, Lease).acquire("writer")
      const before = (yield* log.head).position
      const writing = yield* Effect.fork(Effect.forever(log.append(note("more"))))
      const found = yield* backup({ from: filename, to: copy, withKeys: true })
      yield* Fiber.interrupt(writing)
      expect(found.head.position).toBeGreaterThanOrEqual(before)
      yield* log.append(note("last"))
      expect(yield* eventsOf(copy)).toEqual(
        (yield* log.readPage({ until: found.head.position }, 100_000)).slice(0, 1000),
      )
      const lease = yield* Effect.scoped(
        Effect.flatMap(Lease, (lease) => lease.acquire("of the copy")).pipe(
          Effect.provide(layerSqlite({ filename: copy })),
        ),
      )
      expect(lease.takenFrom).toBeNull()
    }),
  )

  it.scopedLive("replaces nothing unless it is told to, and leaves nothing where it fails", () =>
    Effect.gen(function* () {
      const { directory, filename, copy } = yield* given
      yield* backup({ from: filename, to: copy })
      const refused = yield* Effect.flip(backup({ from: filename, to: copy }))
      expect(refused.message).toContain(`expected no file of that name yet, found ${copy}`)
      expect((yield* Effect.flip(backup({ from: filename, to: filename, replace: true })))._tag).toBe("NotCopied")
      yield* backup({ from: filename, to: copy, replace: true })
      for (const name of fs.readdirSync(`${filename}.segments`)) fs.rmSync(path.join(`${filename}.segments`, name))
      const lost = path.join(directory, "lost.db")
      yield* Effect.flip(backup({ from: filename, to: lost }))
      expect(filesOf(directory, "lost.db")).toEqual([])
      expect((yield* Effect.flip(backup({ from: path.join(directory, "none.db"), to: lost })))._tag).toBe(
        "LogUnavailable",
      )
      // What is damaged is not brought back.
      fs.rmSync(`${copy}.segments`, { recursive: true })
      yield* Effect.flip(restore({ from: copy, to: lost }))
      expect(filesOf(directory, "lost.db")).toEqual([])
    }),
  )
})

describe("a copy that another program makes by SQLite", () => {
  it.scopedLive("is intact with its segments: by its backup, or by VACUUM INTO", () =>
    Effect.gen(function* () {
      const { directory, filename } = yield* given
      const copies = ["backup.db", "vacuum.db"].map((name) => path.join(directory, name))
      yield* Effect.promise(async () => {
        const database = new Database(filename, { readonly: true })
        await database.backup(String(copies[0]))
        database.prepare("VACUUM INTO ?").run(copies[1])
        database.close()
      })
      for (const copy of copies) {
        fs.cpSync(`${filename}.segments`, `${copy}.segments`, { recursive: true })
        expect(
          yield* Effect.flatMap(EventLog, ({ verify }) => verify).pipe(
            Effect.provide(layerSqlite({ filename: copy, readonly: true })),
          ),
        ).toMatchObject({ _tag: "Intact", head: { position: 4 } })
        // It is a backup as good as one of `log backup`.
        expect(yield* restore({ from: copy, to: `${copy}.back` })).toMatchObject({ events: 4, segments: { length: 1 } })
      }
    }),
  )
})

describe("what is no backup", () => {
  it.scopedLive(
    "is not brought back, and the log that is there stays: a part of one, another database, a text, a directory",
    () =>
      Effect.gen(function* () {
        const { directory, filename, copy } = yield* given
        yield* backup({ from: filename, to: copy })
        const file = (name: string) => path.join(directory, name)
        fs.writeFileSync(file("part.db"), fs.readFileSync(copy).subarray(0, 20_000))
        fs.cpSync(`${copy}.segments`, file("part.db.segments"), { recursive: true })
        fs.writeFileSync(file("text.db"), "Dear Sir or Madam")
        fs.writeFileSync(file("empty.db"), "")
        fs.mkdirSync(file("directory.db"))
        const other = new Database(file("other.db"))
        other.exec("CREATE TABLE theirs (a)")
        other.close()
        const before = fs.readFileSync(filename)
        const refused = (name: string) =>
          Effect.map(Effect.flip(restore({ from: file(name), to: filename, replace: true })), ({ message }) => message)
        // The error is about the backup, and so is the command that it names.
        expect(yield* refused("part.db")).toContain(`\`hindcast log doctor --log ${file("part.db")}\``)
        expect(yield* refused("text.db")).toContain("a file that SQLite cannot read")
        expect(yield* refused("empty.db")).toContain("an empty database")
        expect(yield* refused("other.db")).toContain("another program")
        expect(yield* refused("directory.db")).toContain(file("directory.db"))
        expect(fs.readFileSync(filename).equals(before)).toBe(true)
        expect(filesOf(directory, "log.db").filter((name) => /replaced|partial/.test(name))).toEqual([])
      }),
  )
})

describe("a backup that is brought back", () => {
  it.scopedLive("leaves the log its keys and plugins if it has none of its own, and takes them if it has", () =>
    Effect.gen(function* () {
      const { directory, filename, copy } = yield* given
      yield* backup({ from: filename, to: copy })
      fs.rmSync(`${copy}.plugins`, { recursive: true })
      const [before, keys] = [yield* eventsOf(filename), fs.readFileSync(`${filename}.keys`)]
      yield* restore({ from: copy, to: filename, replace: true })
      expect(yield* eventsOf(filename)).toEqual(before)
      expect(fs.readFileSync(`${filename}.keys`).equals(keys)).toBe(true)
      expect(fs.readdirSync(`${filename}.plugins`)).toContain("sample")
      // Also where the log itself was lost.
      for (const suffix of ["", "-wal", "-shm", ".segments"])
        fs.rmSync(filename + suffix, { recursive: true, force: true })
      yield* restore({ from: copy, to: filename })
      expect(yield* eventsOf(filename)).toEqual(before)
      // A backup with keys replaces them, and only where it is told to.
      yield* backup({ from: filename, to: copy, withKeys: true, replace: true })
      for (const name of filesOf(directory, "log.db")) {
        if (name !== "log.db.keys") fs.rmSync(path.join(directory, name), { recursive: true })
      }
      const refused = yield* Effect.flip(restore({ from: copy, to: filename, withKeys: true }))
      expect(refused.message).toContain(`found ${filename}.keys. To replace it, pass \`--replace\``)
      yield* restore({ from: copy, to: filename, withKeys: true, replace: true })
      expect(yield* eventsOf(filename)).toEqual(before)
    }),
  )

  it.scopedLive("is the log as it was, also in the place of a damaged one", () =>
    Effect.gen(function* () {
      const { directory, filename, copy } = yield* given
      const before = yield* eventsOf(filename)
      yield* backup({ from: filename, to: copy, withKeys: true })
      fs.writeFileSync(filename, Buffer.alloc(20_000, 7))
      yield* restore({ from: copy, to: filename, withKeys: true, replace: true })
      expect(yield* eventsOf(filename)).toEqual(before)
      expect(filesOf(directory, "log.db").filter((name) => /replaced|partial/.test(name))).toEqual([])
    }),
  )

  it.scopedLive("takes no log's place that a kernel holds, or that a process has open", () =>
    Effect.gen(function* () {
      const { filename, copy } = yield* given
      yield* backup({ from: filename, to: copy })
      const context = yield* Layer.build(layerSqlite({ filename }))
      const restoring = restore({ from: copy, to: filename, replace: true })
      expect((yield* Effect.flip(restoring)).message).toContain("no process that has the log to be replaced open")
      yield* Context.get(context, Lease).acquire("holder")
      expect((yield* Effect.flip(restoring))._tag).toBe("LeaseHeld")
      yield* Context.get(context, EventLog).append(note("goes on"))
      expect(yield* Context.get(context, EventLog).verify).toMatchObject({ _tag: "Intact" })
    }),
  )
})
