import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Scope, Stream, TestClock } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import { Lease } from "../../../src/events/log/Lease.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { EVENTS, smallLog } from "../smallLog.ts"
import * as child from "./child.ts"

const text = { type: "NoteAdded" as const, payload: { about: "", text: "" } }

const note = { stream: "a", actor: "human:test", events: [text] }

const dispatch = { ...note, events: [{ type: "CommandDispatched" as const, payload: { commandId: "c" } }] }

/**
 * A log of seven events, open for appending until `close`; the eighth was appended while it was open. `logged` is what the
 * program's log says.
 */
const openLog = (filename: string) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => logged.push(String(message)))
    const layer = Layer.provide(layerSqlite({ filename }), Logger.replace(Logger.defaultLogger, logger))
    const log = Context.get(yield* Layer.buildWithScope(layer, scope), EventLog)
    expect(yield* log.append(note)).toMatchObject({ position: EVENTS + 1 })
    return { log, close: Scope.close(scope, Exit.void), logged }
  })

/** How many events another program finds in the log. */
const eventsIn = (filename: string) =>
  Effect.flatMap(EventLog, (log) => log.verify).pipe(Effect.provide(layerSqlite({ filename })))

describe("a log whose file is removed while it is open", () => {
  it.scopedLive.each([
    ["removed", (filename: string) => fs.unlinkSync(filename), "log.db was removed or moved while the log was open"],
    [
      "moved away",
      (filename: string) => fs.renameSync(filename, `${filename}.away`),
      "log.db was removed or moved while the log was open",
    ],
    [
      "replaced by a copy",
      (filename: string) => {
        fs.copyFileSync(filename, `${filename}.copy`)
        fs.renameSync(`${filename}.copy`, filename)
      },
      "log.db was replaced by another file while the log was open",
    ],
    [
      "removed with its directory",
      (filename: string) => fs.rmSync(path.dirname(filename), { recursive: true }),
      "log.db was removed or moved while the log was open",
    ],
    [
      "moved with its directory, and another made in its place",
      (filename: string) => {
        fs.renameSync(path.dirname(filename), `${path.dirname(filename)}.away`)
        fs.cpSync(`${path.dirname(filename)}.away`, path.dirname(filename), { recursive: true })
      },
      "log.db was replaced by another file while the log was open",
    ],
  ] as const)("acknowledges nothing more, and says what to do: %s", ([, remove, said]) =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => fs.rmSync(`${path.dirname(filename)}.away`, { recursive: true, force: true })),
      )
      const { log } = yield* openLog(filename)
      remove(filename)
      for (const request of [note, dispatch, { ...note, events: Array.from({ length: 100 }, () => text) }]) {
        const error = yield* Effect.flip(log.append(request))
        expect(error._tag).toBe("LogUnavailable")
        expect(error.message).toContain(said)
        expect(error.message).toContain("Put it back, or restore a copy, and open the log again")
      }
    }),
  )

  it.scopedLive("neither reads nor follows what is there no more", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const { log } = yield* openLog(filename)
      const followed = yield* Effect.fork(Effect.flip(Stream.runDrain(log.follow())))
      fs.unlinkSync(filename)
      expect((yield* followed).message).toContain("log.db was removed or moved")
      expect((yield* Effect.flip(log.head)).message).toContain("log.db was removed or moved")
    }),
  )

  it.scopedLive("goes on once the file is back in its place, with nothing lost", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const { log, close } = yield* openLog(filename)
      fs.renameSync(filename, `${filename}.away`)
      expect((yield* Effect.flip(log.append(note)))._tag).toBe("LogUnavailable")
      fs.renameSync(`${filename}.away`, filename)
      expect(yield* log.append(note)).toMatchObject({ position: EVENTS + 2 })
      yield* close
      expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 2 })
    }),
  )

  it.scopedLive("keeps what it wrote where the -wal is removed, if it comes to an end", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const { log, close } = yield* openLog(filename)
      fs.unlinkSync(`${filename}-wal`)
      const error = yield* Effect.flip(log.append(note))
      expect(error._tag).toBe("LogUnavailable")
      expect(error.message).toContain("log.db-wal was removed or moved while the log was open")
      expect(error.message).toContain("Let every process that has the log open exit by itself")
      yield* close
      expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 1 })
    }),
  )

  it.scopedLive("does not write over what another process appended after the -shm was removed", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const { log } = yield* openLog(filename)
      fs.unlinkSync(`${filename}-shm`)
      expect((yield* Effect.flip(Effect.provide(EventLog, layerSqlite({ filename })))).message).toContain(
        "log.db-shm was",
      )
      // Another process makes a -shm of its own, of which this one knows nothing.
      const append = Effect.flatMap(child.start("one", { filename, request: note }), ({ ended }) => ended)
      expect(yield* append).toMatchObject({ stderr: "", code: 0, lines: [String(EVENTS + 2)] })
      const error = yield* Effect.flip(log.append(note))
      expect(error.message).toMatch(
        /log\.db-shm was (removed or moved|replaced by another file) while the log was open/,
      )
      expect(error.message).toContain("end this one first, then all others, and open the log again")
      expect(yield* append).toMatchObject({ stderr: "", code: 0, lines: [String(EVENTS + 3)] })
    }),
  )

  it.scopedLive(
    "cuts nothing off that another process appended after the -shm was removed, when it is idle or closes",
    () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const { close } = yield* openLog(filename)
        fs.unlinkSync(`${filename}-shm`)
        // It is killed, so that what it appended is in the -wal alone.
        const killed = { filename, request: note, unacknowledged: true }
        const append = Effect.flatMap(child.start("one", killed), ({ ended }) => ended)
        expect(yield* append).toMatchObject({ stderr: "", signal: "SIGKILL" })
        const { size } = fs.statSync(`${filename}-wal`)
        expect(size).toBeGreaterThan(0)
        yield* Effect.sleep("2500 millis")
        expect(fs.statSync(`${filename}-wal`).size).toBe(size)
        yield* close
        expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 2 })
      }),
  )

  it.scopedLive("notices it also long after, when the directory was quiet", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const { log } = yield* openLog(filename)
      yield* Effect.sleep("2200 millis")
      expect(yield* log.append(note)).toMatchObject({ position: EVENTS + 2 })
      fs.unlinkSync(filename)
      expect((yield* Effect.flip(log.append(note)))._tag).toBe("LogUnavailable")
    }),
  )
})

/** Another process appends so many events, and closes the log or is killed. */
const appendElsewhere = (filename: string, count: number, end: "closes" | "is killed") =>
  Effect.gen(function* () {
    const request = { ...note, events: Array.from({ length: count }, () => text) }
    const input = { filename, request, unacknowledged: end === "is killed" }
    const ended = yield* Effect.flatMap(child.start("one", input), ({ ended }) => ended)
    expect(ended).toMatchObject(end === "closes" ? { stderr: "", code: 0 } : { stderr: "", signal: "SIGKILL" })
  }).pipe(Effect.scoped)

const remove = (filename: string, ...suffixes: ReadonlyArray<string>) => {
  for (const suffix of suffixes) fs.unlinkSync(filename + suffix)
}

const filesBeside = (filename: string) =>
  fs.readdirSync(path.dirname(filename)).filter((name) => name !== "log.db.snapshot-key")

describe("a log whose -shm or -wal is removed while it is open, and that another process opens then", () => {
  it.scoped("a lease neither beats nor is taken, confirmed or released over what the others appended", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const leases = Context.get(yield* Layer.buildWithScope(layerSqlite({ filename }), scope), Lease)
      const { check } = yield* Scope.extend(leases.acquire("kernel"), scope)
      remove(filename, "-shm")
      for (const _ of [1, 2, 3]) {
        yield* appendElsewhere(filename, 5, "is killed")
        for (const _ of [1, 2, 3]) yield* TestClock.adjust("1 second")
      }
      expect(yield* child.report("attempt", { filename, readonly: true })).toEqual({ position: EVENTS + 15 })
      for (const refused of [Effect.flip(check), Effect.flip(Effect.scoped(leases.acquire("another")))]) {
        const error = yield* refused
        expect(error._tag).toBe("LogUnavailable")
        expect(error.message).toContain("log.db-shm was replaced by another file while the log was open")
      }
      yield* Scope.close(scope, Exit.void)
      expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 15 })
    }),
  )

  it.scopedLive("a file that looks like a kept -wal is neither adopted nor touched", () =>
    Effect.gen(function* () {
      const [filename, foreign] = [yield* smallLog, yield* smallLog]
      yield* appendElsewhere(foreign, 3, "is killed")
      const planted = `${filename}-wal.${process.pid}.kept`
      const { close } = yield* openLog(filename)
      fs.copyFileSync(`${foreign}-wal`, planted)
      yield* close
      expect(fs.readFileSync(planted)).toEqual(fs.readFileSync(`${foreign}-wal`))
      expect(filesBeside(filename)).toEqual(["log.db", path.basename(planted)])
      expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 1 })
    }),
  )

  it.scopedLive(
    "loses nothing where one process closed the log and the next was killed, before the first closes it",
    () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const { log, close, logged } = yield* openLog(filename)
        yield* log.append({ ...note, events: Array.from({ length: 50 }, () => text) })
        remove(filename, "-shm")
        yield* appendElsewhere(filename, 2, "closes")
        yield* appendElsewhere(filename, 200, "is killed")
        yield* close
        expect(logged).toEqual([])
        expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 253 })
        expect(filesBeside(filename)).toEqual(["log.db"])
      }),
  )

  it.scopedLive.each(["is killed", "closes"] as const)(
    "with both files removed, the log of a process that %s is left as it is, and what cannot be added is reported",
    (end) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const { close, logged } = yield* openLog(filename)
        remove(filename, "-wal", "-shm")
        yield* appendElsewhere(filename, 3, end)
        yield* close
        expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 3 })
        expect(logged.join()).toContain(
          "The -wal of a log was removed while it was open, and another process has opened the log since",
        )
        expect(logged.join()).toContain(`The last event that it knew was at position ${EVENTS + 1}`)
        expect(logged.join()).toContain(filename)
      }),
  )

  it.scopedLive.each(["nobody has opened the log since", "others only looked into the log since"])(
    "with both files removed, what was appended before is written back where %s",
    (since) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const { close, logged } = yield* openLog(filename)
        remove(filename, "-wal", "-shm")
        if (since.startsWith("others")) {
          const seen = yield* child.report("attempt", { filename, readonly: true })
          expect(seen).toEqual({ position: EVENTS })
          expect(filesBeside(filename)).toEqual(["log.db", "log.db-shm", "log.db-wal"])
        }
        yield* close
        expect(logged).toEqual([])
        expect(filesBeside(filename)).toEqual(["log.db"])
        expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 1 })
      }),
  )

  it.scopedLive("loses nothing that a process acknowledges that has the log open while the first closes it", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const { close, logged } = yield* openLog(filename)
      remove(filename, "-shm")
      const appender = yield* child.start("appender", { filename, seed: 1, from: [0] })
      yield* Effect.race(appender.speaks, appender.ended)
      yield* close
      expect(logged).toEqual([])
      yield* appender.kill
      const { lines, stderr } = yield* appender.ended
      expect(stderr).toBe("")
      const acknowledged = Number(lines.at(-1)?.split(" ")[2])
      expect(acknowledged).toBeGreaterThan(EVENTS + 1)
      const found = yield* eventsIn(filename)
      expect(found._tag).toBe("Intact")
      expect(found._tag === "Intact" && found.events).toBeGreaterThanOrEqual(acknowledged)
    }),
  )

  it.scopedLive("a log that was opened by a link is closed as carefully", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const link = path.join(yield* temporaryDirectory, "link.db")
      fs.symlinkSync(filename, link)
      const { close } = yield* openLog(link)
      remove(filename, "-shm")
      yield* appendElsewhere(link, 3, "closes")
      yield* appendElsewhere(filename, 100, "is killed")
      yield* close
      expect(yield* eventsIn(link)).toMatchObject({ _tag: "Intact", events: EVENTS + 104 })
    }),
  )

  it.scopedLive.each(["in their order", "in the reverse order"])(
    "loses nothing where this process has it open twice, and closes both %s",
    (order) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const first = yield* openLog(filename)
        const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
        yield* Layer.buildWithScope(layerSqlite({ filename }), scope)
        remove(filename, "-shm")
        yield* appendElsewhere(filename, 3, "closes")
        yield* appendElsewhere(filename, 100, "is killed")
        const closings = [first.close, Scope.close(scope, Exit.void)]
        for (const close of order === "in their order" ? closings : closings.reverse()) yield* close
        expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 104 })
      }),
  )

  it.scopedLive.each([{ readonly: false }, { readonly: true }])(
    "is not opened once more by this process, which would use the removed -shm: %o",
    ({ readonly }) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const { close } = yield* openLog(filename)
        remove(filename, "-shm")
        yield* appendElsewhere(filename, 3, "is killed")
        const error = yield* Effect.flip(Effect.provide(EventLog, layerSqlite({ filename, readonly })))
        expect(error._tag).toBe("LogUnavailable")
        expect(error.message).toContain("log.db-shm was replaced by another file while the log was open")
        yield* close
        expect(yield* eventsIn(filename)).toMatchObject({ _tag: "Intact", events: EVENTS + 4 })
      }),
  )
})

describe("a log whose file is gone before it is opened", () => {
  it.scopedLive("is not begun anew over the -wal that is left of it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const filename = path.join(directory, "log.db")
      fs.writeFileSync(`${filename}-wal`, "what a killed process left")
      const open = Effect.provide(EventLog, layerSqlite({ filename }))
      for (const file of ["missing", "empty"]) {
        if (file === "empty") fs.writeFileSync(filename, "")
        const error = yield* Effect.flip(open)
        expect(error._tag).toBe("LogUnavailable")
        expect(error.message).toContain("log.db-wal next to it holds 26 bytes of acknowledged events")
        expect(error.message).toContain("Put the file back next to it; or, to start a new log, move the -wal away")
      }
      expect(fs.readFileSync(`${filename}-wal`, "utf8")).toBe("what a killed process left")
    }),
  )
})
