import * as fs from "node:fs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type * as Events from "../../src/events/index.ts"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import { built } from "../built.ts"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

/** Events enough for several ranges: on two timelines, some archived, some personal, some larger than a row holds. */
const EVENTS = 3_000
const ARCHIVED = 1_250

const fill = Effect.gen(function* () {
  const events = yield* EventLog
  const note = (text: string) => ({ type: "NoteAdded" as const, payload: { about: "x", text } })
  for (let index = 0; index < EVENTS / 100; index++) {
    const timeline = index % 7 === 0 ? "fork-1" : "main"
    const notes = Array.from({ length: 98 }, (_, number) => note(`${index} ${number} zwölf 🗝`))
    yield* events.append({ stream: `notes/${index % 3}`, timeline, actor: "human:eve", events: notes })
    yield* events.append({ stream: "diary", actor: "human:eve", subject: "anna", events: [note(`secret ${index}`)] })
    const text = (index % 20 === 0 ? "x".repeat(MAX_INLINE_BYTES) : "") + index
    yield* events.append({ stream: "pictures", actor: "human:eve", events: [note(text)] })
  }
})

beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function* () {
      yield* fill
      yield* (yield* Archive).archive({ until: ARCHIVED, actor: "human:test" })
    }).pipe(Effect.provide(layerSqlite({ filename: log }))),
  ),
)
afterAll(place.remove)

/** What a command says with one thread, and with three, but for the age of the head, which grows from one to the other. */
const inOneAndThree = async (...args: ReadonlyArray<string>) => {
  const said = async (jobs: string) => {
    const { code, stdout, stderr } = await hindcast([...args, "--jobs", jobs, "--json"])
    return { code, stdout: stdout.replace(/"ageMs": ?[0-9]+/g, '"ageMs": 0'), stderr }
  }
  return { one: await said("1"), three: await said("3") }
}

/** A copy of the log, with its segments and keys, to which something was done that its triggers do not see. */
const tampered = (name: string, sql: string): string => {
  const copy = place.file(name)
  for (const suffix of ["", ".keys", ".segments", ".snapshot-key"])
    if (fs.existsSync(log + suffix)) fs.cpSync(log + suffix, copy + suffix, { recursive: true })
  const database = new Database(copy)
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all()
  for (const trigger of triggers) database.exec(`DROP TRIGGER ${String(trigger)}`)
  database.exec(`PRAGMA ignore_check_constraints = ON; ${sql}`)
  database.close()
  return copy
}

describe("log verify --jobs", () => {
  it("finds a log with forks, archived events and personal data intact, in words that are the same", async () => {
    const { one, three } = await inOneAndThree("log", "verify", "--log", log)
    expect(JSON.parse(one.stdout)).toMatchObject({ intact: true, events: EVENTS + 1 })
    expect(three).toEqual(one)
  })

  it.each([
    ["a payload", `UPDATE events SET payload = '{"about":"x","text":"y"}' WHERE position = 2100`],
    ["a hash where a range begins", "UPDATE events SET hash = randomblob(32) WHERE position = 2000"],
    ["two places", "UPDATE events SET hash = randomblob(32) WHERE position IN (1300, 2950)"],
    ["a removed event", "DELETE FROM events WHERE position = 2001"],
    ["an event before the first", "UPDATE events SET position = -1 WHERE position = 2500"],
    ["the last event", `UPDATE events SET payload = '{}' WHERE position = ${EVENTS + 1}`],
    ["a name", "UPDATE names SET text = 'human:bob' WHERE text = 'human:eve'"],
    ["the record of a blob", "UPDATE blobs SET last_position = last_position - 1"],
  ])("finds the same of a log that was touched: %s", async (what, sql) => {
    const { one, three } = await inOneAndThree("log", "verify", "--log", tampered(`${what}.db`, sql))
    expect(one).toMatchObject({ code: 2 })
    expect(JSON.parse(one.stdout)).toMatchObject({ intact: false })
    expect(three).toEqual(one)
  })

  it("says the same of a segment that is gone", async () => {
    const copy = tampered("gone.db", "SELECT 1")
    fs.rmSync(`${copy}.segments`, { recursive: true })
    const { one, three } = await inOneAndThree("log", "verify", "--log", copy)
    expect(one.code).not.toBe(0)
    expect(three).toEqual(one)
  })

  it("holds the log against an anchor within a range, and says the same where it was rewritten", async () => {
    const database = new Database(log, { readonly: true })
    const hash = database.prepare("SELECT lower(hex(hash)) FROM events WHERE position = 2161").pluck().get()
    database.close()
    const { EventLog, layerSqlite }: typeof Events = await import(built("events", "index.js"))
    const verified = (jobs: number, hash: string) =>
      Effect.runPromise(
        Effect.flatMap(EventLog, (events) => events.verifyWith({ jobs, anchor: { position: 2161, hash } })).pipe(
          Effect.provide(layerSqlite({ filename: log, readonly: true })),
        ),
      )
    for (const given of [String(hash), "0".repeat(64)])
      expect(await verified(3, given)).toEqual(await verified(1, given))
  })

  it("wants a whole number of at least 1, and knows what was meant", async () => {
    expect((await hindcast(["log", "verify", "--log", log, "--jobs", "0"])).stderr).toContain(
      'expected a whole number, 1 or more, found "0"',
    )
    expect((await hindcast(["log", "verify", "--log", log, "--job", "2"])).stderr).toContain("--jobs")
  })
})
