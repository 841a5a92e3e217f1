import { Context, Effect, Fiber, Layer, Stream } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import { Presence } from "../../src/events/log/Presence.ts"
import { Snapshots } from "../../src/events/log/Snapshots.ts"
import * as OldTransactions from "../../src/events/postgres/oldTransactions.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import { control, ownServer, startMeanwhile } from "./cluster.ts"
import { poolerThat } from "./pooler.ts"
import { schema, sql, urlOf } from "./server.ts"

const run = <A, E>(effect: Effect.Effect<A, E, import("effect").Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(effect))

const note = (text: string) => ({
  stream: "s",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "s", text } }],
})

const logAt = (url: string) => Effect.map(Layer.build(layer({ url })), Context.get(EventLog))

const failing = (url: string, readonly = false) => Effect.flip(Effect.scoped(Layer.build(layer({ url, readonly }))))

/** A URL with another user, and the password `pw`. */
const as = (url: string, user: string, password = "pw") => {
  const changed = new URL(url)
  changed.username = user
  changed.password = password
  return changed.href
}

/** A role that goes with the scope. */
const role = (access: string, name: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const user = `${name}_${access.replaceAll(" ", "_")}`
      await sql(`CREATE ROLE ${user} LOGIN PASSWORD 'pw'`)
      if (access !== "none") await sql(`SELECT ${name}.grant_access('${user}', '${access}')`)
      return user
    }),
    (user) => Effect.promise(() => sql(`DROP OWNED BY ${user}; DROP ROLE ${user}`)),
  )

describe("the server", () => {
  it("appends wait while it restarts, and each is stored once", () =>
    run(
      Effect.gen(function* () {
        const { url, directory } = yield* ownServer()
        const log = yield* logAt(url)
        yield* log.append(note("before"))
        yield* Effect.sync(() => control(directory, "stop"))
        const waiting = yield* Effect.fork(
          Effect.all([log.append(note("one")), log.append(note("two"))], { concurrency: "unbounded" }),
        )
        // Appends fail to connect meanwhile, and try again.
        yield* Effect.promise(() => startMeanwhile(directory))
        expect((yield* Fiber.join(waiting)).map(({ position }) => position)).toEqual([2, 3])
        // As a crash does.
        yield* Effect.sync(() => control(directory, "restart", "immediate"))
        expect(yield* log.append(note("three"))).toMatchObject({ position: 4 })
        const events = [...(yield* Stream.runCollect(log.read()))]
        expect(events.map(({ payload }) => payload.text)).toEqual(["before", "one", "two", "three"])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 4 })
      }),
    ))

  it("what cannot be opened says what is wrong and what to do, and never the password", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        const closed = new URL(url)
        closed.port = "1"
        const nowhere = new URL(url)
        nowhere.pathname = "/nowhere"
        const ascii = yield* ownServer({ encoding: "SQL_ASCII" })
        const cases = [
          [closed.href, "no PostgreSQL server accepts connections on 127.0.0.1, port 1"],
          [as(url, "tester", "wrong s3cret"), "Set its password in PGPASSWORD"],
          [as(url, "nobody_at_all", "wrong s3cret"), "the server refused the user nobody_at_all"],
          [as(url, "tester", ""), "the server asks for a password"],
          [nowhere.href, "the server has no database nowhere. Create it (`createdb -E UTF8 nowhere`)"],
          [ascii.url, "expected a database in UTF8, found one in SQL_ASCII"],
        ] as const
        const password = decodeURIComponent(new URL(url).password)
        for (const [url, reason] of cases) {
          const error = yield* failing(url)
          expect(error).toMatchObject({ _tag: "LogUnavailable" })
          expect(error.message).toContain(reason)
          for (const secret of [password, encodeURIComponent(password), "s3cret"])
            expect(error.message).not.toContain(secret)
        }
      }),
    ))

  it("a schema with anything but a log of this version is left alone", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        yield* Effect.promise(() => sql(`CREATE SCHEMA ${name}`))
        expect((yield* failing(url)).message).toContain(`the schema ${name} exists and is empty`)
        yield* Effect.promise(() => sql(`CREATE TABLE ${name}.events (id int)`))
        expect((yield* failing(url)).message).toContain("found another program's tables")
        yield* Effect.promise(() => sql(`DROP SCHEMA ${name} CASCADE`))
        expect((yield* failing(yield* Effect.promise(() => urlOf("user")))).message).toContain("reserved word of SQL")
        yield* Effect.scoped(logAt(url))
        for (const [version, advice] of [
          [0, "`hindcast log upgrade --log "],
          [99, "Update Hindcast"],
        ] as const) {
          yield* Effect.promise(() =>
            sql(
              `BEGIN; SET LOCAL session_replication_role = replica; UPDATE ${name}.format SET version = ${version}; COMMIT`,
            ),
          )
          for (const readonly of [false, true]) expect((yield* failing(url, readonly)).message).toContain(advice)
        }
      }),
    ))
})

describe("a pooler that keeps no settings of a session", () => {
  it.each(["refuses", "ignores"] as const)(
    "is named when it %s them, by a log that exists and by one that does not",
    (does) =>
      run(
        Effect.gen(function* () {
          const name = yield* schema
          const direct = yield* Effect.promise(() => urlOf(name))
          const pooled = new URL(direct)
          pooled.port = String(yield* poolerThat(does))
          expect((yield* failing(pooled.href)).message).toContain("Connect to the server itself, past the pooler")
          expect(yield* Effect.promise(() => sql("SELECT 1 FROM pg_namespace WHERE nspname = $1", [name]))).toEqual([])
          yield* Effect.scoped(logAt(direct))
          for (const readonly of [false, true])
            expect((yield* failing(pooled.href, readonly)).message).toContain("A pooler such as PgBouncer")
        }),
      ),
  )
})

describe("old transactions", () => {
  it("are found with their sessions, however short the limit", () =>
    run(
      Effect.gen(function* () {
        const url = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        yield* logAt(url)
        const client = new pg.Client({ connectionString: url.split("?")[0], application_name: "forgetful" })
        yield* Effect.acquireRelease(
          Effect.promise(() => client.connect()),
          () => Effect.promise(() => client.end()),
        )
        yield* Effect.promise(() => client.query("BEGIN; SELECT 1"))
        const ours = (found: ReadonlyArray<OldTransactions.OldTransaction>) =>
          found.filter(({ program }) => program === "forgetful")
        const [found] = ours(yield* OldTransactions.find(url, 0))
        expect(found).toMatchObject({ user: "tester", state: "idle in transaction" })
        expect(ours(yield* OldTransactions.find(url))).toEqual([])
        const [[pid] = []] = yield* Effect.promise(() =>
          sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'forgetful'"),
        )
        expect(found?.pid).toBe(pid)
      }),
    ))
})

describe("rights", () => {
  it("are those of the last grant, and the owner's stay", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        yield* (yield* logAt(url)).append({ ...note("of anna"), subject: "anna" })
        const user = yield* role("writer", name)
        const may = () =>
          sql(
            `SELECT has_table_privilege($1, '${name}_keys.keys', 'SELECT'), has_table_privilege($1, '${name}.lease', 'DELETE'),
              has_function_privilege($1, '${name}.locked()', 'EXECUTE'), has_table_privilege($1, '${name}.events', 'SELECT')`,
            [user],
          )
        expect(yield* Effect.promise(may)).toEqual([[true, true, true, true]])
        for (const [access, expected] of [
          ["reader", [true, false, false, true]],
          ["reader without keys", [false, false, false, true]],
          ["writer", [true, true, true, true]],
        ] as const) {
          yield* Effect.promise(() => sql(`SELECT ${name}.grant_access('${user}', '${access}')`))
          expect(yield* Effect.promise(may)).toEqual([expected])
        }
        const refused = yield* Effect.flip(
          Effect.tryPromise(() => sql(`SELECT ${name}.grant_access('tester', 'reader')`)),
        )
        expect(String(refused.error)).toContain("owns the log and may do everything")
      }),
    ))

  it("a writer appends and acts, and changes, removes or inserts no event past the log; a reader only reads", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        const owner = yield* logAt(url)
        yield* owner.append({ ...note("of anna"), subject: "anna" })
        const [writer, reader, keyless, stranger] = [
          yield* role("writer", name),
          yield* role("reader", name),
          yield* role("reader without keys", name),
          yield* role("none", name),
        ]

        const writing = yield* Layer.build(layer({ url: as(url, writer) }))
        const log = Context.get(writing, EventLog)
        expect(yield* log.append({ ...note("more of anna"), subject: "anna" })).toMatchObject({ position: 2 })
        yield* (yield* Context.get(writing, Lease).acquire("w")).check
        yield* Context.get(writing, Presence).announce
        const cache = Context.get(writing, Snapshots)
        const series = { projection: "p", fingerprint: "f", timeline: "main", epoch: yield* cache.epoch }
        yield* cache.save(series, { position: 1, eventHash: "0", stateHash: "1", root: new Uint8Array([1]) }, new Map())

        const texts = (log: EventLog.Service) =>
          Effect.map(log.readPage({}, 10), (events) =>
            events.map(({ payload, personal }) => [payload.text, personal?.readable]),
          )
        const expected = [
          ["of anna", true],
          ["more of anna", true],
        ]
        expect(yield* texts(log)).toEqual(expected)
        const open = (user: string) =>
          Effect.map(Layer.build(layer({ url: as(url, user), readonly: true })), Context.get(EventLog))
        expect(yield* texts(yield* open(reader))).toEqual(expected)
        expect((yield* texts(yield* open(keyless))).map(([, readable]) => readable)).toEqual([false, false])
        expect((yield* failing(as(url, stranger))).message).toContain(
          `SELECT ${name}.grant_access('${stranger}', 'writer')`,
        )
        const appending = yield* Effect.flip((yield* logAt(as(url, reader))).append(note("by a reader")))
        expect(appending.message).toContain(`the user ${reader} has too few rights`)

        for (const user of [writer, reader]) {
          const client = new pg.Client({ connectionString: as(url, user).split("?")[0] })
          yield* Effect.promise(() => client.connect())
          yield* Effect.addFinalizer(() => Effect.promise(() => client.end()))
          for (const statement of [
            `UPDATE ${name}.events SET actor = 'x'`,
            `DELETE FROM ${name}.events`,
            `TRUNCATE ${name}.events`,
            `INSERT INTO ${name}.events SELECT * FROM ${name}.events`,
            `DELETE FROM ${name}.blobs`,
            `DROP TABLE ${name}.events`,
            `SELECT ${name}.grant_access('${reader}', 'writer')`,
          ]) {
            const refused = yield* Effect.flip(Effect.tryPromise(() => client.query(statement)))
            expect({ statement, code: Reflect.get(refused.error as object, "code") }).toEqual({
              statement,
              code: "42501",
            })
          }
        }
        expect(yield* owner.verify).toMatchObject({ _tag: "Intact", events: 2 })
      }),
    ))

  it("triggers refuse changes of events even by the owner, and verifying tells a missing trigger and changed rows", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const log = yield* Effect.flatMap(
          Effect.promise(() => urlOf(name)),
          logAt,
        )
        for (const text of ["one", "two", "three"]) yield* log.append(note(text))
        for (const statement of [
          `UPDATE ${name}.events SET actor = 'x'`,
          `DELETE FROM ${name}.events`,
          `TRUNCATE ${name}.events`,
        ]) {
          const refused = yield* Effect.flip(Effect.tryPromise(() => sql(statement)))
          expect(String(refused.error)).toContain("a Hindcast log never changes")
        }
        yield* Effect.promise(() => sql(`ALTER TABLE ${name}.events DISABLE TRIGGER unchanging`))
        expect(yield* log.verify).toMatchObject({ _tag: "Tampered", kind: "schema changed" })
        yield* Effect.promise(() => sql(`ALTER TABLE ${name}.events ENABLE REPLICA TRIGGER unchanging`))
        expect(yield* log.verify).toMatchObject({ _tag: "Tampered", kind: "schema changed" })
        expect(yield* log.readPage({ stream: "s\0" }, 10)).toEqual([])
        yield* Effect.promise(() => sql(`UPDATE ${name}.events SET actor = 'human:else' WHERE position = 2`))
        yield* Effect.promise(() => sql(`ALTER TABLE ${name}.events ENABLE TRIGGER unchanging`))
        expect(yield* log.verify).toMatchObject({ _tag: "Tampered", position: 2, kind: "content changed" })
      }),
    ))
})
