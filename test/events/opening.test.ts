import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, Exact, layerSqlite, NoStream, type SqliteOptions } from "../../src/events/index.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const open = (filename: string, options: Omit<SqliteOptions, "filename"> = {}) =>
  Effect.flatMap(EventLog, (log) => log.head).pipe(Effect.provide(layerSqlite({ filename, ...options })))

const note = {
  stream: "a",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "", text: "" } }],
}

describe("opening a log", () => {
  it.scopedLive("makes the file and its directory", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "deep", "er", "log.db")
      expect((yield* open(filename)).position).toBe(0)
      expect(fs.existsSync(filename)).toBe(true)
    }),
  )

  it.scopedLive("refuses a path below a file, to write and to read, and names both", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "notes.txt")
      fs.writeFileSync(file, "Dear diary")
      for (const filename of [path.join(file, "log.db"), path.join(file, "deep", "er", "log.db")]) {
        for (const readonly of [false, true]) {
          const error = yield* Effect.flip(open(filename, { readonly }))
          expect([error._tag, "log" in error && error.log]).toEqual(["LogUnavailable", filename])
          expect(error.message).toContain("not a directory")
        }
      }
      expect(fs.readFileSync(file, "utf8")).toBe("Dear diary")
    }),
  )

  it.runIf(process.platform === "linux")("refuses a path whose directory cannot be made", async () => {
    const error = await Effect.runPromise(Effect.flip(open("/proc/none/deep/log.db")))
    expect(error._tag).toBe("LogUnavailable")
    expect(error.message).toContain("its directory cannot be made")
  })

  it.scopedLive("refuses a file that is not SQLite, and leaves it as it is", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "notes.txt")
      const text = "Dear diary, this is no database. ".repeat(100)
      fs.writeFileSync(filename, text)
      const error = yield* Effect.flip(open(filename))
      expect(error._tag).toBe("LogFormatUnsupported")
      expect(error.message).toContain("expected a Hindcast log, found a file that SQLite cannot read")
      expect(fs.readFileSync(filename, "utf8")).toBe(text)
    }),
  )

  it.scopedLive("refuses another program's database, and leaves it as it is", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "other.db")
      const other = new Database(filename)
      other.exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
      other.close()
      const before = fs.readFileSync(filename)
      const error = yield* Effect.flip(open(filename))
      expect(error.message).toContain("found an SQLite database of another program")
      expect(fs.readFileSync(filename).equals(before)).toBe(true)
    }),
  )

  it.scopedLive("refuses a log of a newer format, and says to update", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* open(filename)
      const newer = new Database(filename)
      newer.pragma("user_version = 99")
      newer.close()
      const error = yield* Effect.flip(open(filename))
      expect(error.message).toContain("format 99, where this version knows format 2; update Hindcast")
    }),
  )

  it.scopedLive("opening a log for reading only creates nothing and refuses appends", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const missing = yield* Effect.flip(open(filename, { readonly: true }))
      expect(missing.message).toContain("there is no such file")
      expect(fs.existsSync(filename)).toBe(false)
      yield* open(filename)
      const error = yield* Effect.flatMap(EventLog, (log) => Effect.flip(log.append(note))).pipe(
        Effect.provide(layerSqlite({ filename, readonly: true })),
      )
      expect(error.message).toContain("it was opened for reading only")
    }),
  )

  it.scopedLive("finds what was appended before, and goes on from there", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const append = Effect.flatMap(EventLog, (log) => log.append(note)).pipe(Effect.provide(layerSqlite({ filename })))
      expect((yield* append).position).toBe(1)
      expect(yield* append).toMatchObject({ position: 2, version: 2 })
      const verified = yield* Effect.flatMap(EventLog, (log) => log.verify).pipe(
        Effect.provide(layerSqlite({ filename })),
      )
      expect(verified).toMatchObject({ _tag: "Intact", events: 2 })
    }),
  )

  it.scopedLive("twice in one process: who read the other's events can append after them", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const logOf = Effect.map(Layer.build(layerSqlite({ filename })), Context.get(EventLog))
      const [first, second] = yield* Effect.all([logOf, logOf])
      yield* first.append({ ...note, expected: NoStream })
      yield* second.append({ ...note, expected: Exact(1) })
      const seen = (yield* first.readPage({ stream: "a" }, 10)).length
      expect(yield* first.append({ ...note, expected: Exact(seen) })).toMatchObject({ position: 3, version: 3 })
      const stale = yield* Effect.flip(second.append({ ...note, expected: Exact(2) }))
      expect(stale).toMatchObject({ _tag: "VersionConflict", actual: 3, missed: [{ version: 3 }] })
    }),
  )

  it.scopedLive("twice in one process: both writers append, and each sees the other's events", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const appendMany = (name: string) =>
        Effect.flatMap(EventLog, (log) =>
          Effect.forEach(Array.from({ length: 100 }), () => log.append({ ...note, stream: name }), { concurrency: 4 }),
        ).pipe(Effect.provide(layerSqlite({ filename })))
      yield* Effect.all([appendMany("a"), appendMany("b"), appendMany("both"), appendMany("both")], {
        concurrency: "unbounded",
      })
      const log = yield* Effect.provide(
        Effect.flatMap(EventLog, (log) => Effect.all([log.verify, log.readPage({ stream: "both" }, 1000)])),
        layerSqlite({ filename }),
      )
      expect(log[0]).toMatchObject({ _tag: "Intact", events: 400 })
      expect(log[1].map((event) => event.version)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
    }),
  )
})

describe.runIf(process.platform !== "win32")("a pipe, a device or a link that somebody put", () => {
  it.scopedLive.each(["", "-wal", "-shm", "-journal"])(
    "in the place of log.db%s is refused, and nothing waits for it",
    (suffix) =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        yield* open(filename)
        const other = path.join(path.dirname(filename), "other")
        fs.writeFileSync(other, "mine")
        for (const [what, put] of [
          ["a pipe", () => execFileSync("mkfifo", [`${filename}${suffix}`])],
          ...(suffix === "" ? [] : ([["a link", () => fs.symlinkSync(other, `${filename}${suffix}`)]] as const)),
        ] as const) {
          fs.rmSync(`${filename}${suffix}`, { force: true })
          put()
          for (const readonly of [true, false]) {
            const refused = yield* Effect.flip(open(filename, { readonly }))
            expect(refused).toMatchObject({ _tag: "LogUnavailable", message: expect.stringContaining(`is ${what}`) })
          }
        }
        expect(fs.readFileSync(other, "utf8")).toBe("mine")
      }),
  )

  it.scopedLive("in the place of a segment is refused when the log is opened or read", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* open(filename)
      const database = new Database(filename)
      const bytes = (length: number) => Buffer.alloc(length)
      database.prepare("INSERT INTO segments VALUES (1, 10, 's.db', ?, ?, ?, 0)").run(bytes(32), bytes(16), bytes(16))
      database.close()
      fs.mkdirSync(`${filename}.segments`)
      execFileSync("mkfifo", [path.join(`${filename}.segments`, "s.db")])
      const reading = Effect.flatMap(EventLog, (log) => log.readPage({}, 5)).pipe(
        Effect.provide(layerSqlite({ filename, readonly: true })),
      )
      expect((yield* Effect.flip(reading)).message).toContain("is a pipe")
    }),
  )
})
