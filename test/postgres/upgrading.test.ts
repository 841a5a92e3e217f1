import * as fs from "node:fs"
import { Context, Effect, Fiber, Layer } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import { MIGRATIONS } from "../../src/events/postgres/server/migrations.ts"
import { FORMAT, statementsOf } from "../../src/events/postgres/server/schema.ts"
import { upgrade } from "../../src/events/postgres/server/upgrade.ts"
import { inRepository } from "../repository.ts"
import { schema, sql, urlOf } from "./server.ts"

const run = <A, E>(effect: Effect.Effect<A, E, import("effect").Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(effect))

/** The tables of format 1, as the version that made them wrote them. */
const FORMAT_1 = fs.readFileSync(inRepository("test", "golden", "postgres-1.sql"), "utf8")

const logAt = (url: string) => Effect.map(Layer.build(layer({ url })), Context.get(EventLog))

const failing = (url: string, readonly = false) => Effect.flip(Effect.scoped(Layer.build(layer({ url, readonly }))))

const note = (text: string) => ({
  stream: "s",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "s", text } }],
})

const past = (text: string) => Effect.promise(() => sql(text))

/** A log of format 1 with three events, with its URL and the head of its chain. */
const oldLog = Effect.gen(function* () {
  const [name, newer] = [yield* schema, yield* schema]
  const head = yield* Effect.scoped(
    Effect.gen(function* () {
      const log = yield* Effect.flatMap(
        Effect.promise(() => urlOf(newer)),
        logAt,
      )
      for (const text of ["one", "two", "x".repeat(300_000)]) yield* log.append(note(text))
      return yield* log.head
    }),
  )
  yield* past(FORMAT_1.replaceAll("log_schema", name))
  yield* past(
    `INSERT INTO ${name}.events SELECT * FROM ${newer}.events; INSERT INTO ${name}.blobs SELECT * FROM ${newer}.blobs`,
  )
  return { name, url: yield* Effect.promise(() => urlOf(name)), head }
})

/** A role with rights on a log, as the log's own function gives them. It goes with the scope. */
const role = (name: string, access: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const user = `${name}_${access}`
      await sql(`CREATE ROLE ${user} LOGIN PASSWORD 'pw'; SELECT ${name}.grant_access('${user}', '${access}')`)
      return user
    }),
    (user) => Effect.promise(() => sql(`DROP OWNED BY ${user}; DROP ROLE ${user}`)),
  )

const as = (url: string, user: string) => {
  const changed = new URL(url)
  changed.username = user
  changed.password = "pw"
  return changed.href
}

/** A session past the log. It goes with the scope. */
const session = (url: string, program: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url.split("?")[0], application_name: program })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end()),
  )

const formatOf = (name: string) => Effect.map(past(`SELECT version FROM ${name}.format`), ([row]) => row?.[0])

describe("a log of an earlier format", () => {
  it("is refused with the command that upgrades it, and upgraded on request, with its events, hashes and rights", () =>
    run(
      Effect.gen(function* () {
        const { name, url, head } = yield* oldLog
        const [writer, reader] = [yield* role(name, "writer"), yield* role(name, "reader")]
        for (const [from, readonly] of [
          [url, false],
          [url, true],
          [as(url, reader), true],
        ] as const)
          expect((yield* failing(from, readonly)).message).toMatch(
            new RegExp(
              `format 1, and .* needs format ${FORMAT}.*\`hindcast log upgrade --log '?postgres:.*schema=${name}'?\` as its owner`,
            ),
          )
        expect(yield* formatOf(name)).toBe(1)
        expect(yield* upgrade(url)).toMatchObject({ from: 1, to: FORMAT })
        const log = yield* logAt(url)
        expect(yield* log.verifyWith({ anchor: head })).toMatchObject({ _tag: "Intact", head, events: 3 })
        expect(yield* log.append(note("four"))).toMatchObject({ position: 4 })
        expect(yield* (yield* logAt(as(url, writer))).append(note("five"))).toMatchObject({ position: 5 })
        const may = (user: string) =>
          past(
            `SELECT has_table_privilege('${user}', '${name}.words', 'SELECT'), has_table_privilege('${user}', '${name}.words', 'INSERT'),
              has_table_privilege('${user}', '${name}.words_reach', 'UPDATE'), has_table_privilege('${user}', '${name}.events', 'INSERT')`,
          )
        expect([yield* may(writer), yield* may(reader)]).toEqual([
          [[true, true, true, false]],
          [[true, false, false, false]],
        ])
        // A log that was upgraded has the tables, functions and triggers of a new one.
        const fresh = yield* schema
        yield* past(statementsOf(fresh).join(";\n"))
        const describing = (of: string) =>
          past(
            `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = '${of}' ORDER BY 1, 2`,
          )
        expect(yield* describing(name)).toEqual(yield* describing(fresh))
        const functions = (of: string) =>
          past(
            `SELECT proname, pronargs, proretset, prosecdef, replace(prosrc, '${of}', ''), replace(proconfig::text, '${of}', ''),
              proacl IS NOT NULL AND NOT EXISTS (SELECT FROM aclexplode(proacl) a WHERE a.grantee = 0)
            FROM pg_proc WHERE pronamespace = '${of}'::regnamespace ORDER BY 1`,
          )
        expect(yield* functions(name)).toEqual(yield* functions(fresh))
        const indexes = (of: string) =>
          past(`SELECT replace(indexdef, '${of}', '') FROM pg_indexes WHERE schemaname = '${of}' ORDER BY 1`)
        expect(yield* indexes(name)).toEqual(yield* indexes(fresh))
      }),
    ))

  it("stays as it is for anybody but its owner, while another program uses or upgrades it, and if a step fails", () =>
    run(
      Effect.gen(function* () {
        const { name, url } = yield* oldLog
        const refused = (from: string, reason: string) =>
          Effect.gen(function* () {
            expect((yield* Effect.flip(upgrade(from))).message).toContain(reason)
            expect(yield* formatOf(name)).toBe(1)
          })
        const writer = yield* role(name, "writer")
        yield* refused(as(url, writer), "only its owner may upgrade it. Run the same command as the user tester")
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* session(url, `hindcast ${name}`)
            yield* refused(url, "for tester from 127.0.0.1. End them first")
          }),
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const other = yield* session(url, "another upgrade")
            yield* Effect.promise(() => other.query(`SELECT pg_advisory_lock(hashtextextended('hindcast ${name}', 0))`))
            yield* refused(url, "another process creates or upgrades it")
          }),
        )
        yield* past(`CREATE TABLE ${name}.words (mine int)`)
        yield* refused(url, 'relation "words" already exists')
        yield* past(`DROP TABLE ${name}.words`)
        expect(yield* upgrade(url)).toMatchObject({ from: 1, to: FORMAT })
      }),
    ))

  it("that a superuser upgrades stays its owner's, with all that the upgrade creates", () =>
    run(
      Effect.gen(function* () {
        const { name, url } = yield* oldLog
        const owner = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            await sql(`CREATE ROLE "${name} owner"`)
            for (const [statement] of await sql(OWNED_BY, [`${name} owner`, [name, `${name}_keys`]]))
              await sql(String(statement))
            return `${name} owner`
          }),
          (role) => Effect.promise(() => sql(`DROP OWNED BY "${role}" CASCADE; DROP ROLE "${role}"`)),
        )
        expect(yield* upgrade(url)).toMatchObject({ from: 1, to: FORMAT })
        const owners = yield* Effect.promise(() => sql(OWNERS, [name]))
        expect(owners).toEqual([[owner]])
        yield* Effect.flatMap(logAt(url), (log) => log.append(note("later")))
      }),
    ))

  it("is upgraded over several steps, while programs that open it wait and are refused after", () =>
    run(
      Effect.gen(function* () {
        const { name, url } = yield* oldLog
        const holder = yield* session(url, "holder")
        yield* Effect.promise(() => holder.query("SELECT pg_advisory_lock(77)"))
        const later = FORMAT + 1
        const migrations = new Map([
          ...MIGRATIONS,
          [FORMAT, () => ["SELECT pg_advisory_xact_lock(77)", `CREATE TABLE ${name}.later (one int)`]] as const,
        ])
        const upgrading = yield* Effect.fork(upgrade(url, { format: later, migrations }))
        const waits = (what: string) =>
          Effect.promise(() =>
            expect
              .poll(() => sql(`SELECT count(*)::int FROM pg_locks WHERE NOT granted AND ${what}`), { timeout: 30_000 })
              .toEqual([[1]]),
          )
        yield* waits("locktype = 'advisory' AND objid = 77")
        const opening = yield* Effect.fork(failing(url))
        yield* waits(`relation = '${name}.format'::regclass`)
        yield* Effect.promise(() => holder.query("SELECT pg_advisory_unlock(77)"))
        expect(yield* Fiber.join(upgrading)).toMatchObject({ from: 1, to: later })
        expect((yield* Fiber.join(opening)).message).toContain(
          `its tables have format ${later}, and this version of Hindcast knows format ${FORMAT} at most. Update Hindcast`,
        )
        expect((yield* Effect.flip(upgrade(url))).message).toContain("Update Hindcast")
        expect((yield* Effect.flip(upgrade(url, { format: later + 2, migrations }))).message).toContain(
          `no upgrade leads from its format ${later} to ${later + 1}`,
        )
        expect(yield* formatOf(name)).toBe(later)
      }),
    ))

  it("is nothing that a file, an empty schema, or a log of the current format is", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        expect((yield* Effect.flip(upgrade(url))).message).toContain(`the schema ${name} holds no log`)
        yield* Effect.scoped(logAt(url))
        expect(yield* upgrade(url)).toMatchObject({ from: FORMAT, to: FORMAT })
      }),
    ))
})

/** Statements that make all of some schemas a role's. */
const OWNED_BY = `SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, $1::text) FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = ANY ($2::text[]::regnamespace[])
  UNION ALL SELECT format('ALTER FUNCTION %s OWNER TO %I', p.oid::regprocedure, $1::text) FROM pg_proc p WHERE p.pronamespace = ANY ($2::text[]::regnamespace[])
  UNION ALL SELECT format('ALTER SCHEMA %I OWNER TO %I', n, $1::text) FROM unnest($2::text[]) n`

/** The owners of everything in a schema. */
const OWNERS = `SELECT pg_get_userbyid(relowner)::text FROM pg_class WHERE relnamespace = $1::text::regnamespace
  UNION SELECT pg_get_userbyid(proowner)::text FROM pg_proc WHERE pronamespace = $1::text::regnamespace`
