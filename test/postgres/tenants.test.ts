import { Effect } from "effect"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { document, hindcast, listed } from "../cli/hindcast.ts"
import { workplace } from "../workplace.ts"
import { server } from "./cluster.ts"
import { schema, sql } from "./server.ts"

const place = workplace()
afterAll(place.remove)

interface Made {
  readonly log: string
  readonly created: boolean
  readonly roles: ReadonlyArray<{ readonly role: string; readonly access: string; readonly password: string | null }>
}

/** The owner's URL of a schema, without a password, and the environment that has it. */
const owner = async (name: string) => {
  const url = new URL((await server()).url)
  const PGPASSWORD = decodeURIComponent(url.password)
  url.password = ""
  url.search = `?schema=${name}`
  return { log: url.href, env: { PGPASSWORD } }
}

const roleOf = (name: string) =>
  Effect.acquireRelease(Effect.succeed(name), (role) =>
    Effect.promise(async () => {
      const [found] = await sql("SELECT 1 FROM pg_roles WHERE rolname = $1", [role])
      if (found !== undefined) await sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }),
  )

/** As the role, which may log in with its password. */
const as = (log: string, { role, password }: Made["roles"][number]): string => {
  const url = new URL(log)
  url.username = role
  url.password = password ?? ""
  return url.href
}

const query = async (url: string, text: string): Promise<string> => {
  const client = new pg.Client({ connectionString: url.split("?")[0] ?? "" })
  await client.connect()
  try {
    const { rows } = await client.query(text)
    return JSON.stringify(rows)
  } catch (error) {
    return String(Reflect.get(Object(error), "code"))
  } finally {
    await client.end()
  }
}

describe("tenants of one database", () => {
  it("get a log and roles by one command, work on their own log, and reach nothing of another's by SQL", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const [one, two] = [yield* schema, yield* schema]
          const [acme, umbra, eyes] = [yield* roleOf(`${one}_w`), yield* roleOf(`${two}_w`), yield* roleOf(`${one}_r`)]
          const first = yield* Effect.promise(() => owner(one))
          const second = yield* Effect.promise(() => owner(two))
          const make = (at: typeof first, ...args: ReadonlyArray<string>) =>
            Effect.promise(
              async () => (await document(["log", "create", "--log", at.log, ...args], at)) as unknown as Made,
            )
          const ofAcme = yield* make(first, "--writer", acme, "--reader-without-keys", eyes)
          const ofUmbra = yield* make(second, "--writer", umbra)
          expect(ofAcme).toMatchObject({
            created: true,
            roles: [
              { role: acme, access: "writer" },
              { role: eyes, access: "reader without keys" },
            ],
          })
          // Again, it changes nothing, and shows no password.
          expect(yield* make(first, "--writer", acme)).toMatchObject({ created: false, roles: [{ password: null }] })
          const [writer, reader] = ofAcme.roles
          const [stranger] = ofUmbra.roles
          if (writer === undefined || reader === undefined || stranger === undefined) throw new Error("no roles")
          const submit = (log: string, goal: string) =>
            Effect.promise(() =>
              hindcast(["task", "submit", "--agent", "a", "--goal", goal], { env: { HINDCAST_LOG: log } }),
            )
          expect(yield* submit(as(ofAcme.log, writer), "of acme")).toMatchObject({ code: 0 })
          expect(yield* submit(as(ofUmbra.log, stranger), "of umbra")).toMatchObject({ code: 0 })
          expect((yield* submit(as(ofAcme.log, reader), "no")).stderr).toContain("too few rights")
          // The URL of another's log with one's own role.
          const refused = yield* submit(as(ofAcme.log, stranger), "no")
          expect(refused).toMatchObject({ code: 1 })
          expect(refused.stderr).toContain(`SELECT ${one}.grant_access('${umbra}', 'writer')`)
          const theirs = as(ofUmbra.log, stranger)
          const reached: Array<string> = []
          for (const text of [
            ...["events", "blobs", "format", "lock", "lease", "heartbeats", "snapshots", "snapshot_parts"].map(
              (table) => `SELECT * FROM ${one}.${table}`,
            ),
            ...["keys", "seal"].map((table) => `SELECT * FROM ${one}_keys.${table}`),
            `INSERT INTO ${one}.events SELECT * FROM ${two}.events`,
            `UPDATE ${one}.heartbeats SET beat = 0`,
            `SELECT ${one}.locked()`,
            `SELECT ${one}.grant_access('${umbra}', 'writer')`,
            `BEGIN; LOCK TABLE ${one}.events`,
            `CREATE TABLE ${one}.mine (n int)`,
            `DROP SCHEMA ${one} CASCADE`,
            `ALTER TABLE ${one}.events DISABLE TRIGGER ALL`,
            `GRANT ALL ON SCHEMA ${one} TO ${umbra}`,
            `SET ROLE ${acme}`,
            `SET SESSION AUTHORIZATION ${acme}`,
            `ALTER ROLE ${acme} PASSWORD 'x'`,
            "CREATE ROLE another",
            "SELECT pg_read_file('postgresql.conf')",
            "COPY (SELECT 1) TO PROGRAM 'true'",
          ]) {
            const found = yield* Effect.promise(() => query(theirs, text))
            if (found !== "42501") reached.push(`${text}: ${found}`)
          }
          // `GRANT` by somebody without the right to is a warning in SQL, and gives nothing.
          expect(reached.filter((text) => !text.startsWith("GRANT"))).toEqual([])
          // Neither do the server's own views show the other's rows.
          for (const text of [
            `SELECT * FROM pg_stats WHERE schemaname = '${one}'`,
            `SELECT * FROM information_schema.tables WHERE table_schema = '${one}'`,
          ])
            expect({ text, found: yield* Effect.promise(() => query(theirs, text)) }).toEqual({ text, found: "[]" })
          const events = yield* Effect.promise(() => listed(["--log", first.log], first))
          expect(events.map(({ type }) => type)).toEqual(["TaskSubmitted"])
        }),
      ),
    ))

  it("cannot be made with a superuser's role, a bad name, or by somebody who may not create roles", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const name = yield* schema
          const [acme, late] = [yield* roleOf(`${name}_w`), yield* roleOf(`${name}_x`)]
          const at = yield* Effect.promise(() => owner(name))
          const fails = (log: string, env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>) =>
            Effect.promise(() => hindcast(["log", "create", "--log", log, ...args], { env }))
          const bad = yield* fails(at.log, at.env, "--writer", "x; DROP")
          expect(bad.stderr).toContain("expected up to 63 lower-case letters, digits and _")
          const self = yield* fails(at.log, at.env, "--writer", "tester")
          expect(self.stderr).toContain("a superuser, or the owner of this log")
          // All or none: nobody would know the first one's password.
          expect((yield* fails(at.log, at.env, "--writer", acme, "--reader", "tester")).code).toBe(1)
          expect(yield* Effect.promise(() => sql("SELECT 1 FROM pg_roles WHERE rolname = $1", [acme]))).toEqual([])
          expect((yield* fails(at.log, at.env, "--writer", acme, "--reader", acme)).stderr).toContain("each role once")
          expect((yield* fails(place.file("a.db"), {})).stderr).toContain("expected a log on a PostgreSQL server")
          const { roles } = (yield* Effect.promise(() =>
            document(["log", "create", "--log", at.log, "--writer", acme], at),
          )) as unknown as Made
          const url = new URL(at.log)
          url.username = acme
          const env = { PGPASSWORD: roles[0]?.password ?? "" }
          const refused = yield* fails(url.href, env, "--writer", late)
          expect(refused.stderr).toContain("expected a user who may create roles (CREATEROLE)")
        }),
      ),
    ))
})
