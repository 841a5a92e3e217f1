import * as fs from "node:fs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

/** The log's last position: 2,999 notes, and the event that records the archive. */
const LAST = 3_000
const ARCHIVED = 700

beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function* () {
      const events = yield* EventLog
      for (let index = 0; index < LAST - 1; index += 100) {
        const notes = Array.from({ length: Math.min(100, LAST - 1 - index) }, (_, number) => ({
          type: "NoteAdded" as const,
          payload: { about: "x", text: `${index} ${number}` },
        }))
        yield* events.append({ stream: `notes/${index % 3}`, actor: "human:eve", events: notes })
      }
      yield* (yield* Archive).archive({ until: ARCHIVED, actor: "human:test" })
    }).pipe(Effect.provide(layerSqlite({ filename: log }))),
  ),
)
afterAll(place.remove)

/** What `log verify` says, without the age of the head, which grows. */
const verified = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await hindcast(["log", "verify", "--json", ...args])
  return { code, stdout: stdout.replace(/"ageMs": ?[0-9]+/g, '"ageMs": 0'), stderr }
}

/** A copy of the log, changed in ways that its triggers do not see. */
const changed = (name: string, sql: string): string => {
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

/** The files of all parts of a log. */
const partsOf = async (file: string, of: number, until = `@${LAST}`) => {
  const files: Array<string> = []
  for (let part = 1; part <= of; part++) {
    const output = `${file}.${part}-of-${of}`
    const written = await verified(
      "--log",
      file,
      "--until",
      until,
      "--part",
      `${part}/${of}`,
      "--output",
      output,
      "--force",
    )
    expect(written).toMatchObject({ code: 0 })
    files.push(output)
  }
  return files
}

const merging = (files: ReadonlyArray<string>) => files.flatMap((file) => ["--merge", file])

const messageOf = ({ stderr }: { readonly stderr: string }) => String(JSON.parse(stderr).error.message)

describe("log verify in parts", () => {
  it("says what one process says: by processes here, or by the files of several machines", async () => {
    const whole = await verified("--log", log)
    expect(JSON.parse(whole.stdout)).toMatchObject({ intact: true, events: LAST, head: { position: LAST } })
    expect(await verified("--log", log, "--parts", "2")).toEqual(whole)
    const files = await partsOf(log, 3)
    expect(await verified("--log", log, "--until", `@${LAST}`, ...merging(files.toReversed()))).toEqual(whole)
  })

  it("verifies the events after the last of the parts, too", async () => {
    const files = await partsOf(log, 2, "@2001")
    const merged = await verified("--log", log, "--until", "@2001", ...merging(files))
    expect(merged).toEqual(await verified("--log", log))
    const copy = changed("later.db", `UPDATE events SET payload = '{}' WHERE position = 2500`)
    expect(await verified("--log", copy, "--until", "@2001", ...merging(files))).toEqual(await verified("--log", copy))
  })

  it.each([
    ["a payload", `UPDATE events SET payload = '{"about":"x","text":"y"}' WHERE position = 2100`],
    ["a payload that is no JSON", "UPDATE events SET payload = '{' WHERE position = 2100"],
    ["the hash before a part", "UPDATE events SET hash = randomblob(32) WHERE position = 2000"],
    ["the hash with which a part begins", "UPDATE events SET hash = randomblob(32) WHERE position = 2001"],
    ["the event before a part, which is gone", "DELETE FROM events WHERE position = 1000"],
    ["two places", "UPDATE events SET hash = randomblob(32) WHERE position IN (1300, 2950)"],
    ["an event before the first", "UPDATE events SET position = -1 WHERE position = 2500"],
    ["the last event", `UPDATE events SET payload = '{}' WHERE position = ${LAST}`],
    ["the last event, which is no JSON", `UPDATE events SET payload = '{' WHERE position = ${LAST}`],
    ["a name", "UPDATE names SET text = 'human:bob' WHERE text = 'human:eve'"],
  ])("finds the same in a log that was changed: %s", async (what, sql) => {
    const copy = changed(`${what}.db`, sql)
    const whole = await verified("--log", copy)
    expect(whole).toMatchObject({ code: 2 })
    expect(JSON.parse(whole.stdout)).toMatchObject({ intact: false })
    const files = await partsOf(copy, 3)
    expect(await verified("--log", copy, "--until", `@${LAST}`, ...merging(files))).toEqual(whole)
    expect(await verified("--log", copy, "--parts", "2")).toEqual(whole)
  })

  it("goes on where a part ended early", async () => {
    const files = await partsOf(changed("other.db", "UPDATE events SET hash = randomblob(32) WHERE position = 1500"), 3)
    // The first and last events are the same, so the parts are of the same work.
    const merged = await verified("--log", log, "--until", `@${LAST}`, ...merging(files))
    expect(merged).toEqual(await verified("--log", log))
  })

  it("reports a segment that is gone as one process does", async () => {
    const copy = changed("gone.db", "SELECT 1")
    fs.rmSync(`${copy}.segments`, { recursive: true })
    const whole = await verified("--log", copy)
    expect(whole.code).not.toBe(0)
    expect(await verified("--log", copy, "--parts", "2")).toEqual(whole)
  })

  it("compares an anchor with the verified events", async () => {
    const key = place.file("key.pem")
    const anchor = place.file("anchor.json")
    expect((await hindcast(["log", "anchor", "--log", log, "--key", key, "--out", anchor])).code).toBe(0)
    const copy = changed("rewritten.db", "UPDATE events SET hash = randomblob(32) WHERE position = 3000")
    for (const file of [log, copy]) {
      const whole = await verified("--log", file, "--anchor", anchor)
      expect(await verified("--log", file, "--anchor", anchor, "--parts", "2")).toEqual(whole)
    }
  })

  it("refuses parts that are missing, damaged, of another log, or no parts", async () => {
    const [first = "", second = ""] = await partsOf(log, 2)
    const merge = (...files: ReadonlyArray<string>) => verified("--log", log, "--until", `@${LAST}`, ...merging(files))
    expect(messageOf(await merge(first))).toContain("Part 2/2 cannot be used: it is missing")
    expect(messageOf(await merge(first, first))).toContain("it is the part 1/2, as")
    const cut = place.file("cut")
    fs.writeFileSync(cut, fs.readFileSync(second).subarray(0, -80))
    expect(messageOf(await merge(first, cut))).toContain("it broke off after 3 items")
    const forged = place.file("forged")
    fs.writeFileSync(forged, fs.readFileSync(second, "utf8").replace('"position":3000', '"position":3001'))
    expect(messageOf(await merge(first, forged))).toContain("it was changed after it was written")
    const other = await partsOf(changed("cut.db", "DELETE FROM events WHERE position = 3000"), 2, "@2999")
    expect(messageOf(await merge(...other))).toContain("it is of other work")
    expect(messageOf(await merge(log))).toContain("expected a file that --part wrote")
  })

  it("says what is wrong with the options", async () => {
    const out = ["--output", place.file("out")]
    for (const [args, text] of [
      [["--parts", "0"], 'expected a whole number, 1 or more, found "0"'],
      [["--parts", "1e9"], "at most 64 processes"],
      [["--parts", "many"], 'found "many"'],
      [["--part", "1/2", ...out], "expected --until @POSITION"],
      [["--part", "3/2", "--until", "@9", ...out], "expected the number of a part"],
      [["--part", "1/2", "--until", "@9"], "expected --output FILE"],
      [["--part", "1/2", "--until", "@9", "--quick", ...out], "expected no other options"],
      [["--part", "1/2", "--until", "@9", "--jobs", "2", ...out], "expected no other options"],
      [["--part", "1/2", "--until", "@999999", ...out], `expected the position of an event, @1 to @${LAST}`],
      [["--part", "1/2", "--until", "@-1", ...out], "expected the position of an event"],
      [["--part", "1/2", "--until", "yesterday", ...out], "expected the position of an event"],
      [["--parts", "2", "--merge", "x"], "--parts and --merge"],
      [["--parts", "2", ...out], "expected --part, whose file it writes"],
      [["--until", "@9"], "expected it with --part or --merge"],
    ] as const) {
      const found = await verified("--log", log, ...args)
      expect({ args, code: found.code }).toEqual({ args, code: 1 })
      expect(messageOf(found)).toContain(text)
    }
  })
})
