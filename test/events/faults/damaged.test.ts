import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Cause, Context, Effect, Either, Exit, Layer, Scope, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import { Database } from "../../sqlite.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { EVENTS, smallLog } from "../smallLog.ts"
import { framesOf } from "./wal.ts"

const note = (text: string, count = 1) => ({
  stream: "a",
  actor: "human:test",
  events: Array.from({ length: count }, () => ({ type: "NoteAdded" as const, payload: { about: "", text } })),
})

/** Opens a log, reads all of it, verifies it, and appends. */
const use = (filename: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events = [...(yield* Stream.runCollect(log.read()))]
    const verdict = yield* log.verify
    return { events, verdict, appended: yield* log.append(note("more")) }
  }).pipe(Effect.provide(layerSqlite({ filename })))

/** What can be expected of whoever uses a damaged log: an answer or a typed error. A defect fails the test. */
const answerOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.exit(Effect.either(effect)), (exit) => {
    if (Exit.isFailure(exit)) throw new Error(`a defect: ${Cause.pretty(exit.cause)}`)
    return exit.value
  })

describe("a log with a page that was overwritten", () => {
  it.scopedLive.each([
    ["zeros", 0x00],
    ["ones", 0xff],
  ] as const)(
    "a log with a page that was overwritten by %s: whichever it is, what can be read is what was written, and the rest is a typed error",
    ([, byte]) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const original = fs.readFileSync(filename)
        const { events } = yield* use(filename)
        const pageBytes = original.readUInt16BE(16)
        const found = new Map<string, number>()
        for (let start = 0; start < original.length; start += pageBytes) {
          const bytes = Buffer.from(original)
          bytes.fill(byte, start, start + pageBytes)
          fs.writeFileSync(filename, bytes)
          const answer = yield* answerOf(use(filename))
          if (Either.isLeft(answer)) {
            expect(answer.left.message).toContain(
              start === 0
                ? "expected a Hindcast log"
                : "to see what is damaged, which events are intact, and what to do",
            )
          } else if (answer.right.verdict._tag === "Intact") {
            expect(answer.right.events).toEqual(events)
            expect(answer.right.appended.position).toBe(EVENTS + 1)
          }
          const outcome = Either.match(answer, { onLeft: ({ _tag }) => _tag, onRight: ({ verdict }) => verdict._tag })
          found.set(outcome, (found.get(outcome) ?? 0) + 1)
        }
        // The header is one page; the damage of most others shows.
        expect(found.get("LogFormatUnsupported")).toBe(1)
        expect(found.get("LogCorrupt")).toBeGreaterThan(4)
      }),
  )

  it.scopedLive("refuses to append where the page that an event belongs in is damaged, and writes nothing", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const database = new Database(filename, { readonly: true })
      const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events_by_type'").pluck().get()
      const pageBytes = Number(database.pragma("page_size", { simple: true }))
      database.close()
      const bytes = fs.readFileSync(filename)
      bytes.fill(0xff, (Number(page) - 1) * pageBytes, Number(page) * pageBytes)
      fs.writeFileSync(filename, bytes)
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        for (const request of [note("x"), note("x", 100)]) {
          const error = yield* Effect.flip(log.append(request))
          expect(error._tag).toBe("LogCorrupt")
          expect(error.message).toContain("`hindcast log doctor --log ")
        }
        expect((yield* log.head).position).toBe(EVENTS)
        // What was acknowledged does not stand on that page.
        expect(yield* log.verifyWith({ quick: true })).toMatchObject({ _tag: "Intact", events: EVENTS })
        expect(yield* log.verify).toMatchObject({ _tag: "Tampered", kind: "pages damaged" })
        expect(yield* log.readPage({}, 100)).toHaveLength(EVENTS)
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("a log with a page that was overwritten by another of the log's own pages is found out", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const original = fs.readFileSync(filename)
      const pageBytes = original.readUInt16BE(16)
      const database = new Database(filename, { readonly: true })
      const roots = database.prepare("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0").raw().all()
      database.close()
      const offsetOf = (wanted: string) =>
        (Number(roots.map((row) => row as ReadonlyArray<unknown>).find(([name]) => name === wanted)?.[1]) - 1) *
        pageBytes
      const bytes = Buffer.from(original)
      original.copy(bytes, offsetOf("events"), offsetOf("names"), offsetOf("names") + pageBytes)
      fs.writeFileSync(filename, bytes)
      const answer = yield* answerOf(use(filename))
      expect(Either.isLeft(answer) || answer.right.verdict._tag === "Tampered").toBe(true)
    }),
  )
})

describe("a log that was cut short", () => {
  it.scopedLive(
    "a log that was cut short by some pages: what is read is what was written, and the rest is a typed error",
    () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const original = fs.readFileSync(filename)
        const { events } = yield* use(filename)
        const pageBytes = original.readUInt16BE(16)
        for (let length = original.length - pageBytes; length > 0; length -= pageBytes) {
          fs.writeFileSync(filename, original.subarray(0, length))
          const answer = yield* answerOf(use(filename))
          if (Either.isLeft(answer)) expect(answer.left._tag).toBe("LogCorrupt")
          else if (answer.right.verdict._tag === "Intact") expect(answer.right.events).toEqual(events)
        }
        // All that is left of it is half a header.
        fs.writeFileSync(filename, original.subarray(0, 50))
        const answer = yield* answerOf(use(filename))
        expect(Either.isLeft(answer) && answer.left._tag).toBe("LogFormatUnsupported")
      }),
  )
})

/** A log as a killed process leaves it: all events are in the write-ahead log. Tells how long that was after each append. */
const killed = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const filename = path.join(directory, "log.db")
  return yield* Effect.gen(function* () {
    const log = yield* EventLog
    const lengths: Array<{ readonly events: number; readonly bytes: number }> = []
    for (const count of [1, 3, 1, 70, 1, 1, 5, 1]) {
      const { position } = yield* log.append(note("x".repeat(900), count))
      lengths.push({ events: position, bytes: fs.statSync(`${filename}-wal`).size })
    }
    const events = yield* log.readPage({}, 1000)
    const files = ["", "-wal"].map((suffix) => ({ suffix, bytes: fs.readFileSync(filename + suffix) }))
    const ends = framesOf(filename).map(({ end }) => end)
    return { lengths, events, files, ends, anchor: yield* log.head }
  }).pipe(Effect.provide(layerSqlite({ filename })))
})

describe("a write-ahead log that was cut short", () => {
  it.scopedLive(
    "a write-ahead log that was cut short before the log is opened: every append that is whole in it is there, and none in part",
    () =>
      Effect.gen(function* () {
        const { lengths, events, files, ends, anchor } = yield* killed
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const commits = lengths.flatMap(({ bytes }) => [bytes - 1, bytes, bytes + 1])
        const between = ends.filter((_, index) => index % 4 === 0).flatMap((end) => [end, end + 4000])
        for (const cut of [0, 20, 32, ...commits, ...between]) {
          for (const { suffix, bytes } of files) {
            fs.writeFileSync(filename + suffix, suffix === "" ? bytes : bytes.subarray(0, cut))
          }
          fs.rmSync(`${filename}-shm`, { force: true })
          const whole = lengths.findLast(({ bytes }) => bytes <= cut)?.events ?? 0
          const found = yield* Effect.gen(function* () {
            const log = yield* EventLog
            expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: whole })
            // That some are gone, nothing in the files can tell; a position and hash kept elsewhere does.
            expect(yield* log.verifyWith({ anchor })).toMatchObject(
              whole === anchor.position ? { _tag: "Intact" } : { _tag: "Tampered", kind: "head changed" },
            )
            const found = yield* log.readPage({}, 1000)
            expect(yield* log.append(note("more"))).toMatchObject({ position: whole + 1, version: whole + 1 })
            return found
          }).pipe(Effect.provide(layerSqlite({ filename })))
          expect(found).toEqual(events.slice(0, whole))
        }
      }),
  )

  it.scopedLive.each([
    ["to nothing", () => 0],
    ["in its header", () => 20],
    ["in the middle", (size: number) => Math.floor(size / 2)],
    ["by its last byte", (size: number) => size - 1],
  ] as const)(
    "%s while the log is open: nothing more is acknowledged, and nothing that is left is destroyed",
    ([, cutTo]) =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const wal = `${filename}-wal`
        const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
        const log = Context.get(yield* Layer.buildWithScope(layerSqlite({ filename }), scope), EventLog)
        const lengths: Array<{ readonly events: number; readonly bytes: number }> = []
        for (let index = 0; index < 20; index++) {
          const { position } = yield* log.append(note("x".repeat(2000)))
          lengths.push({ events: position, bytes: fs.statSync(wal).size })
        }
        const events = yield* log.readPage({}, 100)
        const size = fs.statSync(wal).size
        const cut = cutTo(size)
        fs.truncateSync(wal, cut)
        const dispatch = { ...note(""), events: [{ type: "CommandDispatched" as const, payload: { commandId: "c" } }] }
        for (const request of [note("x"), dispatch, note("x", 100), note("x".repeat(400_000))]) {
          const error = yield* Effect.flip(log.append(request))
          expect(error._tag).toBe("LogCorrupt")
          expect(error.message).toContain(
            `log.db-wal was cut short while the log was open: expected at least ${size} bytes, found ${cut}. Nothing more is appended`,
          )
          expect(error.message).toContain("end every process that has the log open")
        }
        expect(fs.statSync(wal).size).toBe(cut)
        yield* Scope.close(scope, Exit.void)

        const whole = lengths.findLast(({ bytes }) => bytes <= cut)?.events ?? 0
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: whole })
          expect(yield* log.readPage({}, 100)).toEqual(events.slice(0, whole))
          expect(yield* log.append(note("more"))).toMatchObject({ position: whole + 1 })
        }).pipe(Effect.provide(layerSqlite({ filename })))
        const database = new Database(filename, { readonly: true })
        expect(database.pragma("integrity_check", { simple: true })).toBe("ok")
        database.close()
      }),
  )

  it.scopedLive(
    "a write-ahead log that was cut short by whoever has written all of it back to the log's file: appends go on",
    () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          const other = yield* Effect.acquireRelease(
            Effect.sync(() => new Database(filename)),
            (other) => Effect.sync(() => other.close()),
          )
          for (let round = 1; round <= 20; round++) {
            expect(yield* log.append(note("x".repeat(2000)))).toMatchObject({ position: round })
            expect(other.pragma("wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }])
            expect(fs.statSync(`${filename}-wal`).size).toBe(0)
          }
          expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 20 })
        }).pipe(Effect.provide(layerSqlite({ filename })))
      }),
  )
})
