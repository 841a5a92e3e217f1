import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { copyLog } from "../../src/events/copying/copy.ts"
import * as ServerBackup from "../../src/events/copying/serverBackup.ts"
import { type AppendRequest, EventLog } from "../../src/events/log/EventLog.ts"
import { provenanceOf } from "../../src/events/log/Ownership.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { layer as postgresLayer } from "../../src/events/postgres/PostgresEventLog.ts"
import { Records, type StoredEvent } from "../../src/events/read/Records.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as UserStore from "../../src/platform/user/UserStore.ts"
import { temporaryDirectory } from "../temporary.ts"
import { withVariable } from "../variables.ts"
import { schema, sql, urlOf } from "./server.ts"

const run = <A, E>(effect: Effect.Effect<A, E, import("effect").Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(effect))

const note = (stream: string, text: string, more: Partial<AppendRequest> = {}): AppendRequest => ({
  stream,
  actor: "human:test",
  events: [{ type: "NoteAdded", payload: { about: stream, text } }],
  ...more,
})

/** Events with all that may get lost: other characters, large payloads, personal fields, timelines, causes, long names. */
const REQUESTS: ReadonlyArray<AppendRequest> = [
  note("a", 'null \u0000, quote ", backslash \\, wide \u{1F511}'),
  note("ü".repeat(512), "long", { timeline: "ö".repeat(512), taskId: "t" }),
  note("a", "x".repeat(300_000)),
  note("a", "of anna", { subject: "anna" }),
  note("a", "y".repeat(300_000), { subject: "anna" }),
  note("b", "of levin", { subject: "levin" }),
  ...Array.from({ length: 600 }, (_, index) => note("many", String(index))),
]

const fill = (log: EventLog.Service) =>
  Effect.forEach(REQUESTS, log.append, { concurrency: "unbounded", discard: true })

const storedIn = (services: Context.Context<Records>) =>
  Effect.gen(function* () {
    const all: Array<StoredEvent> = []
    yield* Context.get(services, Records).stored({}, (page) => Effect.sync(() => void all.push(...page)))
    return all
  })

const inFile = (filename: string) => Layer.build(SqliteEventLog.layer({ filename }))

const onServer = (url: string) => Layer.build(postgresLayer({ url }))

const textsOf = (services: Context.Context<EventLog>) =>
  Effect.map(Stream.runCollect(Context.get(services, EventLog).read()), (events) =>
    [...events].map(({ payload, personal }) => [payload.text, personal?.readable]),
  )

describe("copying a log", () => {
  it("from a file to a server and back gives the same events byte for byte, and keys where asked", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const [from, back, keyless] = ["from.db", "back.db", "keyless.db"].map((name) => path.join(directory, name))
        if (from === undefined || back === undefined || keyless === undefined) throw new Error("no names")
        const url = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        const source = yield* inFile(from)
        yield* fill(Context.get(source, EventLog))
        yield* Context.get(source, PersonalData).shred({ subject: "levin", reason: "asked", actor: "human:test" })
        const reports: Array<number> = []
        const there = yield* copyLog({
          from,
          to: url,
          withKeys: true,
          onEvents: (done) => Effect.sync(() => void reports.push(done)),
        })
        const { head } = there
        expect(there).toMatchObject({ copied: REQUESTS.length + 1, keys: 1, head: { position: REQUESTS.length + 1 } })
        expect(there.to).not.toContain("password")
        expect(reports.at(-1)).toBe(head.position)
        expect(yield* copyLog({ from: url, to: back, withKeys: true })).toMatchObject({ head, copied: head.position })
        expect(yield* copyLog({ from: url, to: keyless })).toMatchObject({ head, keys: 0 })
        const [server, file, without] = [yield* onServer(url), yield* inFile(back), yield* inFile(keyless)]
        const stored = yield* storedIn(source)
        for (const copy of [server, file, without]) {
          expect(yield* storedIn(copy)).toEqual(stored)
          expect(yield* Context.get(copy, EventLog).verifyWith({ anchor: head })).toMatchObject({ _tag: "Intact" })
        }
        const texts = yield* textsOf(source)
        expect(texts.slice(3, 6).map(([, readable]) => readable)).toEqual([true, true, false])
        expect(yield* textsOf(server)).toEqual(texts)
        expect(yield* textsOf(file)).toEqual(texts)
        expect((yield* textsOf(without)).slice(3, 6).map(([, readable]) => readable)).toEqual([false, false, false])
        // The copy goes on as a log.
        for (const copy of [server, file]) {
          expect(yield* Context.get(copy, EventLog).append(note("a", "later", { subject: "anna" }))).toMatchObject({
            position: head.position + 1,
          })
        }
      }),
    ))

  it("a copy of an own log is one's own, on a server and in a file; a copy of a foreign one is foreign", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const at = (name: string) => path.join(directory, name)
        const url = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        const kindOf = (services: Context.Context<EventLog>) =>
          Effect.map(provenanceOf(Context.get(services, EventLog)), ({ kind }) => kind)
        yield* Effect.scoped(
          Effect.flatMap(inFile(at("from.db")), (source) => Context.get(source, EventLog).append(note("a", "mine"))),
        )
        yield* copyLog({ from: at("from.db"), to: url })
        expect(yield* kindOf(yield* onServer(url))).toBe("own")
        yield* copyLog({ from: url, to: at("back.db") })
        expect(yield* kindOf(yield* inFile(at("back.db")))).toBe("own")
        // A file that was put there is nobody's own.
        fs.copyFileSync(at("back.db"), at("foreign.db"))
        expect(yield* kindOf(yield* inFile(at("foreign.db")))).toBe("foreign")
        const other = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        yield* copyLog({ from: at("foreign.db"), to: other })
        expect(yield* kindOf(yield* onServer(other))).toBe("foreign")
        yield* copyLog({ from: at("foreign.db"), to: at("copy.db") })
        // A log without events is one's own, and what a copy brings there is not.
        const empty = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        expect(yield* Effect.scoped(Effect.flatMap(onServer(empty), kindOf))).toBe("own")
        yield* copyLog({ from: at("foreign.db"), to: empty })
        expect(yield* kindOf(yield* onServer(empty))).toBe("foreign")
        // What a stranger adds does not join an own log.
        yield* Effect.scoped(
          Effect.flatMap(inFile(at("foreign.db")), (log) => Context.get(log, EventLog).append(note("a", "theirs"))),
        )
        const refused = yield* Effect.flip(copyLog({ from: at("foreign.db"), to: url }))
        expect(refused).toMatchObject({ _tag: "NotCopied", found: "a foreign one" })
        expect((yield* Context.get(yield* onServer(url), EventLog).head).position).toBe(1)
        yield* copyLog({ from: at("foreign.db"), to: other })
        expect(yield* kindOf(yield* inFile(at("copy.db")))).toBe("foreign")
      }),
    ))

  it("a log is not one's own because one repeated the append that began it", () =>
    run(
      Effect.gen(function* () {
        const url = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        const appended = Effect.gen(function* () {
          const services = yield* onServer(url)
          const log = Context.get(services, EventLog)
          const id = "0192d3a4-0000-7000-8000-000000000001"
          const event = { id, type: "NoteAdded" as const, payload: { about: "a", text: "first" } }
          const { position } = yield* log.append(note("a", "first", { events: [event] }))
          return { position, kind: (yield* provenanceOf(log)).kind }
        }).pipe(Effect.scoped)
        const state = yield* temporaryDirectory
        expect(yield* withVariable(UserStore.VARIABLE, state)(appended)).toEqual({ position: 1, kind: "own" })
        expect(yield* appended).toEqual({ position: 1, kind: "foreign" })
        expect(yield* withVariable(UserStore.VARIABLE, state)(appended)).toEqual({ position: 1, kind: "own" })
      }),
    ))

  it("an interrupted copy is continued, later events are added, and another log is never written over", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const from = path.join(directory, "from.db")
        const log = Context.get(yield* inFile(from), EventLog)
        yield* fill(log)
        const url = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        const filename = path.join(directory, "to.db")
        for (const to of [url, filename]) {
          const interrupted = copyLog({
            from,
            to,
            onEvents: (done) => (done > 200 ? Effect.die("interrupted") : Effect.void),
          })
          expect((yield* Effect.exit(interrupted))._tag).toBe("Failure")
          const continued = yield* copyLog({ from, to })
          expect(continued.copied).toBeGreaterThan(0)
          expect(continued.copied).toBeLessThan(REQUESTS.length)
          expect(yield* copyLog({ from, to })).toMatchObject({ copied: 0 })
        }
        yield* log.append(note("a", "later"))
        expect(yield* copyLog({ from, to: url })).toMatchObject({ copied: 1 })
        // The file has fewer events, the server's log more than it.
        expect(yield* copyLog({ from: url, to: filename })).toMatchObject({ copied: 1 })
        yield* Context.get(yield* onServer(url), EventLog).append(note("a", "only there"))
        for (const [source, to] of [
          [from, url],
          [from, from],
        ] as const) {
          expect(yield* Effect.flip(copyLog({ from: source, to }))).toMatchObject({ _tag: "NotCopied" })
        }
        const other = path.join(directory, "other.db")
        yield* Context.get(yield* inFile(other), EventLog).append(note("z", "other"))
        const refused = yield* Effect.flip(copyLog({ from: other, to: url }))
        expect(refused.message).toContain("one with other events")
        expect(yield* Effect.flip(copyLog({ from: path.join(directory, "gone.db"), to: url }))).toMatchObject({
          _tag: "LogUnavailable",
        })
        expect(fs.existsSync(path.join(directory, "gone.db"))).toBe(false)
      }),
    ))

  it("a continued copy destroys the keys that the source has destroyed since", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const from = path.join(directory, "from.db")
        const source = yield* inFile(from)
        yield* Context.get(source, EventLog).append(note("a", "of anna", { subject: "anna" }))
        const url = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        const filename = path.join(directory, "to.db")
        const readable = function* () {
          const found = [yield* onServer(url), yield* inFile(filename)]
          const texts = []
          for (const copy of found) texts.push((yield* textsOf(copy))[0]?.[1])
          return texts
        }
        for (const to of [url, filename]) yield* copyLog({ from, to, withKeys: true })
        expect(yield* Effect.scoped(Effect.gen(readable))).toEqual([true, true])
        yield* Context.get(source, PersonalData).shred({ subject: "anna", reason: "asked", actor: "human:test" })
        for (const to of [url, filename]) yield* copyLog({ from, to })
        expect(yield* Effect.scoped(Effect.gen(readable))).toEqual([false, false])
      }),
    ))

  it("a changed event is not copied, nor anything after it", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        const log = Context.get(yield* onServer(url), EventLog)
        for (const text of ["one", "two", "three"]) yield* log.append(note("a", text))
        yield* Effect.promise(() =>
          sql(
            `BEGIN; SET LOCAL session_replication_role = replica; UPDATE ${name}.events SET actor = 'human:else' WHERE position = 2; COMMIT`,
          ),
        )
        const to = path.join(directory, "to.db")
        const refused = yield* Effect.flip(copyLog({ from: url, to }))
        expect(refused.message).toContain("@2 does not match its hash")
      }),
    ))
})

describe("a backup of a log on a server", () => {
  it("is a verified file with the same events, and the way back, also of a tail that the server lost", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const [name, other] = [yield* schema, yield* schema]
        const [url, elsewhere] = [yield* Effect.promise(() => urlOf(name)), yield* Effect.promise(() => urlOf(other))]
        const server = yield* onServer(url)
        yield* fill(Context.get(server, EventLog))
        const head = yield* Context.get(server, EventLog).head
        const to = path.join(directory, "copy.db")
        const made = yield* ServerBackup.backup({ from: url, to, withKeys: true })
        expect(made).toMatchObject({ file: to, head, events: head.position, keys: true, own: false })
        expect(fs.readdirSync(directory).sort()).toEqual(["copy.db", "copy.db.keys"])
        expect(fs.statSync(to).mode & 0o077).toBe(0)
        const stored = yield* storedIn(server)
        expect(yield* Effect.scoped(Effect.flatMap(inFile(to), storedIn))).toEqual(stored)
        const again = yield* Effect.flip(ServerBackup.backup({ from: url, to }))
        expect(again.message).toContain("expected no file of that name yet")
        expect(again.message).not.toContain("password")
        yield* Context.get(server, EventLog).append(note("a", "later"))
        yield* ServerBackup.backup({ from: url, to, replace: true })
        // The keys of the replaced backup went with it.
        expect(fs.readdirSync(directory)).toEqual(["copy.db"])

        expect(yield* ServerBackup.restore({ from: to, to: elsewhere })).toMatchObject({
          copied: head.position + 1,
          own: true,
        })
        expect(yield* Effect.scoped(Effect.flatMap(onServer(elsewhere), storedIn))).toEqual(yield* storedIn(server))
        // As a replica that took over without its last event. An anchor shows it, and the backup has it.
        yield* Effect.promise(() =>
          sql(
            `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM ${other}.events WHERE position > ${head.position}; COMMIT`,
          ),
        )
        const anchor = yield* Context.get(server, EventLog).head
        const lost = Context.get(yield* onServer(elsewhere), EventLog)
        expect((yield* lost.verifyWith({}))._tag).toBe("Intact")
        expect((yield* lost.verifyWith({ anchor }))._tag).toBe("Tampered")
        expect(yield* ServerBackup.restore({ from: to, to: elsewhere })).toMatchObject({ copied: 1, head: anchor })
        expect((yield* lost.verifyWith({ anchor }))._tag).toBe("Intact")

        yield* Context.get(server, EventLog).append(note("a", "only there"))
        yield* lost.append(note("a", "only here"))
        yield* ServerBackup.backup({ from: url, to, replace: true })
        const refused = yield* Effect.flip(ServerBackup.restore({ from: to, to: elsewhere }))
        expect(refused.message).toContain("one with other events")
        fs.writeFileSync(path.join(directory, "broken.db"), "x")
        expect(
          yield* Effect.flip(ServerBackup.restore({ from: path.join(directory, "broken.db"), to: elsewhere })),
        ).toMatchObject({ _tag: "LogFormatUnsupported" })
      }),
    ))

  it("leaves nothing under its name if it is interrupted, or if there is nothing to back up", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const url = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        const to = path.join(directory, "copy.db")
        expect((yield* Effect.flip(ServerBackup.backup({ from: url, to }))).message).toContain("holds no log")
        const log = Context.get(yield* onServer(url), EventLog)
        expect((yield* Effect.flip(ServerBackup.backup({ from: url, to }))).message).toContain("found an empty one")
        yield* fill(log)
        const interrupted = ServerBackup.backup({ from: url, to, onEvents: () => Effect.die("interrupted") })
        expect((yield* Effect.exit(interrupted))._tag).toBe("Failure")
        expect(fs.readdirSync(directory)).toEqual([])
      }),
    ))
})
