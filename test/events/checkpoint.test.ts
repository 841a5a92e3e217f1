import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { afterEach, beforeEach, describe, expect, vi } from "vitest"
import { EventLog, layerSqlite, type SqliteOptions } from "../../src/events/index.ts"
import { IDLE_AFTER_MS, truncateWhenIdle } from "../../src/events/sqlite/file/checkpoint.ts"
import * as Database from "../../src/events/sqlite/file/database.ts"
import { yieldToEventLoop } from "../../src/platform/yieldToEventLoop.ts"
import { built, PACKAGE } from "../built.ts"
import * as Killable from "../killable.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (text: string) => ({
  stream: "notes",
  actor: "human:ada",
  events: [{ type: "NoteAdded" as const, payload: { about: "", text } }],
})

const burst = Effect.flatMap(EventLog, (log) =>
  Effect.forEach(Array.from({ length: 20 }), (_, index) => log.append(note(`${index} ${"x".repeat(500)}`))),
)

const walBytes = (filename: string) => fs.statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size

/** Time passes: what was due has happened, and so has what that put off to the next turn. */
const pass = (ms: number) =>
  Effect.zipRight(
    Effect.sync(() => vi.advanceTimersByTime(ms)),
    yieldToEventLoop,
  )

const aFile = Effect.map(temporaryDirectory, (directory) => path.join(directory, "log.db"))

/** A log that is open until its scope is closed. */
const openIn = (scope: Scope.Scope, options: SqliteOptions) =>
  Effect.map(Layer.buildWithScope(layerSqlite(options), scope), (context) => Context.get(context, EventLog))

const texts = (log: EventLog.Service) =>
  Effect.map(log.readPage({}, 10_000), (events) => events.map(({ payload }) => payload.text))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe("the write-ahead log", () => {
  it.scopedLive("is truncated once nothing was appended for a while, and the events are in the file", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      yield* Effect.gen(function* () {
        yield* burst
        yield* pass(IDLE_AFTER_MS - 1)
        expect(walBytes(filename)).toBeGreaterThan(10_000)
        yield* pass(IDLE_AFTER_MS + 1)
        expect(walBytes(filename)).toBe(0)
        const log = yield* EventLog
        expect(yield* texts(log)).toHaveLength(20)
        expect(yield* log.append(note("one more"))).toMatchObject({ position: 21, version: 21 })
        expect(walBytes(filename)).toBeGreaterThan(0)
        yield* pass(IDLE_AFTER_MS)
        expect(walBytes(filename)).toBe(0)
        expect(vi.getTimerCount()).toBe(0)
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("is left alone while appends go on", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        for (let time = 0; time < 10; time++) {
          yield* log.append(note(String(time)))
          yield* pass(IDLE_AFTER_MS / 2)
          expect(walBytes(filename)).toBeGreaterThan(0)
        }
        yield* pass(2 * IDLE_AFTER_MS)
        expect(walBytes(filename)).toBe(0)
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("is truncated when the log is closed, also where another process has it open", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      const scope = yield* Scope.make()
      yield* openIn(scope, { filename })
      const other = yield* Database.open(filename, { readonly: true })
      yield* Effect.provide(burst, layerSqlite({ filename }))
      expect(other.rows("SELECT count(*) FROM events")).toEqual([[20]])
      expect(walBytes(filename)).toBe(0)
      yield* Scope.close(scope, Exit.void)
    }),
  )

  it.scopedLive("stays while someone reads for long, who sees what they saw; it is truncated after", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append(note("before"))
        const reader = yield* Database.open(filename, { readonly: true })
        reader.run("BEGIN")
        const count = () => reader.rows("SELECT count(*) FROM events")[0]?.[0]
        expect(count()).toBe(1)
        yield* burst
        for (let time = 0; time < 3; time++) {
          yield* pass(IDLE_AFTER_MS)
          expect(walBytes(filename)).toBeGreaterThan(0)
          expect(count()).toBe(1)
          yield* log.append(note("meanwhile"))
        }
        reader.run("COMMIT")
        expect(count()).toBe(24)
        yield* pass(2 * IDLE_AFTER_MS)
        expect(walBytes(filename)).toBe(0)
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 24 })
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("the write-ahead log of a log that is opened for reading only is never touched", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      const writer = spawnSync(process.execPath, ["--input-type=module", "-e", diesAfter(filename, 20)], inRoot)
      expect(String(writer.stderr)).toBe("")
      expect(writer.signal).toBe("SIGKILL")
      const left = walBytes(filename)
      expect(left).toBeGreaterThan(0)
      const before = fs.readFileSync(filename)
      yield* Effect.gen(function* () {
        expect(yield* texts(yield* EventLog)).toHaveLength(20)
        yield* pass(10 * IDLE_AFTER_MS)
      }).pipe(Effect.provide(layerSqlite({ filename, readonly: true })))
      expect(walBytes(filename)).toBe(left)
      expect(fs.readFileSync(filename).equals(before)).toBe(true)
    }),
  )

  it.scopedLive("a write-ahead log that cannot be written back fails nothing, and is tried again", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      let failing = true
      const database: Database.LogDatabase = {
        filename: "log.db",
        run: () => 0,
        inTransaction: () => false,
        together: (statements) => statements(),
        rows: (sql) => {
          asked.push(sql)
          if (failing) throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_WRITE" })
          return [[0, 0, 0]]
        },
      }
      const committed = yield* truncateWhenIdle(database)
      committed()
      yield* pass(IDLE_AFTER_MS)
      expect(asked).toEqual(["PRAGMA wal_checkpoint(PASSIVE)"])
      failing = false
      yield* pass(IDLE_AFTER_MS)
      expect(asked.slice(1)).toEqual(["PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(TRUNCATE)"])
      yield* pass(10 * IDLE_AFTER_MS)
      expect(asked).toHaveLength(3)
    }),
  )

  it.scopedLive(
    "a write-ahead log to which an append came while it was written back is truncated at the next idle moment",
    () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const committed = yield* truncateWhenIdle({
          filename: "log.db",
          run: () => 0,
          inTransaction: () => false,
          together: (statements) => statements(),
          rows: (sql) => {
            asked.push(sql)
            return [[0, 0, 0]]
          },
        })
        committed()
        vi.advanceTimersByTime(IDLE_AFTER_MS)
        committed()
        yield* yieldToEventLoop
        expect(asked).toEqual(["PRAGMA wal_checkpoint(PASSIVE)"])
        yield* pass(IDLE_AFTER_MS)
        expect(asked.slice(1)).toEqual(["PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(TRUNCATE)"])
      }),
  )
})

const inRoot = { cwd: PACKAGE }

const urlOf = (module: string) => JSON.stringify(pathToFileURL(built(module)).href)

/** What every program here begins with: a log that nobody closes, and an append of one note. */
const begin = (filename: string) => `
  import { Context, Effect, Layer, Scope } from "effect"
  import { EventLog } from ${urlOf("index.js")}
  const layer = EventLog.layerSqlite({ filename: ${JSON.stringify(filename)} })
  const scope = await Effect.runPromise(Scope.make())
  const log = Context.get(await Effect.runPromise(Layer.buildWithScope(layer, scope)), EventLog.EventLog)
  const append = (text) => Effect.runPromise(log.append(
    { stream: "notes", actor: "human:eve", events: [{ type: "NoteAdded", payload: { about: "", text } }] }))
`

/** A program that appends, and is killed before it closes the log. */
const diesAfter = (filename: string, count: number) => `${begin(filename)}
  for (let index = 0; index < ${count}; index++) await append(String(index))
  process.kill(process.pid, "SIGKILL")
`

/** A program that truncates after every append, and says which it has made. */
const truncatesAlways = (filename: string, name: string, count: number) => `${begin(filename)}
  import * as Database from ${urlOf("events/sqlite/file/database.js")}
  const other = await Effect.runPromise(Scope.extend(Database.open(${JSON.stringify(filename)}, { readonly: false }), scope))
  other.run("PRAGMA busy_timeout = 0")
  for (let index = 0; index < ${count}; index++) {
    await append("${name} " + index)
    process.stdout.write(index + "\\n")
    other.rows("PRAGMA wal_checkpoint(TRUNCATE)")
  }
`

/** Runs a program to its end, or kills it once it has said so many lines. */
const run = (source: string, killAfter?: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = yield* Killable.start(["--input-type=module", "-e", source], inRoot)
      return yield* killAfter === undefined ? program.ended : Killable.killedAt(program, program.says(killAfter))
    }),
  )

describe("truncating the write-ahead log", () => {
  it.scopedLive("yields to another process that writes, and does not keep it from writing", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* burst
        const other = yield* Database.open(filename, { readonly: false })
        other.run("BEGIN IMMEDIATE")
        other.run("INSERT INTO names (text) VALUES ('theirs')")
        yield* pass(IDLE_AFTER_MS)
        expect(walBytes(filename)).toBeGreaterThan(0)
        other.run("COMMIT")
        expect(other.rows("SELECT count(*) FROM names WHERE text = 'theirs'")).toEqual([[1]])
        yield* pass(IDLE_AFTER_MS)
        expect(walBytes(filename)).toBe(0)
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 20 })
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("loses nothing where two processes append and truncate at once", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      yield* Effect.provide(Effect.void, layerSqlite({ filename }))
      const names = ["a", "b"]
      const count = 100
      const ended = yield* Effect.forEach(names, (name) => run(truncatesAlways(filename, name, count)), {
        concurrency: "unbounded",
      })
      expect(ended.map(({ lines, stderr }) => [lines.length, stderr])).toEqual(names.map(() => [count, ""]))
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 2 * count })
        const all = yield* texts(log)
        for (const name of names) {
          const own = all.filter((text) => String(text).startsWith(name))
          expect(own).toEqual(Array.from({ length: count }, (_, index) => `${name} ${index}`))
        }
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("loses nothing that was acknowledged where the process is killed in between", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      const acknowledged: Array<string> = []
      for (const [time, killAfter] of [1, 7, 20, 33, 50].entries()) {
        const { lines, stderr } = yield* run(truncatesAlways(filename, String(time), 100_000), killAfter)
        expect(stderr).toBe("")
        acknowledged.push(...lines.map((index) => `${time} ${index}`))
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
          const all = yield* texts(log)
          expect(new Set(all).size).toBe(all.length)
          expect(acknowledged.filter((text) => !all.includes(text))).toEqual([])
        }).pipe(Effect.provide(layerSqlite({ filename })))
      }
      expect(acknowledged.length).toBeGreaterThanOrEqual(111)
    }),
  )

  it.scopedLive("does not keep a process alive that left its log open", () =>
    Effect.gen(function* () {
      const filename = yield* aFile
      const source = `${begin(filename)}
        const before = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length
        await append("the last")
        console.log(process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length - before)`
      expect(yield* run(source)).toMatchObject({ code: 0, lines: ["0"], stderr: "" })
    }),
  )
})
